//! PAW's tests: what their sizes count, and the work of one iteration.
//!
//! The formulas are those of PAW 1.6's code; P is the number of processes: P/2 pairs. The SIZE column holds
//! bytes everywhere but in BLAS tests, also where a file's closing line counts elements; of transfers our own files have the
//! elements themselves, and say `SIZE` without `(B)`.

use crate::axis;
use crate::quantity::Quantity;
use crate::work::Work;

/// One of PAW's tests.
#[derive(Debug)]
pub(super) struct PawTest {
    /// Names in file names and titles, of any version.
    pub names: &'static [&'static str],
    /// Name in runs; empty where it is that of the file.
    pub benchmark: &'static str,
    pub suite: &'static str,
    /// The axis in the SIZE column; empty where there is no ladder.
    pub size: &'static str,
    /// Bytes of one step of that axis.
    pub element_bytes: u32,
    pub work: WorkRule,
}

/// The work of one iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WorkRule {
    /// No rate: a call has a time only.
    Time,
    /// 2N²(N+1) operations.
    MatrixProduct,
    /// 2N(N+1) operations.
    MatrixVector,
    /// Size in bytes.
    Size,
    /// Size × P.
    SizeTimesAll,
    /// Size × (P - 1).
    SizeTimesOthers,
    /// Size × pairs.
    SizeTimesPairs,
    /// 2 × size × pairs.
    SizeTwiceTimesPairs,
    /// Window × pairs messages.
    WindowTimesPairs,
}

const TESTS: &[PawTest] = &[
    blas("dgemm", WorkRule::MatrixProduct),
    blas("sgemm", WorkRule::MatrixProduct),
    blas("dgemv", WorkRule::MatrixVector),
    blas("sgemv", WorkRule::MatrixVector),
    blas("dgemm_single", WorkRule::MatrixProduct),
    PawTest { size: "", element_bytes: 1, ..mpi("latency", &["latency"], WorkRule::Time) },
    PawTest { size: axis::RANKS, element_bytes: 1, ..mpi("col_init", &["init"], WorkRule::Time) },
    mpi("allgather", &["allgather", "agtr"], WorkRule::SizeTimesAll),
    mpi("allreduce", &["allreduce", "ardc"], WorkRule::SizeTimesAll),
    mpi("alltoall", &["alltoall", "a2a"], WorkRule::SizeTimesAll),
    mpi("gather", &["gather", "gtr"], WorkRule::SizeTimesAll),
    mpi("reduce", &["reduce", "rdc"], WorkRule::SizeTimesAll),
    mpi("bcast", &["bcast", "bct"], WorkRule::Size),
    mpi("scatter", &["scatter", "sct"], WorkRule::Size),
    mpi("col_acc", &["acc"], WorkRule::SizeTimesOthers),
    mpi("col_acc_fence", &["accfence", "acc_fence"], WorkRule::SizeTimesOthers),
    mpi("col_racc", &["racc"], WorkRule::SizeTimesOthers),
    mpi("p2p_send", &["send"], WorkRule::SizeTimesPairs),
    mpi("p2p_isend", &["isend"], WorkRule::SizeTimesPairs),
    mpi("p2p_isend_ping", &["isend_ping", "ping"], WorkRule::SizeTimesPairs),
    mpi("p2p_isend_bidir", &["isend_bidir"], WorkRule::SizeTwiceTimesPairs),
    mpi("p2p_get", &["get"], WorkRule::SizeTimesPairs),
    mpi("p2p_put", &["put"], WorkRule::SizeTimesPairs),
    mpi("p2p_get_fence", &["getfence", "get_fence"], WorkRule::SizeTimesPairs),
    mpi("p2p_put_fence", &["putfence", "put_fence"], WorkRule::SizeTimesPairs),
    mpi("p2p_rget", &["rget"], WorkRule::SizeTimesPairs),
    mpi("p2p_rput", &["rput"], WorkRule::SizeTimesPairs),
    mpi("p2p_multitask", &["multitask"], WorkRule::SizeTimesPairs),
    mpi("p2p_mrate", &["mrate"], WorkRule::WindowTimesPairs),
    mpi("p2p_mrate_bidir", &["mrate_bidir"], WorkRule::WindowTimesPairs),
    device(&["gpu_dgemm"], WorkRule::MatrixProduct),
    device(&["gpu_sgemm"], WorkRule::MatrixProduct),
    PawTest { element_bytes: 4, ..device(&["gpu_transfer"], WorkRule::Size) },
    PawTest { element_bytes: 8, ..device(&["mic0", "mic1", "mic0+1", "phi"], WorkRule::Size) },
];

const fn blas(name: &'static str, work: WorkRule) -> PawTest {
    PawTest { names: &[], benchmark: name, suite: "blas", size: axis::N, element_bytes: 1, work }
}

/// Sizes of MPI tests are bytes in the files and doubles in runs.
const fn mpi(benchmark: &'static str, names: &'static [&'static str], work: WorkRule) -> PawTest {
    PawTest { names, benchmark, suite: "mpi", size: axis::N, element_bytes: 8, work }
}

const fn device(names: &'static [&'static str], work: WorkRule) -> PawTest {
    PawTest { names, benchmark: "", suite: "device", size: axis::N, element_bytes: 1, work }
}

