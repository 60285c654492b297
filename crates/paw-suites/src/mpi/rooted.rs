//! Collectives with a root: `bcast`, `gather`, `reduce`, `scatter`.

use paw_foreign::mpi::Op;

use super::collective::{CollectiveKind, GIVEN, ROOT, begin};
use super::collective_kind::collectives;
use crate::benchmark::{Benchmark, Common};

collectives! {
    (CollectiveKind::own, CollectiveKind::common, begin, "")
    /// The root's elements on every rank.
    BCAST: BCAST { providers: GIVEN }, "bcast", "MPI_Bcast from rank 0",
        "How long until every rank holds what the root had?",
        |buffers| {
            let part = if buffers.comm.rank() == ROOT { buffers.from } else { buffers.into };
            buffers.comm.bcast(&buffers.memory, part, ROOT)
        },
        .aliases(&["col_bct"]).dat("bcast", "COL_BCAST");
    /// Every rank's elements on the root.
    GATHER: GATHER, "gather", "MPI_Gather to rank 0",
        "How long until the root holds what all ranks contribute?",
        |buffers| buffers.comm.gather(&buffers.memory, buffers.from, buffers.into, ROOT),
        .aliases(&["col_gtr"]).dat("gather", "COL_GATHER");
    /// The sum on the root.
    REDUCE: REDUCE, "reduce", "MPI_Reduce to rank 0, MPI_SUM of doubles",
        "How long until the root holds the sum over all ranks?",
        |buffers| buffers.comm.reduce(&buffers.memory, buffers.from, buffers.into, Op::Sum, ROOT),
        .aliases(&["col_rdc"]).dat("reduce", "COL_REDUCE");
    /// A block of the root's elements on each rank.
    SCATTER: SCATTER { providers: GIVEN }, "scatter", "MPI_Scatter from rank 0",
        "How long until every rank holds its block of what the root had?",
        |buffers| buffers.comm.scatter(&buffers.memory, buffers.from, buffers.into, ROOT),
        .aliases(&["col_sct"]).dat("scatter", "COL_SCATTER");
}
