//! Several devices at once, one thread each: they start together, and go on until each has done what was asked.
//!
//! Were each to do a fixed number and stop, the fast ones would end before the slow ones, and short runs would not meet at all.

use std::hint;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use paw_foreign::device::{DeviceError, Queue};
use paw_measure::clock::Clock;

use crate::operation::{IssueMode, Operation, most_at_once, settle};
use crate::window::Stamps;

/// Where threads that drive a device each meet.
pub struct SimultaneousRun {
    devices: usize,
    here: AtomicUsize,
    done: AtomicUsize,
    broken: AtomicBool,
}

/// What one device did.
pub struct DeviceStamps {
    /// Its start, and the end of each of its turns.
    pub stamps: Stamps,
    /// Operations in a turn.
    pub operations: u64,
}

impl SimultaneousRun {
    /// Of so many devices.
    pub fn of(devices: usize) -> Self {
        Self { devices, here: AtomicUsize::new(0), done: AtomicUsize::new(0), broken: AtomicBool::new(false) }
    }

    /// One device's part, on its own thread: waits for the others, then repeats `operation` until every device has done it at least
    /// `loops` times, or one is broken. With [`IssueMode::BackToBack`] a turn is as many operations as may be queued at once.
    ///
    /// # Errors
    /// What the device refuses; the others then stop as well.
    pub fn work(
        &self,
        operation: &mut dyn Operation,
        queue: &Queue,
        (loops, mode): (u64, IssueMode),
        clock: &Clock,
    ) -> Result<DeviceStamps, DeviceError> {
        let operations = match mode {
            IssueMode::Isolated => 1,
            IssueMode::BackToBack => most_at_once(operation).min(loops.max(1)),
        };
        let mut left = Some(loops.div_ceil(operations));
        let mut stamps = Stamps::with_capacity(2 * loops as usize + 2);
        self.wait();
        stamps.push(clock.now_s());
        while !self.is_over() {
            self.turn(operation, queue, operations)?;
            stamps.push(clock.now_s());
            left = left.and_then(|left| left.checked_sub(1));
            if left == Some(0) {
                self.done.fetch_add(1, Ordering::AcqRel);
                left = None;
            }
        }
        Ok(DeviceStamps { stamps, operations })
    }

    fn turn(&self, operation: &mut dyn Operation, queue: &Queue, operations: u64) -> Result<(), DeviceError> {
        let done = (0..operations).try_for_each(|_| operation.enqueue(queue)).and_then(|()| settle(operation, queue));
        if done.is_err() {
            self.broken.store(true, Ordering::Release);
        }
        done
    }

    fn is_over(&self) -> bool {
        self.done.load(Ordering::Acquire) == self.devices || self.broken.load(Ordering::Acquire)
    }

    /// Spins until all are here; now and then the processor is offered to the others, where there are fewer than devices.
    fn wait(&self) {
        self.here.fetch_add(1, Ordering::AcqRel);
        let mut spins = 0u32;
        while self.here.load(Ordering::Acquire) < self.devices {
            spins = spins.wrapping_add(1);
            if spins.is_multiple_of(1024) { thread::yield_now() } else { hint::spin_loop() }
        }
    }
}
