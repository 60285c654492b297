//! Collectives with a root: `bcast`, `gather`, `reduce`, `scatter`.

use paw_data::cell::Combine;
use paw_foreign::mpi::Op;

use super::collective::{self, COLLECTIVE, Extent, Movement, ROOT, TOGETHER, begin, bytes};
use crate::benchmark::{Benchmark, Common, Own, Providers};
use crate::teamwork::Teamwork;

/// Collectives in which the root sends: PAW's guide counts the slowest rank, because the root is done before any rank has received.
const GIVEN: Providers = Providers::Mpi(Teamwork { guide: Combine::Slowest, ..TOGETHER });

/// The root's elements on every rank.
pub const BCAST: Benchmark = Own {
    name: "bcast",
    purpose: "How long until every rank holds what the root had?",
    timed: "MPI_Bcast from rank 0",
    formula: "8*n",
    work: |point| collective::ones(point, Movement::Whole),
    start: |start| {
        begin(
            start,
            (Extent::One, Extent::One),
            |buffers| {
                let part = if buffers.comm.rank() == ROOT { buffers.from } else { buffers.into };
                buffers.comm.bcast(&buffers.memory, part, ROOT)
            },
            |buffers, index| (buffers.comm.rank() != ROOT).then(|| buffers.value(ROOT, index)),
        )
    },
}
.of(Common { providers: GIVEN, memory_bytes: |point| bytes(point, Extent::One, Extent::One), ..COLLECTIVE })
.aliases(&["col_bct"])
.dat("bcast", "COL_BCAST")
.quick(&[]);

/// Every rank's elements on the root.
pub const GATHER: Benchmark = Own {
    name: "gather",
    purpose: "How long until the root holds what all ranks contribute?",
    timed: "MPI_Gather to rank 0",
    formula: "8*n*ranks",
    work: |point| collective::everyones(point, Movement::Blocks),
    start: |start| {
        begin(
            start,
            (Extent::One, Extent::All),
            |buffers| buffers.comm.gather(&buffers.memory, buffers.from, buffers.into, ROOT),
            |buffers, index| (buffers.comm.rank() == ROOT).then(|| buffers.value(index / buffers.n, index % buffers.n)),
        )
    },
}
.of(Common { memory_bytes: |point| bytes(point, Extent::One, Extent::All), ..COLLECTIVE })
.aliases(&["col_gtr"])
.dat("gather", "COL_GATHER")
.quick(&[]);

/// The sum on the root.
pub const REDUCE: Benchmark = Own {
    name: "reduce",
    purpose: "How long until the root holds the sum over all ranks?",
    timed: "MPI_Reduce to rank 0, MPI_SUM of doubles",
    formula: "8*n*ranks",
    work: |point| collective::everyones(point, Movement::Whole),
    start: |start| {
        begin(
            start,
            (Extent::One, Extent::One),
            |buffers| buffers.comm.reduce(&buffers.memory, buffers.from, buffers.into, Op::Sum, ROOT),
            |buffers, index| (buffers.comm.rank() == ROOT).then(|| buffers.sum(buffers.comm.size(), index)),
        )
    },
}
.of(Common { memory_bytes: |point| bytes(point, Extent::One, Extent::One), ..COLLECTIVE })
.aliases(&["col_rdc"])
.dat("reduce", "COL_REDUCE")
.quick(&[]);

/// A block of the root's elements on each rank.
pub const SCATTER: Benchmark = Own {
    name: "scatter",
    purpose: "How long until every rank holds its block of what the root had?",
    timed: "MPI_Scatter from rank 0",
    formula: "8*n",
    work: |point| collective::ones(point, Movement::Blocks),
    start: |start| {
        begin(
            start,
            (Extent::All, Extent::One),
            |buffers| buffers.comm.scatter(&buffers.memory, buffers.from, buffers.into, ROOT),
            |buffers, index| Some(buffers.value(ROOT, buffers.comm.rank() * buffers.n + index)),
        )
    },
}
.of(Common { providers: GIVEN, memory_bytes: |point| bytes(point, Extent::All, Extent::One), ..COLLECTIVE })
.aliases(&["col_sct"])
.dat("scatter", "COL_SCATTER")
.quick(&[]);
