//! PAW's tests: what their sizes count, and the work of one iteration.
//!
//! The formulas are those of PAW 1.6's code; P is the number of processes, half of which are pairs. The SIZE column holds
//! bytes everywhere but in BLAS tests, also where a file's closing line counts elements; of transfers our own files have the
//! elements themselves, and say `SIZE` without `(B)`.

use crate::quantity::Quantity;
use crate::work::Work;

/// One of PAW's tests.
#[derive(Debug)]
pub(super) struct Test {
    /// Names in file names and titles, of any version.
    pub names: &'static [&'static str],
    /// Name in runs; empty where it is that of the file.
    pub benchmark: &'static str,
    pub suite: &'static str,
    /// The axis that is the SIZE column; empty where there is no ladder.
    pub size: &'static str,
    /// Bytes of one step of that axis.
    pub element_bytes: u32,
    pub work: Formula,
}

/// The work of one iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Formula {
    /// A call's time is all there is.
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

const TESTS: &[Test] = &[
    blas("dgemm", Formula::MatrixProduct),
    blas("sgemm", Formula::MatrixProduct),
    blas("dgemv", Formula::MatrixVector),
    blas("sgemv", Formula::MatrixVector),
    blas("dgemm_single", Formula::MatrixProduct),
    Test { size: "", element_bytes: 1, ..mpi("latency", &["latency"], Formula::Time) },
    Test { size: "ranks", element_bytes: 1, ..mpi("col_init", &["init"], Formula::Time) },
    mpi("allgather", &["allgather", "agtr"], Formula::SizeTimesAll),
    mpi("allreduce", &["allreduce", "ardc"], Formula::SizeTimesAll),
    mpi("alltoall", &["alltoall", "a2a"], Formula::SizeTimesAll),
    mpi("gather", &["gather", "gtr"], Formula::SizeTimesAll),
    mpi("reduce", &["reduce", "rdc"], Formula::SizeTimesAll),
    mpi("bcast", &["bcast", "bct"], Formula::Size),
    mpi("scatter", &["scatter", "sct"], Formula::Size),
    mpi("col_acc", &["acc"], Formula::SizeTimesOthers),
    mpi("col_acc_fence", &["accfence", "acc_fence"], Formula::SizeTimesOthers),
    mpi("col_racc", &["racc"], Formula::SizeTimesOthers),
    mpi("p2p_send", &["send"], Formula::SizeTimesPairs),
    mpi("p2p_isend", &["isend"], Formula::SizeTimesPairs),
    mpi("p2p_isend_ping", &["isend_ping", "ping"], Formula::SizeTimesPairs),
    mpi("p2p_isend_bidir", &["isend_bidir"], Formula::SizeTwiceTimesPairs),
    mpi("p2p_get", &["get"], Formula::SizeTimesPairs),
    mpi("p2p_put", &["put"], Formula::SizeTimesPairs),
    mpi("p2p_get_fence", &["getfence", "get_fence"], Formula::SizeTimesPairs),
    mpi("p2p_put_fence", &["putfence", "put_fence"], Formula::SizeTimesPairs),
    mpi("p2p_rget", &["rget"], Formula::SizeTimesPairs),
    mpi("p2p_rput", &["rput"], Formula::SizeTimesPairs),
    mpi("p2p_multitask", &["multitask"], Formula::SizeTimesPairs),
    mpi("p2p_mrate", &["mrate"], Formula::WindowTimesPairs),
    mpi("p2p_mrate_bidir", &["mrate_bidir"], Formula::WindowTimesPairs),
    device(&["gpu_dgemm"], Formula::MatrixProduct),
    device(&["gpu_sgemm"], Formula::MatrixProduct),
    Test { element_bytes: 4, ..device(&["gpu_transfer"], Formula::Size) },
    Test { element_bytes: 8, ..device(&["mic0", "mic1", "mic0+1", "phi"], Formula::Size) },
];

