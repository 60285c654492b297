//! A call that does nothing, through every door to foreign code: what paw adds to each call it times.

use std::rc::Rc;

use super::check::{Check, Evidence, Limits, Row};
use super::machine::{Machine, Wall};

/// A kernel's function.
pub const KERNEL: Check = Check {
    rows: &[Row { name: "null call of a kernel", unit: "ns", expected: 5.0, limits: Limits::AtMost, decimals: 2 }],
    evidence: Evidence::Timed,
    measure: |machine| fastest_ns(machine, Wall::Kernel),
};

/// Calls of a region, and regions: the fastest counts.
const CALLS: u64 = 20_000;
const REGIONS: usize = 50;

fn fastest_ns(machine: &Rc<dyn Machine>, wall: Wall) -> Result<Vec<f64>, String> {
    let mut fastest_s = f64::INFINITY;
    for _ in 0..REGIONS {
        fastest_s = fastest_s.min(machine.calls_s(wall, CALLS)?);
    }
    Ok(vec![fastest_s / CALLS as f64 * 1e9])
}
