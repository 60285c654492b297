//! Three numbers a sample: the host's clock around synchronised operations, the device's own clock, and the device's clock
//! behind a gate.

use paw_foreign::device::{DeviceError, Queue};
use paw_measure::clock::Clock;

use crate::operation::{Cadence, Operation};

/// Extra reading: seconds of all loops by the device's clock.
pub const EVENT: &str = "event_s";
/// Extra reading: seconds of all loops by the device's clock, behind a gate.
pub const GATED: &str = "gated_s";

/// What a sample of so many loops took, by each clock; all three are of as many loops.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Measured {
    /// By the host's clock.
    pub host_s: f64,
    /// By the device's own, where it can be believed.
    pub event_s: Option<f64>,
    /// By the device's own behind a gate, where one is legal.
    pub gated_s: Option<f64>,
}

impl Measured {
    /// What stands beside the headline.
    pub fn extra(&self) -> Vec<(String, f64)> {
        let named = [(EVENT, self.event_s), (GATED, self.gated_s)];
        named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }
}

/// How samples of one operation are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// When the host waits.
    pub cadence: Cadence,
    /// Whether the device's clock can be believed.
    pub trusts_marks: bool,
    /// Whether the device has a gate that works.
    pub has_gate: bool,
}

impl Timing {
    /// Times `loops` times `operation` by every clock that can be had.
    pub fn sample(
        &self,
        operation: &mut dyn Operation,
        queue: &Queue,
        loops: u64,
        clock: &Clock,
    ) -> Result<Measured, DeviceError> {
        let start = clock.start();
        for _ in 0..loops {
            operation.enqueue(queue)?;
            if self.cadence == Cadence::Each {
                queue.sync()?;
            }
        }
        queue.sync()?;
        let host_s = clock.seconds(start, clock.stop());
        Ok(Measured { host_s, event_s: None, gated_s: None })
    }
}
