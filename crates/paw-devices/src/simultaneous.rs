//! Several devices at once, one thread each: they start together, and go on until the slowest has done its loops.
//!
//! With a fixed number each, fast devices would end before slow ones, and short runs would not overlap at all.

use std::hint;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use paw_foreign::device::{DeviceError, Queue};
use paw_measure::clock::Clock;

use crate::operation::{IssueMode, Operation, most_at_once, settle};
use crate::window::Stamps;

/// Room for stamps that is made at once; more loops, which a user may type, let it grow.
const STAMPS_FIRST: u64 = 1 << 20;

/// One run on several devices. Each driving thread joins it once.
pub struct SimultaneousRun {
    devices: usize,
    ready: AtomicUsize,
    /// Devices whose start is stamped.
    begun: AtomicUsize,
    done: AtomicUsize,
    broken: AtomicBool,
}

/// The turns of one device.
pub struct DeviceStamps {
    /// Its start, and the end of each of its turns.
    pub stamps: Stamps,
    /// Operations in a turn.
    pub operations: u64,
}

impl SimultaneousRun {
    /// A run on that many devices.
    pub fn of(devices: usize) -> Self {
        let none = || AtomicUsize::new(0);
        Self { devices, ready: none(), begun: none(), done: none(), broken: AtomicBool::new(false) }
    }

    /// Joins the run for one device, from the thread that drives it. Every thread must join before anything that can fail.
    pub fn join(&self) -> Participant<'_> {
        Participant { run: self, finished: false }
    }

    fn have_all_begun(&self) -> bool {
        self.begun.load(Ordering::Acquire) == self.devices
    }

    fn is_over(&self) -> bool {
        self.done.load(Ordering::Acquire) == self.devices || self.broken.load(Ordering::Acquire)
    }

    /// Spins until every participant is ready or one is gone; offers its processor now and then, as there may be fewer than devices.
    fn wait(&self) {
        self.ready.fetch_add(1, Ordering::AcqRel);
        let mut spins = 0u32;
        while self.ready.load(Ordering::Acquire) < self.devices && !self.broken.load(Ordering::Acquire) {
            spins = spins.wrapping_add(1);
            if spins.is_multiple_of(1024) { thread::yield_now() } else { hint::spin_loop() }
        }
    }
}

/// One device's share of a run. Dropped before its work is done (an error, a panic), it ends the run for all, so that no
/// participant waits for it.
#[must_use = "a participant that is dropped ends the run"]
pub struct Participant<'r> {
    run: &'r SimultaneousRun,
    finished: bool,
}

impl Participant<'_> {
    /// Waits for the others, then repeats `operation` until every device has done it at least `loops` times since all have begun, or
    /// one is gone: a thread may stand still between its wake and its start, and turns before the last start are beside nobody's. With
    /// [`IssueMode::BackToBack`] a turn is as many operations as may be queued at once.
    ///
    /// # Errors
    /// What the device refuses; the others then stop as well.
    pub fn work(
        mut self,
        operation: &mut dyn Operation,
        queue: &Queue,
        (loops, mode): (u64, IssueMode),
        clock: &Clock,
    ) -> Result<DeviceStamps, DeviceError> {
        let operations = match mode {
            IssueMode::Isolated => 1,
            IssueMode::BackToBack => most_at_once(operation).min(loops.max(1)),
        };
        let (asked, mut turns) = (loops.max(1).div_ceil(operations), 0);
        let mut stamps = Stamps::with_capacity((2 * loops + 2).min(STAMPS_FIRST) as usize);
        self.run.wait();
        stamps.push(clock.now_s());
        self.run.begun.fetch_add(1, Ordering::AcqRel);
        while !self.run.is_over() {
            let counts = self.run.have_all_begun();
            (0..operations).try_for_each(|_| operation.enqueue(queue))?;
            settle(operation, queue)?;
            stamps.push(clock.now_s());
            turns += u64::from(counts);
            if counts && turns == asked {
                self.run.done.fetch_add(1, Ordering::AcqRel);
            }
        }
        self.finished = true;
        Ok(DeviceStamps { stamps, operations })
    }
}

impl Drop for Participant<'_> {
    fn drop(&mut self) {
        if !self.finished {
            self.run.broken.store(true, Ordering::Release);
        }
    }
}
