//! What is timed.

use paw_foreign::device::{DeviceError, Queue};

/// Something a queue can be given again and again: a copy, a launch, a product.
pub trait Operation {
    /// Queues it once.
    fn enqueue(&mut self, queue: &Queue) -> Result<(), DeviceError>;

    /// Whether it may stand behind a gate: it copies page-locked memory only, and neither allocates nor frees.
    fn may_be_gated(&self) -> bool;

    /// Whether marks in the queue enclose all of it. Not where it allocates or frees, which is no matter of the queue.
    fn may_be_marked(&self) -> bool {
        true
    }

    /// How many commands it queues at once.
    fn commands(&self) -> u64 {
        1
    }

    /// The second queue of the same device that it fills too, where it works on two at once.
    fn other_queue(&self) -> Option<&Queue> {
        None
    }
}

/// When the host waits for the device, where the host's clock is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IssueMode {
    /// After each operation: what one costs a program that needs its result.
    Isolated,
    /// After the last: what many cost that are queued one behind the other.
    BackToBack,
}

/// Waits until all that `operation` queued is done.
#[inline]
pub(crate) fn settle(operation: &dyn Operation, queue: &Queue) -> Result<(), DeviceError> {
    queue.sync()?;
    operation.other_queue().map_or(Ok(()), Queue::sync)
}

/// How many times `operation` may be queued before the host waits: a queue that is full blocks the host, which must never
/// happen behind a gate. CUDA's holds about a thousand commands.
pub(crate) fn most_at_once(operation: &dyn Operation) -> u64 {
    const COMMANDS_MAX: u64 = 500;
    (COMMANDS_MAX / operation.commands().max(1)).max(1)
}
