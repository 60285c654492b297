//! Quantities that a number can count, and their units.

use serde::{Deserialize, Serialize};

/// What a benchmark's headline number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Quantity {
    /// Seconds of one operation; smaller is better.
    Time,
    /// Floating-point operations per second.
    Flops,
    /// Bytes per second.
    Bytes,
    /// Messages per second.
    Messages,
    /// Random updates of memory per second.
    Updates,
    /// Core cycles per second, counted by a chain of known latency.
    Cycles,
}

impl Quantity {
    /// The SI unit of a value of this quantity, without prefix.
    pub fn unit(self) -> &'static str {
        match self {
            Quantity::Time => "s",
            Quantity::Flops => "FLOP/s",
            Quantity::Bytes => "B/s",
            Quantity::Messages => "messages/s",
            Quantity::Updates => "updates/s",
            Quantity::Cycles => "Hz",
        }
    }

    /// Whether a larger value is the better one.
    pub fn more_is_better(self) -> bool {
        self != Quantity::Time
    }
}
