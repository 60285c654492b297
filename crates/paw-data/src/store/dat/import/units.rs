//! Units of a block's columns, decided by its version and test because labels were wrong.

use super::super::name::Content;
use super::block::{Block, BlockOrigin};

/// The unit of a block's columns, and a remark where the label names another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct UnitScale {
    /// SI units in one unit of the file.
    pub si: f64,
    pub remark: Option<&'static str>,
}

/// MPI rates count 2^20 from this version on.
const BINARY_SINCE: (u32, u32) = (1, 6);
/// Bytes, or messages, in what PAW 1.6 calls `MB` and `MIO`.
const BINARY: f64 = 1_048_576.0;

/// The unit of `block`, whose test belongs to `suite`.
pub(super) fn scale(block: &Block, suite: &str) -> UnitScale {
    match (block.origin, block.name.content) {
        (_, Content::Time) => time(block, suite),
        (_, Content::Flops) => plain(1e9),
        (BlockOrigin::Ours, _) => plain(1e6),
        (origin, _) if suite == "mpi" => messages(origin),
        _ if block.labels.contains("GFP/s") => {
            UnitScale { si: 1e6, remark: Some("the columns are labelled GFP/s and hold MB/s; they were read as MB/s.") }
        }
        _ => plain(1e6),
    }
}

fn time(block: &Block, suite: &str) -> UnitScale {
    let seconds = block.labels.contains("(s)");
    match suite {
        "device" if seconds && block.origin != BlockOrigin::Ours => UnitScale {
            si: 1e-6,
            remark: Some("the columns are labelled (s) and hold microseconds; they were read as such."),
        },
        "device" => plain(1e-6),
        _ if block.labels.contains("(us)") => plain(1e-6),
        _ if seconds || suite == "blas" || block.name.test == "init" => plain(1.0),
        _ => plain(1e-6),
    }
}

fn messages(origin: BlockOrigin) -> UnitScale {
    match origin {
        BlockOrigin::Paw(major, minor, _) if (major, minor) >= BINARY_SINCE => UnitScale {
            si: BINARY,
            remark: Some(
                "PAW 1.6 divides MPI rates by 2^20 and labels them MB/s or MIO/s; they were read as 2^20 per second.",
            ),
        },
        BlockOrigin::Unknown => UnitScale {
            si: 1e6,
            remark: Some(
                "no line names the version; MPI rates were read as 10^6 per second, as PAW had them before 1.6.",
            ),
        },
        _ => plain(1e6),
    }
}

fn plain(si: f64) -> UnitScale {
    UnitScale { si, remark: None }
}
