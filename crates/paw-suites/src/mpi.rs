//! The MPI suite: messages between ranks, by any library opened at run time.
//!
//! Every rank is a `paw` process with the same plan, and all measure in step; the team exchanges decisions.

use paw_data::axis;
use paw_data::cell::Combine;
use paw_data::headline::Family;
use paw_data::quantity::Quantity;

use crate::benchmark::{Axis, Benchmark, Common, Providers, Values};
use crate::teamwork::{Carrier, Ranks, Series, Teamwork};

mod accumulate;
mod atomic;
mod bisection;
mod buffer;
pub(crate) mod collective;
mod collective_kind;
mod congestion;
mod control;
mod device_collective;
pub mod device_collectives;
mod element_layout;
mod error;
mod extent;
mod file;
mod isend;
mod latency;
mod loggp;
mod message_device;
mod multitask;
mod neighbours;
mod nonblocking;
mod onesided;
mod page_cache;
mod pair;
mod pair_matrix;
mod partitioned;
pub(crate) mod partner;
mod payload;
mod persistent;
mod rank_buffers;
mod rank_map;
mod rate;
mod residence;
mod rooted;
pub(crate) mod scope;
mod send;
mod session;
mod startup;
mod symmetric;
mod threads;
mod vector;
mod window;
mod workload;
pub mod world;

/// Name of the suite.
pub const SUITE: &str = "mpi";

/// The benchmarks, in the order they are listed and run.
pub const BENCHMARKS: &[&Benchmark] = &[
    &latency::LATENCY,
    &send::SEND,
    &isend::ISEND,
    &isend::PING,
    &isend::BIDIR,
    &rate::RATE,
    &rate::RATE_BIDIR,
    &multitask::MULTITASK,
    &multitask::MULTI_LATENCY,
    &threads::LATENCY_THREADS,
    &pair_matrix::PAIR_MATRIX,
    &congestion::CONGESTION,
    &bisection::BISECTION,
    &loggp::LOGGP,
    &persistent::P2P,
    &partitioned::PARTITIONED,
    &onesided::GET,
    &onesided::PUT,
    &onesided::GET_FENCE,
    &onesided::PUT_FENCE,
    &onesided::RGET,
    &onesided::RPUT,
    &onesided::GET_FLUSH,
    &onesided::PUT_FLUSH,
    &onesided::GET_LOCK,
    &onesided::PUT_LOCK,
    &atomic::ACCUMULATE,
    &atomic::FETCH_AND_OP,
    &atomic::COMPARE_AND_SWAP,
    &symmetric::BARRIER,
    &symmetric::ALLREDUCE,
    &symmetric::ALLGATHER,
    &symmetric::ALLTOALL,
    &symmetric::REDUCE_SCATTER,
    &symmetric::SCAN,
    &symmetric::EXSCAN,
    &rooted::BCAST,
    &rooted::GATHER,
    &rooted::REDUCE,
    &rooted::SCATTER,
    &vector::ALLGATHERV,
    &vector::ALLTOALLV,
    &vector::GATHERV,
    &vector::SCATTERV,
    &neighbours::EXCHANGE,
    &neighbours::NEIGHBOR_ALLTOALL,
    &neighbours::NEIGHBOR_ALLGATHER,
    &accumulate::ACC,
    &accumulate::ACC_FENCE,
    &accumulate::RACC,
    &nonblocking::IBARRIER,
    &nonblocking::IBCAST,
    &nonblocking::IALLREDUCE,
    &nonblocking::IALLGATHER,
    &nonblocking::IALLTOALL,
    &nonblocking::IGATHER,
    &nonblocking::ISCATTER,
    &nonblocking::IREDUCE,
    &nonblocking::IREDUCE_SCATTER,
    &nonblocking::ISCAN,
    &nonblocking::IEXSCAN,
    &nonblocking::IALLGATHERV,
    &nonblocking::IALLTOALLV,
    &nonblocking::IGATHERV,
    &nonblocking::ISCATTERV,
    &nonblocking::INEIGHBOR_ALLTOALL,
    &persistent::BARRIER,
    &persistent::ALLREDUCE,
    &persistent::BCAST,
    &persistent::REDUCE,
    &persistent::GATHER,
    &persistent::SCATTER,
    &persistent::ALLGATHER,
    &persistent::ALLTOALL,
    &persistent::REDUCE_SCATTER,
    &startup::INIT,
    &startup::INIT_THREAD,
    &session::SESSION,
    &device_collective::ALLREDUCE,
    &device_collective::BROADCAST,
    &device_collective::REDUCE,
    &device_collective::ALLGATHER,
    &device_collective::REDUCE_SCATTER,
    &device_collective::ALLTOALL,
    &device_collective::SENDRECV,
    &file::WRITE,
    &file::READ,
];

