//! What collectives move and leave behind, the same for all calls of one kind: blocking, non-blocking, persistent, with counts.

use paw_data::point::Point;
use paw_data::work::Work;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::collective::{COLLECTIVE, Extent, Movement, ROOT, RankBuffers, bytes, everyones, ones};
use crate::benchmark::{Common, Own, Start};

/// What a kind of collective moves and leaves behind.
pub struct Shape {
    /// The formula of its work: of a call alone, and of one that a computation overlaps.
    pub formulas: [&'static str; 2],
    work: fn(&Point) -> Work,
    /// Lengths of a rank's contribution and of its result.
    pub extents: (Extent, Extent),
    memory_bytes: fn(&Point) -> f64,
    /// The result's element by index; `None` on ranks without a result.
    pub expected: Expected,
}

/// Gives the element of a rank's result by index; `None` on ranks without a result.
pub type Expected = fn(&RankBuffers, usize) -> Option<f64>;

impl Shape {
    /// The facts of a benchmark of this kind.
    pub const fn own(
        &self,
        name: &'static str,
        purpose: &'static str,
        timed: &'static str,
        start: fn(&Start<'_>) -> Result<Box<dyn Timed>, Fault>,
    ) -> Own {
        Own { name, purpose, timed, formula: self.formulas[0], work: self.work, start }
    }

    /// The facts that all collectives share, with the memory of this kind.
    pub const fn common(&self) -> Common {
        Common { memory_bytes: self.memory_bytes, ..COLLECTIVE }
    }
}

/// Work of which PAW counts the n elements of every rank, and of which it counts n elements once.
const EVERYONES: [&str; 2] = ["8*n*ranks", "8*n*ranks; overlap = 1 - (total - computation) / alone"];
const ONES: [&str; 2] = ["8*n", "8*n; overlap = 1 - (total - computation) / alone"];

/// Every rank's elements on every rank.
pub const ALLGATHER: Shape = Shape {
    formulas: EVERYONES,
    work: |point| everyones(point, Movement::Blocks),
    extents: (Extent::One, Extent::All),
    memory_bytes: |point| bytes(point, Extent::One, Extent::All),
    expected: |buffers, index| Some(buffers.value(index / buffers.n, index % buffers.n)),
};

/// Every rank's elements on the root.
pub const GATHER: Shape = Shape {
    expected: |buffers, index| {
        (buffers.comm.rank() == ROOT).then(|| buffers.value(index / buffers.n, index % buffers.n))
    },
    ..ALLGATHER
};

/// The sum on every rank.
pub const ALLREDUCE: Shape = Shape {
    formulas: EVERYONES,
    work: |point| everyones(point, Movement::SumToAll),
    extents: (Extent::One, Extent::One),
    memory_bytes: |point| bytes(point, Extent::One, Extent::One),
    expected: |buffers, index| Some(buffers.sum(buffers.comm.size(), index)),
};

/// The sum on the root.
pub const REDUCE: Shape = Shape {
    work: |point| everyones(point, Movement::Whole),
    expected: |buffers, index| (buffers.comm.rank() == ROOT).then(|| buffers.sum(buffers.comm.size(), index)),
    ..ALLREDUCE
};

/// The sum over all ranks up to itself on each rank.
pub const SCAN: Shape = Shape {
    work: |point| everyones(point, Movement::Prefix),
    expected: |buffers, index| Some(buffers.sum(buffers.comm.rank() + 1, index)),
    ..ALLREDUCE
};

/// The sum over all ranks before itself on each rank; the result on rank 0 is undefined (MPI 4.1, section 6.11.2).
pub const EXSCAN: Shape = Shape {
    expected: |buffers, index| (buffers.comm.rank() > 0).then(|| buffers.sum(buffers.comm.rank(), index)),
    ..SCAN
};

/// A different block from every rank to every rank.
pub const ALLTOALL: Shape = Shape {
    formulas: EVERYONES,
    work: |point| everyones(point, Movement::Blocks),
    extents: (Extent::All, Extent::All),
    memory_bytes: |point| bytes(point, Extent::All, Extent::All),
    expected: |buffers, index| {
        Some(buffers.value(index / buffers.n, buffers.comm.rank() * buffers.n + index % buffers.n))
    },
};

/// A block of the sum on each rank.
pub const REDUCE_SCATTER: Shape = Shape {
    formulas: EVERYONES,
    work: |point| everyones(point, Movement::Blocks),
    extents: (Extent::All, Extent::One),
    memory_bytes: |point| bytes(point, Extent::All, Extent::One),
    expected: |buffers, index| Some(buffers.sum(buffers.comm.size(), buffers.comm.rank() * buffers.n + index)),
};

/// A block of the root's elements on each rank.
pub const SCATTER: Shape = Shape {
    formulas: ONES,
    work: |point| ones(point, Movement::Blocks),
    expected: |buffers, index| Some(buffers.value(ROOT, buffers.comm.rank() * buffers.n + index)),
    ..REDUCE_SCATTER
};

/// The root's elements on every rank.
pub const BCAST: Shape = Shape {
    formulas: ONES,
    work: |point| ones(point, Movement::Whole),
    expected: |buffers, index| (buffers.comm.rank() != ROOT).then(|| buffers.value(ROOT, index)),
    ..ALLREDUCE
};

/// Nothing but the news that all are there.
pub const BARRIER: Shape = Shape {
    formulas: ["1; one barrier", "1; one barrier, overlap = 1 - (total - computation) / alone"],
    work: |_| Work::default(),
    extents: (Extent::None, Extent::None),
    memory_bytes: |_| 0.0,
    expected: |_, _| None,
};

/// Defines a benchmark for each name: the shape of its data, with what its common facts have different, its name, its timed calls, its
/// question, its call, and its names in PAW. First come the functions that give its own facts and the common ones and start it,
/// and what follows the timed calls.
macro_rules! collectives {
    (($own:path, $common:path, $begin:path, $after:literal) $($(#[$doc:meta])* $constant:ident: $shape:ident $({ $($field:ident: $value:expr),* })?,
        $name:literal, $timed:literal, $purpose:literal, $call:expr $(, $(.$with:ident($($given:expr),*))+)?;)*) => {
        $(
            $(#[$doc])*
            pub const $constant: Benchmark = $own(&shape::$shape, $name, $purpose, concat!($timed, $after), |start| $begin(start, &shape::$shape, $call))
                .of(Common { $($($field: $value,)*)? ..$common(&shape::$shape) })
                $($(.$with($($given),*))+)?
                .quick(&[]);
        )*
    };
}
pub(super) use collectives;
