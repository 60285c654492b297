//! Collectives without a root: `allgather`, `allreduce`, `alltoall`, `reduce_scatter`, `scan`, `exscan`, `barrier`.

use paw_data::headline::Pick;
use paw_data::work::Work;
use paw_foreign::mpi::Op;

use super::collective::{self, COLLECTIVE, Extent, Movement, begin, bytes};
use crate::benchmark::{Benchmark, Common, Figure, Own};

/// Every rank's elements on every rank.
pub const ALLGATHER: Benchmark = Own {
    name: "allgather",
    purpose: "How long until every rank holds what all ranks contribute?",
    timed: "MPI_Allgather",
    formula: "8*n*ranks",
    work: |point| collective::everyones(point, Movement::Blocks),
    start: |start| {
        begin(
            start,
            (Extent::One, Extent::All),
            |buffers| buffers.comm.allgather(&buffers.memory, buffers.from, buffers.into),
            |buffers, index| Some(buffers.value(index / buffers.n, index % buffers.n)),
        )
    },
}
.of(Common { memory_bytes: |point| bytes(point, Extent::One, Extent::All), ..COLLECTIVE })
.aliases(&["col_agtr"])
.dat("allgather", "COL_ALLGATHER")
.quick(&[]);

/// The sum on every rank.
pub const ALLREDUCE: Benchmark = Own {
    name: "allreduce",
    purpose: "How long until every rank holds the sum over all ranks?",
    timed: "MPI_Allreduce, MPI_SUM of doubles",
    formula: "8*n*ranks",
    work: |point| collective::everyones(point, Movement::SumToAll),
    start: |start| {
        begin(
            start,
            (Extent::One, Extent::One),
            |buffers| buffers.comm.allreduce(&buffers.memory, buffers.from, buffers.into, Op::Sum),
            |buffers, index| Some(buffers.sum(buffers.comm.size(), index)),
        )
    },
}
.of(Common { memory_bytes: |point| bytes(point, Extent::One, Extent::One), ..COLLECTIVE })
.aliases(&["col_ardc"])
.dat("allreduce", "COL_ALLREDUCE")
.quick(&[])
.figures(&[Figure { line: 63, preference: 0, label: "allreduce {size}", pick: Pick::Smallest }]);

/// A different block from every rank to every rank.
pub const ALLTOALL: Benchmark = Own {
    name: "alltoall",
    purpose: "How long until every rank has sent every rank something else?",
    timed: "MPI_Alltoall",
    formula: "8*n*ranks",
    work: |point| collective::everyones(point, Movement::Blocks),
    start: |start| {
        begin(
            start,
            (Extent::All, Extent::All),
            |buffers| buffers.comm.alltoall(&buffers.memory, buffers.from, buffers.into),
            |buffers, index| {
                Some(buffers.value(index / buffers.n, buffers.comm.rank() * buffers.n + index % buffers.n))
            },
        )
    },
}
.of(Common { memory_bytes: |point| bytes(point, Extent::All, Extent::All), ..COLLECTIVE })
.aliases(&["col_a2a"])
.dat("alltoall", "COL_ALLTOALL")
.quick(&[]);

/// A block of the sum on each rank.
pub const REDUCE_SCATTER: Benchmark = Own {
    name: "reduce_scatter",
    purpose: "How long until every rank holds its block of the sum over all ranks?",
    timed: "MPI_Reduce_scatter_block, MPI_SUM of doubles",
    formula: "8*n*ranks",
    work: |point| collective::everyones(point, Movement::Blocks),
    start: |start| {
        begin(
            start,
            (Extent::All, Extent::One),
            |buffers| buffers.comm.reduce_scatter_block(&buffers.memory, buffers.from, buffers.into, Op::Sum),
            |buffers, index| Some(buffers.sum(buffers.comm.size(), buffers.comm.rank() * buffers.n + index)),
        )
    },
}
.of(Common { memory_bytes: |point| bytes(point, Extent::All, Extent::One), ..COLLECTIVE })
.quick(&[]);

/// The sum over all ranks up to itself on each rank.
pub const SCAN: Benchmark = Own {
    name: "scan",
    purpose: "How long until every rank holds the sum over all ranks up to itself?",
    timed: "MPI_Scan, MPI_SUM of doubles",
    formula: "8*n*ranks",
    work: |point| collective::everyones(point, Movement::Prefix),
    start: |start| {
        begin(
            start,
            (Extent::One, Extent::One),
            |buffers| buffers.comm.scan(&buffers.memory, buffers.from, buffers.into, Op::Sum),
            |buffers, index| Some(buffers.sum(buffers.comm.rank() + 1, index)),
        )
    },
}
.of(Common { memory_bytes: |point| bytes(point, Extent::One, Extent::One), ..COLLECTIVE })
.quick(&[]);

/// The sum over all ranks before itself on each rank.
pub const EXSCAN: Benchmark = Own {
    name: "exscan",
    purpose: "How long until every rank holds the sum over all ranks before itself?",
    timed: "MPI_Exscan, MPI_SUM of doubles",
    formula: "8*n*ranks",
    work: |point| collective::everyones(point, Movement::Prefix),
    start: |start| {
        begin(
            start,
            (Extent::One, Extent::One),
            |buffers| buffers.comm.exscan(&buffers.memory, buffers.from, buffers.into, Op::Sum),
            // The result on rank 0 is undefined (MPI 4.1, section 6.11.2).
            |buffers, index| (buffers.comm.rank() > 0).then(|| buffers.sum(buffers.comm.rank(), index)),
        )
    },
}
.of(SCAN.common)
.quick(&[]);

/// A barrier of all ranks.
pub const BARRIER: Benchmark = Own {
    name: "barrier",
    purpose: "How long does it take all ranks to learn that all have arrived?",
    timed: "MPI_Barrier",
    formula: "1; one barrier",
    work: |_| Work::default(),
    start: |start| begin(start, (Extent::None, Extent::None), |buffers| buffers.comm.barrier(), |_, _| None),
}
.of(Common {
    axes: &[collective::CADENCE, collective::SCOPE],
    variables: &["PAW_MPI_LIBRARY"],
    memory_bytes: |_| 0.0,
    ..COLLECTIVE
})
.quick(&[]);
