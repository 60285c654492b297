//! The timed regions of a kernel: two clock readings, and calls between them.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use std::arch::asm;

use paw_measure::clock::Clock;

use crate::load::call::{Call, Ready};
use crate::load::flush::Lines;

/// How the calls of a region are made.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CallMode {
    /// One after the other.
    Throughput,
    /// Each begins when the last has ended, by a fence.
    Fenced,
    /// Each is timed on its own, after the lines of the arrays were flushed.
    Cold,
}

/// Ticks of `clock` that `loops` calls take; `lines` are those of the arrays that the call is made with.
///
/// # Safety
/// As for [`Ready::call`], at each of the calls.
pub(crate) unsafe fn time(call: Call, mode: CallMode, lines: &Lines<'_>, loops: u64, clock: &Clock) -> u64 {
    match (call, mode) {
        // SAFETY: the caller's contract.
        (Call::Integers(ready), CallMode::Throughput) => unsafe { throughput(ready, loops, clock) },
        // SAFETY: the caller's contract.
        (Call::Integers(ready), CallMode::Fenced) => unsafe { fenced(ready, loops, clock) },
        // SAFETY: the caller's contract.
        (Call::Integers(ready), CallMode::Cold) => unsafe { cold(ready, lines, loops, clock) },
        // SAFETY: the caller's contract.
        (Call::All(ready), CallMode::Throughput) => unsafe { throughput(ready, loops, clock) },
        // SAFETY: the caller's contract.
        (Call::All(ready), CallMode::Fenced) => unsafe { fenced(ready, loops, clock) },
        // SAFETY: the caller's contract.
        (Call::All(ready), CallMode::Cold) => unsafe { cold(ready, lines, loops, clock) },
    }
}

/// Makes `calls` calls, as the warm-up does.
///
/// # Safety
/// As for [`Ready::call`], at each of the calls.
pub(crate) unsafe fn run(call: Call, calls: u64) {
    for _ in 0..calls {
        match call {
            // SAFETY: the caller's contract.
            Call::Integers(ready) => unsafe { ready.call() },
            // SAFETY: the caller's contract.
            Call::All(ready) => unsafe { ready.call() },
        }
    }
}

#[inline(never)]
unsafe fn throughput<R: Ready>(ready: R, loops: u64, clock: &Clock) -> u64 {
    let start = clock.start();
    for _ in 0..loops {
        // SAFETY: the caller's contract.
        unsafe { ready.call() };
    }
    let stop = clock.stop();
    stop.wrapping_sub(start)
}

#[inline(never)]
unsafe fn fenced<R: Ready>(ready: R, loops: u64, clock: &Clock) -> u64 {
    let start = clock.start();
    for _ in 0..loops {
        // SAFETY: the caller's contract.
        unsafe { ready.call() };
        fence();
    }
    let stop = clock.stop();
    stop.wrapping_sub(start)
}

#[inline(never)]
unsafe fn cold<R: Ready>(ready: R, lines: &Lines<'_>, loops: u64, clock: &Clock) -> u64 {
    let mut ticks = 0_u64;
    for _ in 0..loops {
        lines.flush();
        let start = clock.start();
        // SAFETY: the caller's contract.
        unsafe { ready.call() };
        let stop = clock.stop();
        ticks = ticks.wrapping_add(stop.wrapping_sub(start));
    }
    ticks
}

/// Waits until all earlier instructions have completed before any later one begins (Intel SDM vol. 2, LFENCE).
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn fence() {
    // SAFETY: the instruction orders what comes before and after it, and changes nothing.
    unsafe { asm!("lfence", options(nostack, preserves_flags)) };
}

/// Waits until all earlier instructions have completed (Arm ARM, B2.6.9 and B2.6.10: DSB waits for memory, ISB for the rest).
#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn fence() {
    // SAFETY: the instructions order what comes before and after them, and change nothing.
    unsafe { asm!("dsb sy", "isb", options(nostack, preserves_flags)) };
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn fence() {}
