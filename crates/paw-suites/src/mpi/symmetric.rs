//! Collectives without a root: `allgather`, `allreduce`, `alltoall`, `reduce_scatter`, `scan`, `exscan`, `barrier`.

use paw_data::axis;
use paw_data::headline::Pick;
use paw_foreign::mpi::{MpiError, Op};
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::collective::{self, AXES_WITH_PLACE, CollectiveKind, begin, called};
use super::collective_kind::collectives;
use super::rank_buffers::RankBuffers;
use crate::benchmark::{Benchmark, Common, Figure, Start};

collectives! {
    (CollectiveKind::own, CollectiveKind::common, begin, "")
    /// Every rank's elements on every rank.
    ALLGATHER: ALLGATHER { axes: AXES_WITH_PLACE }, "allgather", "MPI_Allgather",
        "How long until every rank holds what all ranks contribute?",
        |buffers| match buffers.is_in_place {
            false => buffers.comm.allgather(&buffers.memory, buffers.from, buffers.into),
            true => buffers.comm.allgather_in_place(&buffers.memory, buffers.into),
        },
        .aliases(&["col_agtr"]).dat("allgather", "COL_ALLGATHER").alternatives(axis::PLACE, axis::SEPARATE);
    /// The sum on every rank.
    ALLREDUCE: ALLREDUCE { axes: AXES_WITH_PLACE }, "allreduce", "MPI_Allreduce, MPI_SUM of doubles",
        "How long until every rank holds the sum over all ranks?",
        |buffers| match buffers.is_in_place {
            false => buffers.comm.allreduce(&buffers.memory, buffers.from, buffers.into, Op::Sum),
            true => buffers.comm.allreduce_in_place(&buffers.memory, buffers.into, Op::Sum),
        },
        .aliases(&["col_ardc"]).dat("allreduce", "COL_ALLREDUCE").alternatives(axis::PLACE, axis::SEPARATE).figures(&[Figure { line: 63, preference: 0, label: "allreduce {size}", pick: Pick::Smallest }]);
    /// A different block from every rank to every rank.
    ALLTOALL: ALLTOALL { axes: AXES_WITH_PLACE }, "alltoall", "MPI_Alltoall",
        "How long until every rank has sent every rank something else?",
        |buffers| match buffers.is_in_place {
            false => buffers.comm.alltoall(&buffers.memory, buffers.from, buffers.into),
            true => buffers.comm.alltoall_in_place(&buffers.memory, buffers.into),
        },
        .aliases(&["col_a2a"]).dat("alltoall", "COL_ALLTOALL").alternatives(axis::PLACE, axis::SEPARATE);
    /// The sum over all ranks up to itself on each rank.
    SCAN: SCAN { axes: AXES_WITH_PLACE }, "scan", "MPI_Scan, MPI_SUM of doubles",
        "How long until every rank holds the sum over all ranks up to itself?",
        |buffers| match buffers.is_in_place {
            false => buffers.comm.scan(&buffers.memory, buffers.from, buffers.into, Op::Sum),
            true => buffers.comm.scan_in_place(&buffers.memory, buffers.into, Op::Sum),
        },
        .alternatives(axis::PLACE, axis::SEPARATE);
    /// The sum over all ranks before itself on each rank.
    EXSCAN: EXSCAN { axes: AXES_WITH_PLACE }, "exscan", "MPI_Exscan, MPI_SUM of doubles",
        "How long until every rank holds the sum over all ranks before itself?",
        |buffers| match buffers.is_in_place {
            false => buffers.comm.exscan(&buffers.memory, buffers.from, buffers.into, Op::Sum),
            true => buffers.comm.exscan_in_place(&buffers.memory, buffers.into, Op::Sum),
        },
        .alternatives(axis::PLACE, axis::SEPARATE);
    /// A barrier of all ranks.
    BARRIER: BARRIER { axes: &[collective::CADENCE, collective::SCOPE], variables: &["PAW_MPI_LIBRARY"] }, "barrier", "MPI_Barrier",
        "How long does it take all ranks to learn that all have arrived?",
        |buffers| buffers.comm.barrier();
}

collectives! {
    (CollectiveKind::own, CollectiveKind::common, begin_shrinking, "")
    /// A block of the sum on each rank.
    REDUCE_SCATTER: REDUCE_SCATTER { axes: AXES_WITH_PLACE }, "reduce_scatter", "MPI_Reduce_scatter_block, MPI_SUM of doubles",
        "How long until every rank holds its block of the sum over all ranks?",
        |buffers| match buffers.is_in_place {
            false => buffers.comm.reduce_scatter_block(&buffers.memory, buffers.from, buffers.into, Op::Sum),
            true => buffers.comm.reduce_scatter_block_in_place(&buffers.memory, buffers.into, Op::Sum),
        },
        .alternatives(axis::PLACE, axis::SEPARATE);
}

/// Starts a collective whose result in place is the beginning of what was contributed there.
fn begin_shrinking<C>(start: &Start<'_>, kind: &'static CollectiveKind, call: C) -> Result<Box<dyn Timed>, Fault>
where
    C: Fn(&RankBuffers) -> Result<(), MpiError> + 'static,
{
    Ok(called(RankBuffers::shrinking(start, kind.extents)?, kind, call))
}
