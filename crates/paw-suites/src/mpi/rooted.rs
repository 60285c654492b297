//! Collectives with a root: `bcast`, `gather`, `reduce`, `scatter`.

use paw_data::axis;
use paw_foreign::mpi::Op;

use super::collective::{AXES_WITH_PLACE_AND_ROOT, AXES_WITH_ROOT, CollectiveKind, GIVEN, begin};
use super::collective_kind::collectives;
use crate::benchmark::{Benchmark, Common};

collectives! {
    (CollectiveKind::own, CollectiveKind::common, begin, "")
    /// The root's elements on every rank.
    BCAST: BCAST { providers: GIVEN, axes: AXES_WITH_ROOT }, "bcast", "MPI_Bcast from the root",
        "How long until every rank holds what the root had?",
        |buffers| {
            let part = if buffers.is_root() { buffers.from } else { buffers.into };
            buffers.comm.bcast(&buffers.memory, part, buffers.root())
        },
        .aliases(&["col_bct"]).dat("bcast", "COL_BCAST").alternatives(axis::ROOT, axis::FIXED);
    /// Every rank's elements on the root.
    GATHER: GATHER { axes: AXES_WITH_PLACE_AND_ROOT }, "gather", "MPI_Gather to the root",
        "How long until the root holds what all ranks contribute?",
        |buffers| match buffers.is_in_place {
            false => buffers.comm.gather(&buffers.memory, buffers.from, buffers.into, buffers.root()),
            true => buffers.comm.gather_in_place(&buffers.memory, buffers.from, buffers.into, buffers.root()),
        },
        .aliases(&["col_gtr"]).dat("gather", "COL_GATHER").alternatives(axis::PLACE, axis::SEPARATE);
    /// The sum on the root.
    REDUCE: REDUCE { axes: AXES_WITH_PLACE_AND_ROOT }, "reduce", "MPI_Reduce to the root, MPI_SUM of doubles",
        "How long until the root holds the sum over all ranks?",
        |buffers| match buffers.is_in_place {
            false => buffers.comm.reduce(&buffers.memory, buffers.from, buffers.into, Op::Sum, buffers.root()),
            true => buffers.comm.reduce_in_place(&buffers.memory, buffers.into, Op::Sum, buffers.root()),
        },
        .aliases(&["col_rdc"]).dat("reduce", "COL_REDUCE").alternatives(axis::PLACE, axis::SEPARATE);
    /// A block of the root's elements on each rank.
    SCATTER: SCATTER { providers: GIVEN, axes: AXES_WITH_PLACE_AND_ROOT }, "scatter", "MPI_Scatter from the root",
        "How long until every rank holds its block of what the root had?",
        |buffers| match buffers.is_in_place {
            false => buffers.comm.scatter(&buffers.memory, buffers.from, buffers.into, buffers.root()),
            true => buffers.comm.scatter_in_place(&buffers.memory, buffers.from, buffers.into, buffers.root()),
        },
        .aliases(&["col_sct"]).dat("scatter", "COL_SCATTER").alternatives(axis::PLACE, axis::SEPARATE);
}
