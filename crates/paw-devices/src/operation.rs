//! What is timed.

use paw_foreign::device::{DeviceError, Queue};

/// Something a queue can be given again and again: a copy, a launch, a product.
pub trait Operation {
    /// Queues it once.
    fn enqueue(&mut self, queue: &Queue) -> Result<(), DeviceError>;

    /// Whether it may stand behind a gate: it copies page-locked memory only, and neither allocates nor frees.
    fn may_be_gated(&self) -> bool;
}

/// When the host waits for the device, where the host's clock is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cadence {
    /// After each operation: what one costs a program that needs its result.
    Each,
    /// After the last: what many cost that are queued one behind the other.
    Batch,
}
