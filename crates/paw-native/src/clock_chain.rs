//! Chains of dependent instructions whose length in core cycles is known, to learn the core's clock.
//!
//! The additions take register operands: Intel cores since Golden Cove remove additions of small constants when they
//! rename registers, and such a chain would take no time at all.
#![allow(unsafe_code)]

mod busy_chain;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use std::arch::asm;

pub use busy_chain::{BusyChain, MULTIPLIES_PER_TURN};

/// Instructions in one turn of the loops; requests are rounded up to whole turns. The loop's own two instructions run
/// beside the chain and take no time of their own.
pub const STEPS_PER_TURN: u64 = 32;

/// Core cycles of one step of [`adds`]: integer addition has a latency of one cycle on every core of the last decades.
pub const ADD_CYCLES: f64 = 1.0;

/// Core cycles of one step of [`multiplies`], where that is the same on all cores of the architecture: three for the
/// 32-bit `imul r,r` of x86-64 (Intel since Nehalem, AMD since Zen; uops.info). AArch64 cores differ (2 to 5).
pub const MULTIPLY_CYCLES: Option<f64> = if cfg!(target_arch = "x86_64") { Some(3.0) } else { None };

/// Runs at least `steps` additions, each of which needs the result of the one before, and returns how many it ran.
pub fn adds(steps: u64) -> u64 {
    let turns = steps.div_ceil(STEPS_PER_TURN);
    if turns > 0 {
        add_turns(turns);
    }
    turns * STEPS_PER_TURN
}

/// Runs at least `steps` multiplications, each of which needs the result of the one before, and returns how many it
/// ran.
pub fn multiplies(steps: u64) -> u64 {
    let turns = steps.div_ceil(STEPS_PER_TURN);
    if turns > 0 {
        multiply_turns(turns);
    }
    turns * STEPS_PER_TURN
}

/// Runs `turns` chains of [`STEPS_PER_TURN`] additions and one multiplication, each of which needs the result of the one before.
pub fn adds_with_a_multiply(turns: u64) {
    if turns > 0 {
        mixed_turns(turns);
    }
}

#[cfg(target_arch = "x86_64")]
fn mixed_turns(turns: u64) {
    // SAFETY: the loop changes three registers that are declared, and the flags.
    unsafe {
        asm!("2:", ".rept 32", "add {x}, {y}", ".endr", "imul {x:e}, {y:e}", "dec {turns}", "jnz 2b",
            x = inout(reg) 1u64 => _, y = in(reg) 3u64, turns = inout(reg) turns => _, options(nomem, nostack))
    };
}

#[cfg(target_arch = "aarch64")]
fn mixed_turns(turns: u64) {
    // SAFETY: the loop changes three registers that are declared, and the flags.
    unsafe {
        asm!("2:", ".rept 32", "add {x}, {x}, {y}", ".endr", "mul {x}, {x}, {y}", "subs {turns}, {turns}, #1", "b.ne 2b",
            x = inout(reg) 1u64 => _, y = in(reg) 3u64, turns = inout(reg) turns => _, options(nomem, nostack))
    };
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn mixed_turns(turns: u64) {
    let mut x = 1u64;
    for _ in 0..turns {
        for _ in 0..STEPS_PER_TURN {
            x = std::hint::black_box(x.wrapping_add(3));
        }
        x = std::hint::black_box(x.wrapping_mul(3));
    }
}

#[cfg(target_arch = "x86_64")]
fn add_turns(turns: u64) {
    // SAFETY: the loop changes three registers that are declared, and the flags.
    unsafe {
        asm!("2:", ".rept 32", "add {x}, {y}", ".endr", "dec {turns}", "jnz 2b",
            x = inout(reg) 1u64 => _, y = in(reg) 3u64, turns = inout(reg) turns => _, options(nomem, nostack))
    };
}

#[cfg(target_arch = "x86_64")]
fn multiply_turns(turns: u64) {
    // SAFETY: the loop changes three registers that are declared, and the flags.
    unsafe {
        asm!("2:", ".rept 32", "imul {x:e}, {y:e}", ".endr", "dec {turns}", "jnz 2b",
            x = inout(reg) 1u64 => _, y = in(reg) 3u64, turns = inout(reg) turns => _, options(nomem, nostack))
    };
}

#[cfg(target_arch = "aarch64")]
fn add_turns(turns: u64) {
    // SAFETY: the loop changes three registers that are declared, and the flags.
    unsafe {
        asm!("2:", ".rept 32", "add {x}, {x}, {y}", ".endr", "subs {turns}, {turns}, #1", "b.ne 2b",
            x = inout(reg) 1u64 => _, y = in(reg) 3u64, turns = inout(reg) turns => _, options(nomem, nostack))
    };
}

#[cfg(target_arch = "aarch64")]
fn multiply_turns(turns: u64) {
    // SAFETY: the loop changes three registers that are declared, and the flags.
    unsafe {
        asm!("2:", ".rept 32", "mul {x}, {x}, {y}", ".endr", "subs {turns}, {turns}, #1", "b.ne 2b",
            x = inout(reg) 1u64 => _, y = in(reg) 3u64, turns = inout(reg) turns => _, options(nomem, nostack))
    };
}

/// Elsewhere the compiler is kept from joining the steps.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn add_turns(turns: u64) {
    let mut x = 1u64;
    for _ in 0..turns * STEPS_PER_TURN {
        x = std::hint::black_box(x.wrapping_add(3));
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn multiply_turns(turns: u64) {
    let mut x = 1u64;
    for _ in 0..turns * STEPS_PER_TURN {
        x = std::hint::black_box(x.wrapping_mul(3));
    }
}

#[cfg(test)]
mod tests {
    use super::{STEPS_PER_TURN, adds, multiplies};

    #[test]
    fn steps_are_rounded_up_to_whole_turns() {
        for chain in [adds, multiplies] {
            assert_eq!(chain(0), 0);
            assert_eq!(chain(1), STEPS_PER_TURN);
            assert_eq!(chain(1000), 1024);
        }
    }
}
