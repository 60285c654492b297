//! The timer: its time grows with the work, it never steps back, its costs are small, and a second clock keeps the same pace.

use std::rc::Rc;

use paw_measure::clock::Clock;
use paw_measure::instrument;

use super::check::{Check, Limits, Row};
use super::machine::{Machine, Work};
use super::steady::{self, WorkRegion};

/// Checks that k times the work takes k times the time.
pub const LINEAR: Check = Check::timed(&[Row::at_most("timer: k x work off k x time", "%", 1.0, 2)], linear);

/// Checks the cost of a clock reading, and the clock's smallest step.
pub const COST: Check = Check::timed(
    &[Row::at_most("timer: overhead", "ns", 1000.0, 1), Row::at_most("timer: resolution", "ns", 1000.0, 1)],
    cost,
);

/// Checks that readings never decrease.
pub const FORWARD: Check = Check::certain(&[Row::at_most("timer: steps back", "steps", 0.0, 0)], |machine| {
    Ok(vec![steps_back(&machine.clock()) as f64])
});

/// Checks that the monotonic clock and the processor's counter agree. Time synchronisation may change the pace of the first by 500
/// in a million (adjtimex(2)).
pub const PACE: Check =
    Check::timed(&[Row::new("timer against the counter", "ppm", 0.0, Limits::Within(600.0), 0)], pace);

/// Additions of the shortest region, about 20 µs.
const ADDS: u64 = 64_000;

/// Multiples of the shortest region that are timed.
const MULTIPLES: [u64; 4] = [2, 4, 8, 16];

/// Readings that are compared with the one before.
const READINGS: usize = 200_000;

/// Seconds over which two clocks are compared.
const WINDOW_S: f64 = 0.1;

/// The largest distance in per cent of a multiple's time from the multiple of the time.
fn linear(machine: &Rc<dyn Machine>) -> Result<Vec<f64>, String> {
    let region = |multiple| WorkRegion { work: Work::Adds, steps: multiple * ADDS };
    let mut worst = 0.0_f64;
    for multiple in MULTIPLES {
        let ratio = steady::ratio(machine, region(1), region(multiple))?;
        worst = worst.max((ratio / multiple as f64 - 1.0).abs() * 100.0);
    }
    Ok(vec![worst])
}

fn cost(machine: &Rc<dyn Machine>) -> Result<Vec<f64>, String> {
    let instrument = instrument::measure(&machine.clock());
    Ok(vec![instrument.overhead_s * 1e9, instrument.resolution_s * 1e9])
}

fn steps_back(clock: &Clock) -> usize {
    let mut last = clock.start();
    let mut back = 0;
    for _ in 0..READINGS {
        let now = clock.start();
        back += usize::from(now < last);
        last = now;
    }
    back
}

fn pace(machine: &Rc<dyn Machine>) -> Result<Vec<f64>, String> {
    let (clock, counter) = (machine.clock(), machine.counter()?);
    let (start, counted) = (clock.start(), counter.start());
    machine.sleep(WINDOW_S);
    let elapsed_s = clock.seconds(start, clock.stop());
    let counted_s = counter.seconds(counted, counter.stop());
    Ok(vec![(elapsed_s / counted_s - 1.0) * 1e6])
}
