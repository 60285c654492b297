//! The thread that empties rings while programs run.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::collector::{Age, Collector};
use super::sampled::Sampled;
use crate::ring::Ring;
use crate::sys::Mapping;

/// Longest time between two readings: rings are far from full after it at usual rates.
const INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// A thread that empties rings into counts.
#[derive(Debug)]
pub(super) struct Reader {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<Sampled>>,
}

impl Reader {
    /// Starts to read the `rings` of `events`.
    ///
    /// The thread starts after the events were opened, so that those that sample what is started later sample it too: it runs a few
    /// microseconds each interval, and has not executed a program, so that its events are off unless they are let by hand.
    pub fn start(events: Vec<File>, mut rings: Vec<Ring<Mapping>>, age: Age) -> io::Result<Self> {
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        let own = std::process::id();
        let thread = thread::Builder::new().name("sampler".to_owned()).spawn(move || {
            let mut collector = Collector::new(own, age);
            loop {
                // What was written before the end is read after it.
                let is_last = over.load(Ordering::Acquire);
                read(&mut rings, &mut collector);
                if is_last {
                    return collector.finish();
                }
                wait(&events);
            }
        })?;
        Ok(Self { is_over, thread: Some(thread) })
    }

    /// Reads what is left, and returns all that was found.
    pub fn finish(mut self) -> Sampled {
        self.end().unwrap_or_default()
    }

    fn end(&mut self) -> Option<Sampled> {
        self.is_over.store(true, Ordering::Release);
        self.thread.take()?.join().ok()
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.end();
    }
}

fn read(rings: &mut [Ring<Mapping>], collector: &mut Collector) {
    for ring in rings {
        if !ring.drain(|record| collector.take(record)) {
            collector.damaged();
        }
    }
    collector.end_reading();
}

/// Waits until a ring is half full, or for [`INTERVAL`].
fn wait(events: &[File]) {
    let mut polled: Vec<PollFd<'_>> =
        events.iter().map(|event| PollFd::from_borrowed_fd(event.as_fd(), PollFlags::IN)).collect();
    let woken = poll(&mut polled, Some(&INTERVAL));
    // An event whose process has ended is ready for ever: its ring is read by the interval alone.
    if woken.is_ok() && polled.iter().any(|event| event.revents().contains(PollFlags::HUP)) {
        thread::sleep(std::time::Duration::from_millis(20));
    }
}
