//! PAW's tests: what their sizes count, and the work of one iteration.
//!
//! The formulas are those of PAW 1.6's code; P is the number of processes, half of which are pairs. The SIZE column holds
//! bytes everywhere but in BLAS tests, also where a file's closing line counts elements.

use crate::quantity::Quantity;
use crate::work::Work;

/// One of PAW's tests.
#[derive(Debug)]
pub(super) struct Test {
    /// Name in file names, of any version; the first is the one runs have.
    pub names: &'static [&'static str],
    pub suite: &'static str,
    /// The axis that is the SIZE column.
    pub size: &'static str,
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
    blas(&["dgemm"], Formula::MatrixProduct),
    blas(&["sgemm"], Formula::MatrixProduct),
    blas(&["dgemv"], Formula::MatrixVector),
    blas(&["sgemv"], Formula::MatrixVector),
    blas(&["dgemm_single"], Formula::MatrixProduct),
    mpi(&["latency"], Formula::Time),
    Test { names: &["init"], suite: "mpi", size: "ranks", work: Formula::Time },
    mpi(&["allgather", "agtr"], Formula::SizeTimesAll),
    mpi(&["allreduce", "ardc"], Formula::SizeTimesAll),
    mpi(&["alltoall", "a2a"], Formula::SizeTimesAll),
    mpi(&["gather", "gtr"], Formula::SizeTimesAll),
    mpi(&["reduce", "rdc"], Formula::SizeTimesAll),
    mpi(&["bcast", "bct"], Formula::Size),
    mpi(&["scatter", "sct"], Formula::Size),
    mpi(&["acc"], Formula::SizeTimesOthers),
    mpi(&["accfence"], Formula::SizeTimesOthers),
    mpi(&["racc"], Formula::SizeTimesOthers),
    mpi(&["send"], Formula::SizeTimesPairs),
    mpi(&["isend"], Formula::SizeTimesPairs),
    mpi(&["isend_ping", "ping"], Formula::SizeTimesPairs),
    mpi(&["isend_bidir"], Formula::SizeTwiceTimesPairs),
    mpi(&["get"], Formula::SizeTimesPairs),
    mpi(&["put"], Formula::SizeTimesPairs),
    mpi(&["getfence"], Formula::SizeTimesPairs),
    mpi(&["putfence"], Formula::SizeTimesPairs),
    mpi(&["rget"], Formula::SizeTimesPairs),
    mpi(&["rput"], Formula::SizeTimesPairs),
    mpi(&["multitask"], Formula::SizeTimesPairs),
    mpi(&["mrate"], Formula::WindowTimesPairs),
    mpi(&["mrate_bidir"], Formula::WindowTimesPairs),
    Test { names: &["gpu_dgemm"], suite: "device", size: "n", work: Formula::MatrixProduct },
    Test { names: &["gpu_sgemm"], suite: "device", size: "n", work: Formula::MatrixProduct },
    Test { names: &["gpu_transfer"], suite: "device", size: "bytes", work: Formula::Size },
    Test { names: &["mic0", "mic1", "mic0+1"], suite: "device", size: "bytes", work: Formula::Size },
];

const fn blas(names: &'static [&'static str], work: Formula) -> Test {
    Test { names, suite: "blas", size: "n", work }
}

const fn mpi(names: &'static [&'static str], work: Formula) -> Test {
    Test { names, suite: "mpi", size: "bytes", work }
}

/// The test that a file name or a title names: `allgather`, `col_agtr`, `gpu_transfer_in_pinned`.
pub(super) fn find(name: &str) -> Option<&'static Test> {
    let bare = ["blas_", "col_", "p2p_", "mpi_"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
    let exact = TESTS.iter().find(|test| test.names.contains(&bare));
    // Transfers have their direction and memory behind.
    exact.or_else(|| {
        TESTS.iter().find(|t| t.suite == "device" && t.names.iter().any(|n| bare.starts_with(&format!("{n}_"))))
    })
}

impl Test {
    /// What runs call the test that a file calls `name`.
    pub fn benchmark(&self, name: &str) -> String {
        let bare = if self.suite == "device" { name } else { self.names[0] };
        bare.to_owned()
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
