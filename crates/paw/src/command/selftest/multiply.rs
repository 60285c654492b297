//! A dependent multiplication takes a known number of core cycles, counted by a chain of additions of one cycle each.

use std::rc::Rc;

use paw_native::clock_chain::ADD_CYCLES;

use super::check::{Check, Evidence, Limits, Row};
use super::machine::{Machine, Work};
use super::steady::{self, WorkRegion};

/// The check.
pub const CHECK: Check = Check {
    rows: &[Row::new("dependent multiply", "cycles", 3.0, Limits::Within(0.03), 2)],
    evidence: Evidence::Timed,
    measure,
};

/// Additions of a region, and multiplications of one as long: so the clock's own cost cancels.
const ADDS: u64 = 96_000;
const MULTIPLIES: u64 = 32_000;

fn measure(machine: &Rc<dyn Machine>) -> Result<Vec<f64>, String> {
    machine.multiply_cycles().ok_or("no latency of a multiplication is known for all processors of this kind")?;
    let adds = WorkRegion { work: Work::Adds, steps: ADDS };
    let ratio = steady::ratio(machine, adds, WorkRegion { work: Work::Multiplies, steps: MULTIPLIES })?;
    Ok(vec![ratio * ADD_CYCLES * ADDS as f64 / MULTIPLIES as f64])
}
