//! Checks what paw adds to each timed call, by null calls through every foreign interface.

use std::rc::Rc;

use super::check::{Check, Measured, Row};
use super::machine::{Machine, NullCall, Wall};

/// A BLAS library's products.
pub const BLAS: Check =
    Check::timed(&[row("null call of BLAS", 10.0), row(ADDED, 1.0)], |machine| worst_ns(machine, Wall::Blas));

/// An MPI library's messages. Without a library in between, the check of each call's answer is all that paw adds.
pub const MPI: Check =
    Check::timed(&[row("null call of MPI", 10.0), row(ADDED, 2.0)], |machine| worst_ns(machine, Wall::Mpi));

/// A device's copies and waits, which take microseconds each.
pub const DEVICE: Check =
    Check::timed(&[row("null call of a device", 100.0), row(ADDED, 80.0)], |machine| worst_ns(machine, Wall::Device));

/// A kernel's function.
pub const KERNEL: Check =
    Check::timed(&[row("null call of a kernel", 5.0), row(ADDED, 1.0)], |machine| worst_ns(machine, Wall::Kernel));

const ADDED: &str = "  of which paw adds";

/// At most `most_ns` nanoseconds.
const fn row(name: &'static str, most_ns: f64) -> Row {
    Row::at_most(name, "ns", most_ns, 2)
}

/// Calls of a region, and regions: the fastest counts.
const CALLS: u64 = 10_000;
const REGIONS: usize = 100;

/// Nanoseconds of the call to which paw adds most, and how much that is.
fn worst_ns(machine: &Rc<dyn Machine>, wall: Wall) -> Measured {
    if cfg!(all(debug_assertions, not(test))) {
        return Err("this paw was built without optimisation".to_owned());
    }
    let calls = machine.null_calls(wall)?;
    let worst = calls.into_iter().map(fastest_ns).max_by(|a, b| a[1].total_cmp(&b[1]));
    worst.map(Vec::from).ok_or_else(|| "there is no call through this wall".to_owned())
}

/// Nanoseconds of a call, and how much of it is paw's: both functions by turns, the fastest region of each.
fn fastest_ns(mut call: NullCall) -> [f64; 2] {
    let [mut through_s, mut bare_s] = [f64::INFINITY; 2];
    for _ in 0..REGIONS {
        through_s = through_s.min((call.through_s)(CALLS));
        bare_s = bare_s.min((call.bare_s)(CALLS));
    }
    let ns = |seconds: f64| seconds / CALLS as f64 * 1e9;
    [ns(through_s), ns(through_s - bare_s)]
}
