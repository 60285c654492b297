//! A sleep of known length reads as at least that length, and the shortest of several as hardly more.

use std::rc::Rc;

use super::check::{Check, Row};
use super::machine::Machine;

/// Checks that no sleep reads as shorter than asked.
pub const EARLY: Check = Check::certain(&[Row::at_least("sleep of 2 ms: shortest", "ms", 2.0, 3)], |machine| {
    Ok(vec![shortest_s(machine) * 1e3])
});

/// Checks that the shortest of several sleeps reads as hardly longer than asked. A kernel may wake a sleeper 50 µs late (timer
/// slack), and a virtual machine later.
pub const LATE: Check =
    Check::timed(&[Row::at_most("  late by", "ms", 0.3, 3)], |machine| Ok(vec![(shortest_s(machine) - SLEEP_S) * 1e3]));

/// Seconds of a sleep, and how many.
const SLEEP_S: f64 = 2e-3;
const SLEEPS: usize = 25;

fn shortest_s(machine: &Rc<dyn Machine>) -> f64 {
    let clock = machine.clock();
    let sleep_s = || {
        let start = clock.start();
        machine.sleep(SLEEP_S);
        clock.seconds(start, clock.stop())
    };
    (0..SLEEPS).map(|_| sleep_s()).fold(f64::INFINITY, f64::min)
}
