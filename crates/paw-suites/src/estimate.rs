//! The expected duration of a cell, from nominal speeds: for `--dry-run` and shares of a budget, never for a result.

use paw_data::axis;
use paw_data::cell::Cell;
use paw_data::method::{EndRule, Method};

use crate::choice::Ladder;

/// FLOP/s of a core: two thirds of the peak of 256-bit FMA at 2.5 GHz.
const NOMINAL_FLOPS: f64 = 25e9;
/// Bytes per second: one core's share of memory bandwidth on most servers.
const NOMINAL_BYTES: f64 = 10e9;
/// Seconds of a dependent load from memory.
const NOMINAL_LATENCY_S: f64 = 1e-7;
/// FLOP/s of a device in double precision.
const DEVICE_FLOPS: f64 = 1e12;
/// Seconds of a call to a device, with the wait for its end.
const DEVICE_CALL_S: f64 = 1e-5;
/// The longest sample a default ladder goes to, in seconds.
pub const SAMPLE_MAX_S: f64 = 1.0;
/// Seconds to start, fill, warm up and check one cell.
const START_S: f64 = 0.05;
/// Seconds of the shortest sample of the default methods.
const SAMPLE_S: f64 = 1e-3;

/// Seconds one iteration takes at nominal speed.
pub fn iteration_s(cell: &Cell) -> f64 {
    if cell.point.int(axis::DEVICES).is_some() {
        return DEVICE_CALL_S + cell.work.flops / DEVICE_FLOPS + cell.work.bytes / NOMINAL_BYTES;
    }
    let threads = cell.point.int(axis::THREADS).unwrap_or(1).max(1) as f64;
    let work = &cell.work;
    let compute = work.flops / (NOMINAL_FLOPS * threads);
    let traffic = work.bytes / (NOMINAL_BYTES * threads);
    if compute == 0.0 && traffic == 0.0 { NOMINAL_LATENCY_S } else { compute.max(traffic) }
}

/// Seconds one cell takes with the fewest samples its method allows.
pub fn cell_s(cell: &Cell, method: &Method, ladder: Ladder) -> f64 {
    let nominal = iteration_s(cell);
    // A default ladder ends before longer samples.
    let iteration = if ladder == Ladder::UntilOneSecond { nominal.min(SAMPLE_MAX_S) } else { nominal };
    let samples = match method.ending {
        EndRule::Fixed { samples } => samples,
        EndRule::Interval { min, min_long, .. } if iteration >= SAMPLE_MAX_S => min_long.min(min),
        EndRule::Interval { min, .. } | EndRule::KBest { min, .. } => min,
    };
    START_S + f64::from(samples + method.warmup) * iteration.max(SAMPLE_S) + 2.0 * iteration
}
