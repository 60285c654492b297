//! Precision of a benchmark's arithmetic.

use serde::{Deserialize, Serialize};

/// The precision of the operations that a benchmark counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 64-bit floating-point numbers.
    Double,
    /// 32-bit floating-point numbers.
    Single,
    /// Fewer bits, or whole numbers.
    Reduced,
}
