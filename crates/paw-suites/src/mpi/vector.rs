//! Collectives with a count for every rank: `allgatherv`, `alltoallv`, `gatherv`, `scatterv`. All counts are n, as in the plain ones.

use paw_data::axis;
use paw_foreign::mpi::{Counts, MpiError};
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::collective::{self, AXES_WITH_ROOT, CollectiveKind, GIVEN};
use super::collective_kind::collectives;
use super::pair::elements;
use super::rank_buffers::RankBuffers;
use super::scope::Scope;
use crate::benchmark::{Benchmark, Common, Start};

collectives! {
    (CollectiveKind::own, CollectiveKind::common, begin, "")
    /// Every rank's elements on every rank.
    ALLGATHERV: ALLGATHER, "allgatherv", "MPI_Allgatherv",
        "How long until every rank holds what all ranks contribute, with a count for each?",
        |buffers, counts| buffers.comm.allgatherv(&buffers.memory, buffers.from, buffers.into, counts);
    /// A different block from every rank to every rank.
    ALLTOALLV: ALLTOALL, "alltoallv", "MPI_Alltoallv",
        "How long until every rank has sent every rank something else, with a count for each?",
        |buffers, counts| buffers.comm.alltoallv(&buffers.memory, buffers.from, counts, buffers.into, counts);
    /// Every rank's elements on the root.
    GATHERV: GATHER { axes: AXES_WITH_ROOT }, "gatherv", "MPI_Gatherv to the root",
        "How long until the root holds what all ranks contribute, with a count for each?",
        |buffers, counts| buffers.comm.gatherv(&buffers.memory, buffers.from, buffers.into, counts, buffers.root()),
        .alternatives(axis::ROOT, axis::FIXED);
    /// Everyone has its block of what the root has.
    SCATTERV: SCATTER { providers: GIVEN, axes: AXES_WITH_ROOT }, "scatterv", "MPI_Scatterv from the root",
        "How long until every rank holds its block of what the root had, with a count for each?",
        |buffers, counts| buffers.comm.scatterv(&buffers.memory, buffers.from, counts, buffers.into, buffers.root()),
        .alternatives(axis::ROOT, axis::FIXED);
}

/// Starts a collective that is called with a count for every rank, all equal.
fn begin<C>(start: &Start<'_>, kind: &'static CollectiveKind, call: C) -> Result<Box<dyn Timed>, Fault>
where
    C: Fn(&RankBuffers, &Counts) -> Result<(), MpiError> + 'static,
{
    let comm = start.engine.world()?.comm_of(Scope::of(start.point))?;
    let counts = Counts::equal(elements(start.point)?, comm.size());
    collective::begin(start, kind, move |buffers| call(buffers, &counts))
}
