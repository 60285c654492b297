//! The clocks that time regions.

use std::time::Instant;

use paw_data::run::ClockKind;

use crate::fault::Fault;

pub mod scripted;
pub mod tsc;

use scripted::Script;
use tsc::Tsc;

/// A clock. A timed region is `let start = clock.start(); …; let stop = clock.stop();`
/// and lasted `clock.seconds(start, stop)`. Overhead is never subtracted.
#[derive(Debug, Clone)]
pub enum Clock {
    /// The operating system's monotonic clock, in integer nanoseconds from an origin.
    ///
    /// On Linux [`Instant`] is `CLOCK_MONOTONIC` read through the vDSO: no system call, no step when the date is set,
    /// and an opaque call that the compiler moves no memory access across.
    Monotonic(Instant),
    /// The processor's time-stamp counter, fenced and calibrated: reference ticks, not core cycles.
    Tsc(Tsc),
    /// Time that a test writes.
    Scripted(Script),
}

impl Clock {
    /// The operating system's monotonic clock, counted from now.
    pub fn monotonic() -> Self {
        Clock::Monotonic(Instant::now())
    }

    /// The time-stamp counter, calibrated now: takes a third of a second. The error says why the counter cannot be trusted on this
    /// machine.
    pub fn tsc() -> Result<Self, Fault> {
        Tsc::calibrated().map(Clock::Tsc)
    }

    /// Ticks before a region; later work cannot start before it.
    #[inline(always)]
    pub fn start(&self) -> u64 {
        match self {
            Clock::Monotonic(origin) => origin.elapsed().as_nanos() as u64,
            Clock::Tsc(_) => tsc::start(),
            Clock::Scripted(script) => script.read(),
        }
    }

    /// Ticks after a region; earlier work has ended.
    #[inline(always)]
    pub fn stop(&self) -> u64 {
        match self {
            Clock::Monotonic(origin) => origin.elapsed().as_nanos() as u64,
            Clock::Tsc(_) => tsc::stop(),
            Clock::Scripted(script) => script.read(),
        }
    }

    /// Seconds between two readings.
    pub fn seconds(&self, start: u64, stop: u64) -> f64 {
        let ticks = stop.wrapping_sub(start) as f64;
        match self {
            Clock::Monotonic(_) => ticks / 1e9,
            Clock::Tsc(tsc) => ticks / tsc.hz(),
            Clock::Scripted(_) => ticks / scripted::TICKS_PER_SECOND,
        }
    }

    /// Seconds since the clock's own zero.
    pub fn now_s(&self) -> f64 {
        self.seconds(0, self.start())
    }

    /// Spins until the clock shows `moment_s`, in seconds since its own zero; returns the first reading at or after it.
    #[inline]
    pub fn wait_until_s(&self, moment_s: f64) -> f64 {
        loop {
            let now_s = self.now_s();
            if now_s >= moment_s {
                return now_s;
            }
            match self {
                Clock::Monotonic(_) | Clock::Tsc(_) => std::hint::spin_loop(),
                Clock::Scripted(script) => script.wait(moment_s - now_s),
            }
        }
    }

    /// Which clock this is, as the run records it.
    pub fn kind(&self) -> ClockKind {
        match self {
            Clock::Monotonic(_) => ClockKind::Monotonic,
            Clock::Tsc(_) => ClockKind::Tsc,
            Clock::Scripted(_) => ClockKind::Scripted,
        }
    }

    /// Ticks per second, where the clock counts ticks.
    pub fn hz(&self) -> Option<f64> {
        match self {
            Clock::Tsc(tsc) => Some(tsc.hz()),
            Clock::Monotonic(_) | Clock::Scripted(_) => None,
        }
    }
}
