//! Where time comes from.

use std::time::Instant;

/// Where time comes from. A timed region is `let start = clock.read_start(); …; clock.read_stop()`.
#[derive(Debug, Clone)]
pub enum Clock {
    /// The operating system's monotonic clock, counted from an origin.
    Monotonic(Instant),
}

impl Clock {
    /// Ticks before a region; later work cannot start before it.
    #[inline(always)]
    pub fn start(&self) -> u64 {
        match self {
            Clock::Monotonic(origin) => origin.elapsed().as_nanos() as u64,
        }
    }

    /// Ticks after a region; earlier work has ended.
    #[inline(always)]
    pub fn stop(&self) -> u64 {
        self.start()
    }

    /// Seconds between two readings.
    pub fn seconds(&self, start: u64, stop: u64) -> f64 {
        match self {
            Clock::Monotonic(_) => stop.wrapping_sub(start) as f64 * 1e-9,
        }
    }
}
