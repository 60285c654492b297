//! Checks that twice the steps of a chain take twice the time, and that a load from the first-level cache takes a whole number of
//! cycles.

use std::rc::Rc;

use paw_native::clock_chain::ADD_CYCLES;

use super::check::{Check, Limits, Row};
use super::machine::{Machine, Work};
use super::steady::{self, WorkRegion};

/// The chain of additions.
pub const ADDS: Check =
    Check::timed(&[Row::new("adds: twice the steps", "x", 2.0, Limits::Within(0.01), 3)], |machine| {
        twice(machine, Work::Adds).map(|ratio| vec![ratio])
    });

/// The pointer chase.
pub const CHASE: Check = Check::timed(
    &[
        Row::new("pointer chase: twice the steps", "x", 2.0, Limits::Within(0.01), 3),
        Row::new("pointer chase in L1", "cycles", 4.0, Limits::Between(2.9, 6.1), 2),
        Row::at_most("  off a whole number by", "cycles", 0.06, 2),
    ],
    chase,
);

/// Steps whose region hides the cost of two clock readings behind a thousandth, and is shorter than the time between two interrupts.
const STEPS: u64 = 320_000;

fn twice(machine: &Rc<dyn Machine>, work: Work) -> Result<f64, String> {
    let steps = if work == Work::Chase { STEPS / 4 } else { STEPS };
    steady::ratio(machine, WorkRegion { work, steps }, WorkRegion { work, steps: 2 * steps })
}

fn chase(machine: &Rc<dyn Machine>) -> Result<Vec<f64>, String> {
    let twice = twice(machine, Work::Chase)?;
    let cycles = load_cycles(machine)?;
    Ok(vec![twice, cycles, (cycles - cycles.round()).abs()])
}

/// Core cycles of a load of the chase.
pub fn load_cycles(machine: &Rc<dyn Machine>) -> Result<f64, String> {
    let adds = WorkRegion { work: Work::Adds, steps: STEPS };
    let loads = WorkRegion { work: Work::Chase, steps: STEPS / 4 };
    Ok(steady::ratio(machine, adds, loads)? * 4.0 * ADD_CYCLES)
}
