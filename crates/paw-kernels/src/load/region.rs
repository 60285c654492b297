//! The timed regions of a kernel: two clock readings, and calls between them.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use std::arch::asm;

use paw_measure::clock::Clock;

use crate::load::call::{Call, Ready};
use crate::load::flush::Lines;

/// How the calls of a region are made.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CallMode<'a> {
    /// One after the other.
    Throughput,
    /// Each begins when the last has ended.
    Fenced,
    /// Each is timed on its own, after these lines were flushed.
    Cold(&'a Lines),
}

/// Ticks of `clock` that `loops` calls take.
pub(crate) fn time(call: Call, mode: CallMode<'_>, loops: u64, clock: &Clock) -> u64 {
    match (call, mode) {
        (Call::Whole(ready), CallMode::Throughput) => throughput(ready, loops, clock),
        (Call::Whole(ready), CallMode::Fenced) => fenced(ready, loops, clock),
        (Call::Whole(ready), CallMode::Cold(lines)) => cold(ready, lines, loops, clock),
        (Call::All(ready), CallMode::Throughput) => throughput(ready, loops, clock),
        (Call::All(ready), CallMode::Fenced) => fenced(ready, loops, clock),
        (Call::All(ready), CallMode::Cold(lines)) => cold(ready, lines, loops, clock),
    }
}

/// Makes `calls` calls, as the warm-up does.
pub(crate) fn run(call: Call, calls: u64) {
    for _ in 0..calls {
        match call {
            Call::Whole(ready) => ready.call(),
            Call::All(ready) => ready.call(),
        }
    }
}

#[inline(never)]
fn throughput<R: Ready>(ready: R, loops: u64, clock: &Clock) -> u64 {
    let start = clock.start();
    for _ in 0..loops {
        ready.call();
    }
    let stop = clock.stop();
    stop.wrapping_sub(start)
}

#[inline(never)]
fn fenced<R: Ready>(ready: R, loops: u64, clock: &Clock) -> u64 {
    let start = clock.start();
    for _ in 0..loops {
        ready.call();
        fence();
    }
    let stop = clock.stop();
    stop.wrapping_sub(start)
}

#[inline(never)]
fn cold<R: Ready>(ready: R, lines: &Lines, loops: u64, clock: &Clock) -> u64 {
    let mut ticks = 0_u64;
    for _ in 0..loops {
        lines.flush();
        let start = clock.start();
        ready.call();
        let stop = clock.stop();
        ticks = ticks.wrapping_add(stop.wrapping_sub(start));
    }
    ticks
}

/// Nothing later begins before everything earlier has ended (Intel SDM vol. 2, LFENCE).
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn fence() {
    // SAFETY: the instruction orders what stands before and after it, and changes nothing.
    unsafe { asm!("lfence", options(nostack, preserves_flags)) };
}

/// Nothing later begins before everything earlier has ended (Arm ARM, B2.6.9 and B2.6.10: DSB waits for memory, ISB for the rest).
#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn fence() {
    // SAFETY: the instructions order what stands before and after them, and change nothing.
    unsafe { asm!("dsb sy", "isb", options(nostack, preserves_flags)) };
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn fence() {}