/// The test that a file name or a title names: `allgather`, `col_agtr`, `gpu_transfer_in_pinned`.
pub(super) fn find(name: &str) -> Option<&'static PawTest> {
    let bare = ["blas_", "col_", "p2p_", "mpi_"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
    let exact = TESTS.iter().find(|test| test.benchmark == bare || test.names.contains(&bare));
    // A transfer's name ends with direction and memory.
    exact.or_else(|| {
        TESTS.iter().find(|t| t.suite == "device" && t.names.iter().any(|n| bare.starts_with(&format!("{n}_"))))
    })
}

/// The numbers of the devices in the name of a file, `0+1`; 0 where the name has none.
pub(super) fn devices(name: &str) -> &str {
    let numbers = match name.strip_prefix("mic") {
        Some(rest) => rest.split_once('_').map(|(numbers, _)| numbers),
        None => name.rsplit_once("_dev").map(|(_, numbers)| numbers),
    };
    numbers.unwrap_or("0")
}

impl PawTest {
    /// The benchmark's name in a run, for the test that a `.dat` file calls `name`.
    pub fn benchmark(&self, name: &str) -> String {
        if !self.benchmark.is_empty() {
            return self.benchmark.to_owned();
        }
        let name = name.rsplit_once("_dev").map_or(name, |(name, _)| name);
        match (name.strip_prefix("gpu_transfer_"), name.strip_prefix("mic").and_then(|rest| rest.split_once('_'))) {
            (Some(transfer), _) => format!("gpu_{transfer}"),
            (_, Some((_, transfer))) => format!("phi_{transfer}"),
            _ => name.to_owned(),
        }
    }

    /// Whether all ranks do the same call together.
    fn is_collective(&self) -> bool {
        const COLLECTIVES: &[&str] = &["allgather", "allreduce", "alltoall", "gather", "reduce", "bcast", "scatter"];
        COLLECTIVES.contains(&self.benchmark)
    }

    /// Whether exactly two ranks take part.
    pub fn is_of_two(&self) -> bool {
        self.benchmark == "latency"
    }

    /// What PAW does where runs tell one variant of the test from others: it calls collectives and accumulations without a barrier between
    /// two of them, sends the message that it times one way forward, and has one buffer for all messages of a window.
    pub fn variants(&self) -> &'static [(&'static str, &'static str)] {
        match self.work {
            _ if self.is_collective() => &[(axis::CADENCE, axis::STREAMING)],
            WorkRule::SizeTimesOthers => &[(axis::CADENCE, axis::STREAMING)],
            WorkRule::WindowTimesPairs => &[(axis::BUFFERS, axis::ONE)],
            _ if self.benchmark == "p2p_isend_ping" => &[(axis::DIRECTION, axis::FORWARD)],
            _ => &[],
        }
    }

    /// What the rate of the test counts.
    pub fn headline(&self) -> Quantity {
        match self.work {
            WorkRule::Time => Quantity::Time,
            _ if self.is_collective() => Quantity::Time,
            WorkRule::MatrixProduct | WorkRule::MatrixVector => Quantity::Flops,
            WorkRule::WindowTimesPairs => Quantity::Messages,
            _ => Quantity::Bytes,
        }
    }
}

impl WorkRule {
    /// As text, for the record.
    pub fn text(self) -> &'static str {
        match self {
            WorkRule::Time => "",
            WorkRule::MatrixProduct => "2N²(N+1)",
            WorkRule::MatrixVector => "2N(N+1)",
            WorkRule::Size => "size",
            WorkRule::SizeTimesAll => "size·P",
            WorkRule::SizeTimesOthers => "size·(P-1)",
            WorkRule::SizeTimesPairs => "size·P/2",
            WorkRule::SizeTwiceTimesPairs => "2·size·P/2",
            WorkRule::WindowTimesPairs => "window·P/2",
        }
    }

    /// The work of one iteration at `size` with `np` processes. Both counts of flops are PAW's: that is what its rates are.
    pub fn work(self, size: f64, np: u32, window: i64) -> Work {
        let all = f64::from(np);
        let pairs = f64::from(np / 2);
        let flops = |count: f64| Work { flops: count, flops_paw: count, ..Work::default() };
        let bytes = |bytes: f64| Work { bytes, ..Work::default() };
        match self {
            WorkRule::Time => Work::default(),
            WorkRule::MatrixProduct => flops(2.0 * size * size * (size + 1.0)),
            WorkRule::MatrixVector => flops(2.0 * size * (size + 1.0)),
            WorkRule::Size => bytes(size),
            WorkRule::SizeTimesAll => bytes(size * all),
            WorkRule::SizeTimesOthers => bytes(size * (all - 1.0).max(0.0)),
            WorkRule::SizeTimesPairs => bytes(size * pairs),
            WorkRule::SizeTwiceTimesPairs => bytes(2.0 * size * pairs),
            WorkRule::WindowTimesPairs => Work { messages: window as f64 * pairs, ..Work::default() },
        }
    }
}
