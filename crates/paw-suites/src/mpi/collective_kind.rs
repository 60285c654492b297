//! What collectives move and leave behind, the same for all calls of one kind: blocking, non-blocking, persistent, with counts.

use paw_data::work::Work;

use super::collective::{CollectiveKind, Movement, bytes, everyones, ones, ranks};
use super::extent::Extent;
use super::pair::message_bytes;
use super::rank_buffers::{RankBuffers, is_in_place};

/// Work of which PAW counts the n elements of every rank, and of which it counts n elements once.
const EVERYONES: [&str; 2] = ["8*n*ranks", "8*n*ranks; overlap = 1 - (total - computation) / alone"];
const ONES: [&str; 2] = ["8*n", "8*n; overlap = 1 - (total - computation) / alone"];

/// Every rank's elements on every rank.
pub const ALLGATHER: CollectiveKind = CollectiveKind {
    formulas: EVERYONES,
    work: |point| everyones(point, Movement::Blocks),
    extents: (Extent::One, Extent::All),
    memory_bytes: |point| bytes(point, Extent::One, Extent::All),
    expected: |buffers, index| Some(buffers.value(index / buffers.n, index % buffers.n)),
    otherwise: None,
};

/// Every rank's elements on the root.
pub const GATHER: CollectiveKind = CollectiveKind {
    expected: |buffers, index| buffers.is_root().then(|| buffers.value(index / buffers.n, index % buffers.n)),
    ..ALLGATHER
};

/// The sum on every rank.
pub const ALLREDUCE: CollectiveKind = CollectiveKind {
    formulas: EVERYONES,
    work: |point| everyones(point, Movement::SumToAll),
    extents: (Extent::One, Extent::One),
    memory_bytes: |point| bytes(point, Extent::One, Extent::One),
    expected: |buffers, index| Some(buffers.sum(buffers.comm.size(), index)),
    otherwise: None,
};

/// The sum on the root.
pub const REDUCE: CollectiveKind = CollectiveKind {
    work: |point| everyones(point, Movement::Whole),
    expected: |buffers, index| buffers.is_root().then(|| buffers.sum(buffers.comm.size(), index)),
    ..ALLREDUCE
};

/// The sum over all ranks up to itself on each rank.
pub const SCAN: CollectiveKind = CollectiveKind {
    work: |point| everyones(point, Movement::Prefix),
    expected: |buffers, index| Some(buffers.sum(buffers.comm.rank() + 1, index)),
    ..ALLREDUCE
};

/// The sum over all ranks before itself on each rank; the result on rank 0 is undefined (MPI 4.1, section 6.11.2).
pub const EXSCAN: CollectiveKind = CollectiveKind {
    expected: |buffers, index| (buffers.comm.rank() > 0).then(|| buffers.sum(buffers.comm.rank(), index)),
    ..SCAN
};

/// A different block from every rank to every rank.
pub const ALLTOALL: CollectiveKind = CollectiveKind {
    formulas: EVERYONES,
    work: |point| everyones(point, Movement::Blocks),
    extents: (Extent::All, Extent::All),
    memory_bytes: |point| bytes(point, Extent::All, Extent::All),
    expected: |buffers, index| {
        Some(buffers.value(index / buffers.n, buffers.comm.rank() * buffers.n + index % buffers.n))
    },
    otherwise: None,
};

/// A block of the sum on each rank.
pub const REDUCE_SCATTER: CollectiveKind = CollectiveKind {
    formulas: EVERYONES,
    work: |point| everyones(point, Movement::Blocks),
    extents: (Extent::All, Extent::One),
    memory_bytes: |point| bytes(point, Extent::All, if is_in_place(point) { Extent::All } else { Extent::One }),
    expected: |buffers, index| Some(buffers.sum(buffers.comm.size(), buffers.comm.rank() * buffers.n + index)),
    otherwise: None,
};

/// A block of the root's elements on each rank.
pub const SCATTER: CollectiveKind = CollectiveKind {
    formulas: ONES,
    work: |point| ones(point, Movement::Blocks),
    memory_bytes: |point| bytes(point, Extent::All, Extent::One),
    expected: |buffers, index| {
        (!buffers.is_root_in_place()).then(|| buffers.value(buffers.root(), buffers.comm.rank() * buffers.n + index))
    },
    ..REDUCE_SCATTER
};

