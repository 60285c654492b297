//! Collectives with a count for every rank: `allgatherv`, `alltoallv`, `gatherv`, `scatterv`. All counts are n, as in the plain ones.

use paw_data::cell::Combine;
use paw_foreign::mpi::{Counts, MpiError};
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::collective::{self, COLLECTIVE, Extent, Movement, ROOT, RankBuffers, TOGETHER, bytes};
use super::pair::elements;
use super::scope::Scope;
use crate::benchmark::{Benchmark, Common, Own, Providers, Start};
use crate::teamwork::Teamwork;

/// Every rank's elements on every rank.
pub const ALLGATHERV: Benchmark = Own {
    name: "allgatherv",
    purpose: "How long until every rank holds what all ranks contribute, with a count for each?",
    timed: "MPI_Allgatherv",
    formula: "8*n*ranks",
    work: |point| collective::everyones(point, Movement::Blocks),
    start: |start| {
        begin(
            start,
            (Extent::One, Extent::All),
            |buffers, counts| buffers.comm.allgatherv(&buffers.memory, buffers.from, buffers.into, counts),
            |buffers, index| Some(buffers.value(index / buffers.n, index % buffers.n)),
        )
    },
}
.of(Common { memory_bytes: |point| bytes(point, Extent::One, Extent::All), ..COLLECTIVE })
.quick(&[]);

/// A different block from every rank to every rank.
pub const ALLTOALLV: Benchmark = Own {
    name: "alltoallv",
    purpose: "How long until every rank has sent every rank something else, with a count for each?",
    timed: "MPI_Alltoallv",
    formula: "8*n*ranks",
    work: |point| collective::everyones(point, Movement::Blocks),
    start: |start| {
        begin(
            start,
            (Extent::All, Extent::All),
            |buffers, counts| buffers.comm.alltoallv(&buffers.memory, buffers.from, counts, buffers.into, counts),
            |buffers, index| {
                Some(buffers.value(index / buffers.n, buffers.comm.rank() * buffers.n + index % buffers.n))
            },
        )
    },
}
.of(Common { memory_bytes: |point| bytes(point, Extent::All, Extent::All), ..ALLGATHERV.common })
.quick(&[]);

/// Every rank's elements on the root.
pub const GATHERV: Benchmark = Own {
    name: "gatherv",
    purpose: "How long until the root holds what all ranks contribute, with a count for each?",
    timed: "MPI_Gatherv to rank 0",
    formula: "8*n*ranks",
    work: |point| collective::everyones(point, Movement::Blocks),
    start: |start| {
        begin(
            start,
            (Extent::One, Extent::All),
            |buffers, counts| buffers.comm.gatherv(&buffers.memory, buffers.from, buffers.into, counts, ROOT),
            |buffers, index| (buffers.comm.rank() == ROOT).then(|| buffers.value(index / buffers.n, index % buffers.n)),
        )
    },
}
.of(ALLGATHERV.common)
.quick(&[]);

/// Everyone has its block of what the root has.
pub const SCATTERV: Benchmark = Own {
    name: "scatterv",
    purpose: "How long until every rank holds its block of what the root had, with a count for each?",
    timed: "MPI_Scatterv from rank 0",
    formula: "8*n",
    work: |point| collective::ones(point, Movement::Blocks),
    start: |start| {
        begin(
            start,
            (Extent::All, Extent::One),
            |buffers, counts| buffers.comm.scatterv(&buffers.memory, buffers.from, counts, buffers.into, ROOT),
            |buffers, index| Some(buffers.value(ROOT, buffers.comm.rank() * buffers.n + index)),
        )
    },
}
.of(Common {
    providers: Providers::Mpi(Teamwork { guide: Combine::Slowest, ..TOGETHER }),
    memory_bytes: |point| bytes(point, Extent::All, Extent::One),
    ..COLLECTIVE
})
.quick(&[]);

/// Starts a collective that is called with a count for every rank, all equal.
fn begin<C, E>(start: &Start<'_>, extents: (Extent, Extent), call: C, expected: E) -> Result<Box<dyn Timed>, Fault>
where
    C: Fn(&RankBuffers, &Counts) -> Result<(), MpiError> + 'static,
    E: Fn(&RankBuffers, usize) -> Option<f64> + 'static,
{
    let comm = start.engine.world()?.comm_of(Scope::of(start.point))?;
    let counts = Counts::equal(elements(start.point)?, comm.size());
    collective::begin(start, extents, move |buffers| call(buffers, &counts), expected)
}
