//! The resolution and overhead of a clock, measured.

use paw_data::run::Instrument;

use crate::clock::Clock;

/// Back-to-back pairs: enough for the median and the smallest step to settle, a few milliseconds in all.
const PAIRS: usize = 100_000;

/// Batches of readings, and readings of each: a batch is too short to be preempted often and long enough for a clock of microseconds.
const BATCHES: usize = 25;
const BATCH: usize = 4000;

/// Most pairs of readings to wait for a coarse clock's first step.
const PAIRS_MAX: usize = 1_000_000;

/// Measures the resolution and overhead of `clock`, both in seconds: the smallest positive difference of back-to-back readings,
/// and the larger of their median difference and the cost of a reading.
pub fn measure(clock: &Clock) -> Instrument {
    let mut steps: Vec<u64> = (0..PAIRS).map(|_| step(clock)).collect();
    let (_, median, _) = steps.select_nth_unstable(PAIRS / 2);
    let empty_s = clock.seconds(0, *median);
    let smallest = smallest_step(clock, &steps);
    Instrument {
        id: 0,
        clock: clock.kind(),
        resolution_s: clock.seconds(0, smallest),
        overhead_s: empty_s.max(reading_s(clock)),
        hz: clock.hz(),
    }
}

/// Ticks that an empty region lasts; zero where the clock steps back.
fn step(clock: &Clock) -> u64 {
    let start = clock.start();
    clock.stop().saturating_sub(start)
}

/// The smallest positive step in ticks; zero for a clock that never moves.
fn smallest_step(clock: &Clock, steps: &[u64]) -> u64 {
    let seen = steps.iter().copied().filter(|ticks| *ticks > 0).min();
    let later = || (0..PAIRS_MAX).map(|_| step(clock)).find(|ticks| *ticks > 0);
    seen.or_else(later).unwrap_or(0)
}

/// Cost of one reading, in seconds: the median of the batches' means, so that a preempted batch does not count.
fn reading_s(clock: &Clock) -> f64 {
    let mut batches: Vec<f64> = (0..BATCHES).map(|_| batch_s(clock) / BATCH as f64).collect();
    let (_, median, _) = batches.select_nth_unstable_by(BATCHES / 2, f64::total_cmp);
    *median
}

/// Seconds that a batch of readings takes.
fn batch_s(clock: &Clock) -> f64 {
    let start = clock.start();
    for _ in 1..BATCH {
        clock.start();
    }
    clock.seconds(start, clock.stop())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::scripted::Script;

    fn check(tick_s: f64, read_s: f64, resolution_s: f64, overhead_s: f64) {
        let instrument = measure(&Clock::Scripted(Script::new(tick_s, read_s)));
        assert!((instrument.resolution_s - resolution_s).abs() < 1e-15, "{instrument:?}");
        assert!((instrument.overhead_s - overhead_s).abs() < 1e-14, "{instrument:?}");
    }

    #[test]
    fn a_fine_clock_is_limited_by_what_a_reading_costs() {
        check(1e-9, 20e-9, 20e-9, 20e-9);
    }

    #[test]
    fn a_coarse_clock_shows_its_tick_and_its_cost() {
        check(1e-6, 40e-9, 1e-6, 40e-9);
    }

    #[test]
    fn a_clock_that_never_moves_ends_with_nothing() {
        check(1.0, 0.0, 0.0, 0.0);
    }
}