/// The root's elements on every rank.
pub const BCAST: CollectiveKind = CollectiveKind {
    formulas: ONES,
    work: |point| ones(point, Movement::Whole),
    expected: |buffers, index| (!buffers.is_root()).then(|| buffers.value(buffers.root(), index)),
    ..ALLREDUCE
};

/// The root's elements on every rank, the root too.
pub const BROADCAST: CollectiveKind =
    CollectiveKind { expected: |buffers, index| Some(buffers.value(buffers.root(), index)), ..BCAST };

/// The elements of the rank before it on each rank, the last and the first being neighbours. nccl-tests counts what one rank sends.
pub const SENDRECV: CollectiveKind = CollectiveKind {
    work: |point| everyones(point, Movement::Whole),
    expected: |buffers, index| Some(buffers.value(buffers.neighbours().0, index)),
    ..ALLREDUCE
};

/// A different block from every rank to each of its two neighbours in a ring: from the left one comes the block it sent to its right,
/// and vice versa. With two ranks both neighbours are the same rank, and the order of its blocks is the library's choice.
pub const NEIGHBOR_ALLTOALL: CollectiveKind = CollectiveKind {
    formulas: ["2*8*n*ranks", "2*8*n*ranks; overlap = 1 - (total - computation) / alone"],
    work: |point| {
        let messages = 2.0 * ranks(point);
        Work { bytes: messages * message_bytes(point), messages, ..Work::default() }
    },
    extents: (Extent::Times(2), Extent::Times(2)),
    memory_bytes: |point| bytes(point, Extent::Times(2), Extent::Times(2)),
    expected: |buffers, index| Some(crossed(buffers, index)),
    otherwise: Some(|buffers, index| {
        Some(if buffers.comm.size() == 2 {
            buffers.value(buffers.neighbours().0, index)
        } else {
            crossed(buffers, index)
        })
    }),
};

/// Every rank's elements on both its neighbours in a ring.
pub const NEIGHBOR_ALLGATHER: CollectiveKind = CollectiveKind {
    extents: (Extent::One, Extent::Times(2)),
    memory_bytes: |point| bytes(point, Extent::One, Extent::Times(2)),
    expected: |buffers, index| {
        let ((left, right), n) = (buffers.neighbours(), buffers.n);
        Some(buffers.value(if index < n { left } else { right }, index % n))
    },
    otherwise: None,
    ..NEIGHBOR_ALLTOALL
};

/// What arrives from the left neighbour, which sent it to its right, and from the right one, which sent it to its left.
fn crossed(buffers: &RankBuffers, index: usize) -> f64 {
    let ((left, right), n) = (buffers.neighbours(), buffers.n);
    if index < n { buffers.value(left, n + index) } else { buffers.value(right, index - n) }
}

/// Nothing but the news that all are there.
pub const BARRIER: CollectiveKind = CollectiveKind {
    formulas: ["1; one barrier", "1; one barrier, overlap = 1 - (total - computation) / alone"],
    work: |_| Work::default(),
    extents: (Extent::None, Extent::None),
    memory_bytes: |_| 0.0,
    expected: |_, _| None,
    otherwise: None,
};

/// Defines a benchmark for each name: the kind, with what its common facts have different, its name, its timed calls, its
/// question, its call, and its names in PAW. First come the functions that give its own facts and the common ones and start it,
/// and what follows the timed calls.
macro_rules! collectives {
    (($own:path, $common:path, $begin:path, $after:literal) $($(#[$doc:meta])* $constant:ident: $kind:ident $({ $($field:ident: $value:expr),* })?,
        $name:literal, $timed:literal, $purpose:literal, $call:expr $(, $(.$with:ident($($given:expr),*))+)?;)*) => {
        $(
            $(#[$doc])*
            pub const $constant: Benchmark = $own(&$crate::mpi::collective_kind::$kind, $name, $purpose, concat!($timed, $after), |start| $begin(start, &$crate::mpi::collective_kind::$kind, $call))
                .of(Common { $($($field: $value,)*)? ..$common(&$crate::mpi::collective_kind::$kind) })
                $($(.$with($($given),*))+)?
                .quick(&[]);
        )*
    };
}
pub(super) use collectives;
