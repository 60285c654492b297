//! Twice the steps of a chain take twice the time, and a load from the first-level cache takes a whole number of cycles.

use std::rc::Rc;

use paw_native::clock_chain::ADD_CYCLES;

use super::check::{Check, Evidence, Limits, Row};
use super::machine::{Machine, Work};
use super::steady::{self, WorkRegion};

/// The chain of additions.
pub const ADDS: Check = Check {
    rows: &[Row { name: "adds: twice the steps", unit: "x", expected: 2.0, limits: Limits::Within(0.01), decimals: 3 }],
    evidence: Evidence::Timed,
    measure: |machine| twice(machine, Work::Adds).map(|ratio| vec![ratio]),
};

/// The pointer chase.
pub const CHASE: Check = Check {
    rows: &[
        Row {
            name: "pointer chase: twice the steps",
            unit: "x",
            expected: 2.0,
            limits: Limits::Within(0.01),
            decimals: 3,
        },
        Row {
            name: "pointer chase in L1",
            unit: "cycles",
            expected: 4.0,
            limits: Limits::Between(2.9, 6.1),
            decimals: 2,
        },
        Row { name: "  off a whole number by", unit: "cycles", expected: 0.06, limits: Limits::AtMost, decimals: 2 },
    ],
    evidence: Evidence::Timed,
    measure: chase,
};

/// Steps whose region hides the cost of two clock readings behind a thousandth, and is shorter than the time between two interrupts.
const STEPS: u64 = 320_000;

fn twice(machine: &Rc<dyn Machine>, work: Work) -> Result<f64, String> {
    let steps = if work == Work::Chase { STEPS / 4 } else { STEPS };
    steady::ratio(machine, WorkRegion { work, steps }, WorkRegion { work, steps: 2 * steps })
}

fn chase(machine: &Rc<dyn Machine>) -> Result<Vec<f64>, String> {
    let twice = twice(machine, Work::Chase)?;
    let adds = WorkRegion { work: Work::Adds, steps: STEPS };
    let loads = WorkRegion { work: Work::Chase, steps: STEPS / 4 };
    let cycles = steady::ratio(machine, adds, loads)? * 4.0 * ADD_CYCLES;
    Ok(vec![twice, cycles, (cycles - cycles.round()).abs()])
}