/// Benchmarks that change another rank's memory by sums and swaps, which libraries do not make in every memory.
const UPDATES: &[&Benchmark] = &[
    &accumulate::ACC,
    &accumulate::ACC_FENCE,
    &accumulate::RACC,
    &atomic::ACCUMULATE,
    &atomic::FETCH_AND_OP,
    &atomic::COMPARE_AND_SWAP,
];

/// Whether a benchmark changes another rank's memory by sums or swaps.
pub fn makes_updates(benchmark: &Benchmark) -> bool {
    UPDATES.iter().any(|other| other.name == benchmark.name)
}

/// Bytes of an element: PAW counts in doubles.
pub(crate) const ELEMENT_BYTES: i64 = 8;

/// Pairs of ranks, of which PAW's guide counts the fastest.
pub(crate) const BY_PAIRS: Teamwork = Teamwork {
    ranks: Ranks::Pairs,
    combine: Combine::Slowest,
    guide: Combine::Fastest,
    series: Series::ByMethod,
    thread_level: None,
    carrier: Carrier::Mpi,
};

/// The ladder of messages, short enough to measure all MPI benchmarks in two minutes; PAW's is `n=1..1000000`.
pub(crate) const MESSAGES: Axis = Axis {
    name: axis::N,
    meaning: "elements of 8 bytes in a message",
    values: Values::Ints(&[1, 8, 64, 512, 4096, 32_768, 131_072]),
};

/// How ranks are paired. Launchers fill one node after the other: halves are then on different nodes, and neighbours on the same.
pub(crate) const PAIRS: Axis = Axis {
    name: axis::PAIRS,
    meaning: "rank i with rank i + P/2 (halves: off-node where nodes are filled one after the other), or 2i with 2i + 1 (adjacent: on-node)",
    values: Values::Words(&["halves", "adjacent"]),
};

/// How memory comes into a window. The word is MPI's: the attribute MPI_WIN_CREATE_FLAVOR.
pub(crate) const FLAVOR: Axis = Axis {
    name: axis::FLAVOR,
    meaning: "the window's memory: paw's, exposed (create: MPI_Win_create) or attached (dynamic: MPI_Win_attach), \
              or the library's (allocate: MPI_Win_allocate), all ranks sharing it (shared: MPI_Win_allocate_shared)",
    values: Values::Words(&[axis::CREATE, "allocate", "dynamic", "shared"]),
};

/// Facts of benchmarks of pairs whose messages may lie on devices.
pub(crate) const ANYWHERE: Common = Common { axes: &[MESSAGES, PAIRS, buffer::BUFFER], ..PAIRWISE };

/// Facts that benchmarks of pairs share.
pub(crate) const PAIRWISE: Common = Common {
    suite: SUITE,
    family: Family::Pairs,
    headline: Quantity::Bytes,
    providers: Providers::Mpi(BY_PAIRS),
    axes: &[MESSAGES, PAIRS],
    references: &[],
    variables: &["MIN_P2P_SIZE", "MED_P2P_SIZE", "MAX_P2P_SIZE", "PAW_MPI_LIBRARY"],
    threads: &[],
    by_name: false,
    counts_waits: false,
    memory_bytes: |point| 2.0 * ELEMENT_BYTES as f64 * point.float(axis::N).unwrap_or(0.0),
};
