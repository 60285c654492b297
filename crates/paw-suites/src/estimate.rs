//! The expected duration of a cell, from nominal speeds: for `--dry-run` and shares of a budget, never for a result.

use paw_data::axis;
use paw_data::cell::Cell;
use paw_data::headline::Family;
use paw_data::method::{EndRule, Method};
use paw_data::quantity::Quantity;
use paw_native::chase::LINE_BYTES;
use smol_str::SmolStr;

use crate::benchmark::Common;
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
/// Bytes per second at which one thread writes memory for the first time: the kernel clears every page.
const FIRST_TOUCH_BYTES: f64 = 1e9;
/// Threads beyond this many do not clear pages faster.
const FIRST_TOUCH_THREADS: f64 = 8.0;
/// Regions that find the loops of a cell whose iteration is longer than a sample must be.
const CALIBRATION: f64 = 2.0;
/// Seconds of a cell of short samples until its interval is narrow enough, on a machine that does other work too.
const CELL_MIN_S: f64 = 0.5;
/// Rounds before a budget may end a group.
const ROUNDS_MIN: f64 = 3.0;

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

/// Seconds one cell takes with the fewest samples its method allows, but half a second at least.
pub fn cell_s(cell: &Cell, method: &Method, ladder: Ladder) -> f64 {
    let nominal = iteration_s(cell);
    // A default ladder ends before longer samples.
    let iteration = if ladder == Ladder::UntilOneSecond { nominal.min(SAMPLE_MAX_S) } else { nominal };
    let samples = match method.ending {
        EndRule::Fixed { samples } => samples,
        EndRule::Interval { min, min_long, .. } if iteration >= SAMPLE_MAX_S => min_long.min(min),
        EndRule::Interval { min, .. } | EndRule::KBest { min, .. } => min,
    };
    let taken_s = f64::from(samples + method.warmup) * iteration.max(SAMPLE_S) + 2.0 * iteration;
    START_S + taken_s.max(CELL_MIN_S)
}

/// Seconds of a cell's calibration and fewest rounds: what a budget cannot shorten.
pub fn least_s(cell: &Cell, ladder: Ladder) -> f64 {
    (CALIBRATION + ROUNDS_MIN) * round_s(cell, ladder)
}

/// Seconds of a sample of one cell.
pub fn round_s(cell: &Cell, ladder: Ladder) -> f64 {
    let nominal = iteration_s(cell);
    let iteration = if ladder == Ladder::UntilOneSecond { nominal.min(SAMPLE_MAX_S) } else { nominal };
    iteration.max(SAMPLE_S)
}

/// The operands that the cells planned so far have written: arrays of the same size serve several benchmarks of a worker.
#[derive(Debug, Default)]
pub struct Operands {
    /// Provider, threads and bytes of the last arrays.
    last: Option<(SmolStr, u32, u64)>,
}

impl Operands {
    /// Seconds that writing the operands of the next cell takes.
    pub fn start_s(&mut self, cell: &Cell, common: &Common, threads: u32) -> f64 {
        let (bytes, threads) = ((common.memory_bytes)(&cell.point), threads.max(1));
        let arrays = (cell.provider.clone(), threads, bytes as u64);
        if common.family == Family::Memory && self.last.as_ref() == Some(&arrays) {
            return 0.0;
        }
        self.last = Some(arrays);
        // The cycle of a latency is made and walked once, a line at a time.
        let is_chase = common.family == Family::Memory && common.headline == Quantity::Time;
        let walks_s = if is_chase { 2.0 * bytes / LINE_BYTES as f64 * NOMINAL_LATENCY_S } else { 0.0 };
        bytes / (FIRST_TOUCH_BYTES * f64::from(threads).min(FIRST_TOUCH_THREADS)) + walks_s
    }
}
