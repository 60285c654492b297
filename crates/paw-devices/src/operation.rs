//! Operations on a device: the work that is timed.

use paw_foreign::device::{DeviceError, Queue};

/// Work that can be queued repeatedly: a copy, a launch, a product.
pub trait Operation {
    /// Queues the operation once.
    fn enqueue(&mut self, queue: &Queue) -> Result<(), DeviceError>;

    /// Whether the operation may be queued behind a gate: it copies page-locked memory only, and neither allocates nor frees.
    fn may_be_gated(&self) -> bool;

    /// Whether marks in the queue enclose all of it; not if it allocates or frees, which happens outside the queue.
    fn may_be_marked(&self) -> bool {
        true
    }

    /// How many commands it queues at once.
    fn commands(&self) -> u64 {
        1
    }

    /// The device's second queue, if it uses two at once.
    fn other_queue(&self) -> Option<&Queue> {
        None
    }
}

/// When the host waits for the device, if the host's clock is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IssueMode {
    /// After each operation: the cost to a program that needs the result.
    Isolated,
    /// After the last: the cost of many operations queued in a row.
    BackToBack,
}

/// Waits until all that `operation` queued is done.
#[inline]
pub(crate) fn settle(operation: &dyn Operation, queue: &Queue) -> Result<(), DeviceError> {
    queue.sync()?;
    operation.other_queue().map_or(Ok(()), Queue::sync)
}

/// How many times `operation` may be queued before the host waits: a full queue blocks the host, which must never
/// happen behind a gate. CUDA's holds about a thousand commands.
pub(crate) fn most_at_once(operation: &dyn Operation) -> u64 {
    const COMMANDS_MAX: u64 = 500;
    (COMMANDS_MAX / operation.commands().max(1)).max(1)
}
