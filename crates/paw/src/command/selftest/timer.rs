//! The timer: its time grows with the work, it never steps back, its costs are small, and a second clock keeps the same pace.

use std::rc::Rc;

use paw_measure::clock::Clock;
use paw_measure::instrument;

use super::check::{Check, Evidence, Limits, Row};
use super::machine::{Machine, Work};
use super::steady::{self, WorkRegion};

/// k times the work takes k times the time.
pub const LINEAR: Check = Check {
    rows: &[Row {
        name: "timer: k x work off k x time",
        unit: "%",
        expected: 1.0,
        limits: Limits::AtMost,
        decimals: 2,
    }],
    evidence: Evidence::Timed,
    measure: linear,
};

/// Checks the cost of a clock reading, and the clock's smallest step.
pub const COST: Check = Check {
    rows: &[
        Row { name: "timer: overhead", unit: "ns", expected: 1000.0, limits: Limits::AtMost, decimals: 1 },
        Row { name: "timer: resolution", unit: "ns", expected: 1000.0, limits: Limits::AtMost, decimals: 1 },
    ],
    evidence: Evidence::Timed,
    measure: cost,
};

/// Readings never decrease.
pub const FORWARD: Check = Check {
    rows: &[Row { name: "timer: steps back", unit: "steps", expected: 0.0, limits: Limits::AtMost, decimals: 0 }],
    evidence: Evidence::Certain,
    measure: |machine| Ok(vec![steps_back(&machine.clock()) as f64]),
};

/// The monotonic clock and the processor's counter agree. Time synchronisation may change the pace of the first by 500 in a million (adjtimex(2)).
pub const PACE: Check = Check {
    rows: &[Row {
        name: "timer against the counter",
        unit: "ppm",
        expected: 0.0,
        limits: Limits::Within(600.0),
        decimals: 0,
    }],
    evidence: Evidence::Timed,
    measure: pace,
};

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
