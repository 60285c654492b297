//! Operations between two marks, timed by the device's clock and the host's.

use paw_foreign::device::{DeviceError, Gate, Mark, Queue};
use paw_measure::clock::Clock;

use crate::operation::{Operation, settle};

/// Largest possible ratio of a device's time to the host's.
const TOLERANCE: f64 = 1.05;

/// Operations behind a gate from which one goes ahead of the first mark: it takes the way out of the gate upon itself.
const LED_FROM: u64 = 8;

/// A region of a queue by two clocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Region {
    /// Seconds between the marks, by the device's clock.
    pub device_s: f64,
    /// Seconds around the marks, by the host's clock.
    pub host_s: f64,
}

impl Region {
    /// Whether the device's time is possible: positive, and no longer than the host's around it.
    pub fn can_be(&self) -> bool {
        self.device_s > 0.0 && self.device_s <= TOLERANCE * self.host_s
    }
}

/// `count` operations between marks.
///
/// # Errors
/// What the device refuses.
pub fn marked(operation: &mut dyn Operation, queue: &Queue, count: u64, clock: &Clock) -> Result<Region, DeviceError> {
    let start = clock.start();
    let begin = Marks::set(operation, queue)?;
    for _ in 0..count {
        operation.enqueue(queue)?;
    }
    let end = Marks::set(operation, queue)?;
    settle(operation, queue)?;
    let host_s = clock.seconds(start, clock.stop());
    Ok(Region { device_s: end.since_s(&begin)?, host_s })
}

/// `count` operations between marks behind a gate: they wait for each other only, not for the host.
///
/// # Errors
/// What the device refuses, and [`DeviceError::GateTimedOut`].
pub fn gated(operation: &mut dyn Operation, queue: &Queue, count: u64, clock: &Clock) -> Result<Region, DeviceError> {
    let gates = Gates::close(operation, queue)?;
    if count >= LED_FROM {
        operation.enqueue(queue)?;
    }
    let begin = Marks::set(operation, queue)?;
    for _ in 0..count {
        operation.enqueue(queue)?;
    }
    let end = Marks::set(operation, queue)?;
    queue.flush()?;
    operation.other_queue().map_or(Ok(()), Queue::flush)?;
    let start = clock.start();
    gates.open()?;
    settle(operation, queue)?;
    let host_s = clock.seconds(start, clock.stop());
    Ok(Region { device_s: end.since_s(&begin)?, host_s })
}

/// Empties queues whose gate has timed out, for the next sample.
pub(crate) fn clear(operation: &dyn Operation, queue: &Queue) -> Result<(), DeviceError> {
    let forgiven = |queue: &Queue| match queue.sync() {
        Err(DeviceError::GateTimedOut) => queue.sync(),
        other => other,
    };
    forgiven(queue)?;
    operation.other_queue().map_or(Ok(()), forgiven)
}

/// A mark in each queue of an operation.
struct Marks {
    first: Mark,
    other: Option<Mark>,
}

impl Marks {
    fn set(operation: &dyn Operation, queue: &Queue) -> Result<Self, DeviceError> {
        Ok(Self { first: queue.mark()?, other: operation.other_queue().map(Queue::mark).transpose()? })
    }

    /// Seconds from the first queue's beginning to the last one's end.
    fn since_s(&self, begin: &Marks) -> Result<f64, DeviceError> {
        let first_s = self.first.since_s(&begin.first)?;
        let (Some(other), Some(other_begin)) = (&self.other, &begin.other) else { return Ok(first_s) };
        let end_s = first_s.max(other.since_s(&begin.first)?);
        Ok(end_s - other_begin.since_s(&begin.first)?.min(0.0))
    }
}

/// A gate in each queue of an operation; gates open on drop.
struct Gates {
    first: Gate,
    other: Option<Gate>,
}

impl Gates {
    fn close(operation: &dyn Operation, queue: &Queue) -> Result<Self, DeviceError> {
        Ok(Self { first: queue.gate()?, other: operation.other_queue().map(Queue::gate).transpose()? })
    }

    fn open(self) -> Result<(), DeviceError> {
        let first = self.first.open();
        self.other.map_or(Ok(()), Gate::open)?;
        first
    }
}