const fn blas(name: &'static str, work: Formula) -> Test {
    Test { names: &[], benchmark: name, suite: "blas", size: "n", element_bytes: 1, work }
}

/// Sizes of MPI tests are bytes in the files and doubles in runs.
const fn mpi(benchmark: &'static str, names: &'static [&'static str], work: Formula) -> Test {
    Test { names, benchmark, suite: "mpi", size: "n", element_bytes: 8, work }
}

const fn device(names: &'static [&'static str], work: Formula) -> Test {
    Test { names, benchmark: "", suite: "device", size: "n", element_bytes: 1, work }
}

/// The test that a file name or a title names: `allgather`, `col_agtr`, `gpu_transfer_in_pinned`.
pub(super) fn find(name: &str) -> Option<&'static Test> {
    let bare = ["blas_", "col_", "p2p_", "mpi_"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
    let exact = TESTS.iter().find(|test| test.benchmark == bare || test.names.contains(&bare));
    // Transfers have their direction and memory behind.
    exact.or_else(|| {
        TESTS.iter().find(|t| t.suite == "device" && t.names.iter().any(|n| bare.starts_with(&format!("{n}_"))))
    })
}

/// The numbers of the devices in the name of a file, `0+1`; the first alone where none stands there.
pub(super) fn devices(name: &str) -> &str {
    let numbers = match name.strip_prefix("mic") {
        Some(rest) => rest.split_once('_').map(|(numbers, _)| numbers),
        None => name.rsplit_once("_dev").map(|(_, numbers)| numbers),
    };
    numbers.unwrap_or("0")
}

impl Test {
    /// What runs call the test that a file calls `name`.
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

    /// Whether all ranks do the same call together. PAW has no barrier between two of them.
    pub fn is_collective(&self) -> bool {
        const COLLECTIVES: &[&str] = &["allgather", "allreduce", "alltoall", "gather", "reduce", "bcast", "scatter"];
        COLLECTIVES.contains(&self.benchmark)
    }

    /// What the rate of the test counts.
    pub fn headline(&self) -> Quantity {
        match self.work {
            Formula::Time => Quantity::Time,
            Formula::MatrixProduct | Formula::MatrixVector => Quantity::Flops,
            Formula::WindowTimesPairs => Quantity::Messages,
            _ => Quantity::Bytes,
        }
    }
}

impl Formula {
    /// As text, for the record.
    pub fn text(self) -> &'static str {
        match self {
            Formula::Time => "",
            Formula::MatrixProduct => "2N²(N+1)",
            Formula::MatrixVector => "2N(N+1)",
            Formula::Size => "size",
            Formula::SizeTimesAll => "size·P",
            Formula::SizeTimesOthers => "size·(P-1)",
            Formula::SizeTimesPairs => "size·P/2",
            Formula::SizeTwiceTimesPairs => "2·size·P/2",
            Formula::WindowTimesPairs => "window·P/2",
        }
    }

    /// The work of one iteration at `size` with `np` processes. Both counts of flops are PAW's: that is what its rates are.
    pub fn work(self, size: f64, np: u32, window: i64) -> Work {
        let all = f64::from(np);
        let pairs = f64::from(np / 2);
        let flops = |count: f64| Work { flops: count, flops_paw: count, ..Work::default() };
        let bytes = |bytes: f64| Work { bytes, ..Work::default() };
        match self {
            Formula::Time => Work::default(),
            Formula::MatrixProduct => flops(2.0 * size * size * (size + 1.0)),
            Formula::MatrixVector => flops(2.0 * size * (size + 1.0)),
            Formula::Size => bytes(size),
            Formula::SizeTimesAll => bytes(size * all),
            Formula::SizeTimesOthers => bytes(size * (all - 1.0).max(0.0)),
            Formula::SizeTimesPairs => bytes(size * pairs),
            Formula::SizeTwiceTimesPairs => bytes(2.0 * size * pairs),
            Formula::WindowTimesPairs => Work { messages: window as f64 * pairs, ..Work::default() },
        }
    }
}
