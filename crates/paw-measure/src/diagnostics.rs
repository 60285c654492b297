//! Caveats about a series that its samples alone do not show: clock, placement, ranks, programs. `paw-data` judges the samples.

use paw_data::cell::Combine;
use paw_data::method::{LoopRule, Method};
use paw_data::outcome::Caveat;
use paw_data::run::Instrument;
use paw_data::sample::Samples;
use paw_data::secondary::SecondaryMetric;
use paw_data::trust::CONTENDED;
use paw_stats::quantile;

use crate::caveat;
use crate::disturbance::{self, Placement};

/// Fewest clock overheads that a region lasts without a caveat: the clock's share is then two thousandths. Calibration aims at a
/// thousand.
const READINGS_MIN: f64 = 500.0;

/// Share of late announcements above which starts are not synchronised.
const LATE: f64 = 0.01;

/// A series that has ended, and how it was measured.
#[derive(Debug, Clone, Copy)]
pub struct EndedSeries<'a> {
    /// How it was measured.
    pub method: &'a Method,
    /// Its clock.
    pub instrument: &'a Instrument,
    /// Whether its threads were bound.
    pub placement: Placement,
    /// All samples that count.
    pub samples: &'a Samples,
    /// How the times of ranks are one.
    pub combine: Combine,
    /// The part of an iteration that is one operation.
    pub share: f64,
}

/// Every caveat about a series that its samples alone do not show.
pub fn caveats(ended: &EndedSeries<'_>) -> Vec<Caveat> {
    let of_ranks = [late(ended.samples), clock_bound(ended.samples), hidden(ended)];
    [short(ended), moved(ended), waited(ended)].into_iter().chain(of_ranks).flatten().collect()
}

/// The clocks of the ranks are known less well than the times that they bound: half of what makes a number poor, the rest is the samples'.
const CLOCK: f64 = 0.05;

fn clock_bound(samples: &Samples) -> Option<Caveat> {
    let bound_s = quantile::median(samples.secondary(SecondaryMetric::ClockBound)?)?;
    let stamped: Vec<f64> = samples.ops_s.iter().flatten().copied().collect();
    let timed_s = quantile::median(if stamped.is_empty() { &samples.elapsed_s } else { &stamped })?;
    (bound_s > CLOCK * timed_s).then(|| caveat::clock_bound(bound_s, timed_s))
}

/// Ratio of the slowest rank's time to the fastest's above which the fastest hides something.
const HIDDEN: f64 = 2.0;

/// What the fastest of several ranks hides: that it was done before any message could have come, or that others took far longer.
fn hidden(ended: &EndedSeries<'_>) -> Option<Caveat> {
    if ended.combine != Combine::Fastest {
        return None;
    }
    let each = |metric| {
        let column = ended.samples.secondary(metric)?.iter().zip(&ended.samples.loops);
        let column: Vec<f64> = column.map(|(seconds, loops)| ended.share * seconds / *loops as f64).collect();
        quantile::median(&column)
    };
    let (fastest_s, slowest_s) = (each(SecondaryMetric::RankMin)?, each(SecondaryMetric::RankMax)?);
    let one_way_s = ended.samples.secondary(SecondaryMetric::OneWay).and_then(quantile::median);
    let unreached_s = one_way_s.filter(|one_way_s| fastest_s < *one_way_s);
    (unreached_s.is_some() || slowest_s > HIDDEN * fastest_s)
        .then(|| caveat::fastest_rank(fastest_s, slowest_s, unreached_s))
}

fn late(samples: &Samples) -> Option<Caveat> {
    let late = samples.secondary(SecondaryMetric::Late)?.iter().filter(|late| late.is_finite()).sum::<f64>();
    // Where operations are stamped, each had its own start.
    let starts =
        samples.ops_s.iter().map(|ops_s| ops_s.len().max(1)).sum::<usize>().max(samples.elapsed_s.len()) as f64;
    (late > LATE * starts).then(|| caveat::late_starts(late, starts, !samples.ops_s.is_empty()))
}

fn short(ended: &EndedSeries<'_>) -> Option<Caveat> {
    let elapsed_s = quantile::median(&ended.samples.elapsed_s)?;
    let clock_s = ended.instrument.resolution_s.max(ended.instrument.overhead_s);
    if elapsed_s >= READINGS_MIN * clock_s {
        return None;
    }
    // The clock's share of operations that are stamped is not that of the region, which ends early on a busy machine.
    if !ended.samples.ops_s.is_empty() && !matches!(ended.method.loops, LoopRule::Fixed(_)) {
        return None;
    }
    // The error of PAW's short regions was measured with their loops.
    let of_paw = matches!(ended.method.loops, LoopRule::Guide { .. } | LoopRule::Code { .. });
    (!of_paw).then(|| caveat::too_short(elapsed_s, clock_s))
}

/// Unbound threads that moved in over a quarter of the samples: the median then holds their moves.
fn moved(ended: &EndedSeries<'_>) -> Option<Caveat> {
    let moved = ended.samples.migrations.iter().filter(|moves| **moves > 0).count();
    let notable = moved as f64 > CONTENDED * ended.samples.len() as f64;
    (ended.placement == Placement::Free && notable).then(|| caveat::unpinned(moved, ended.samples.len()))
}

/// Threads that waited for a processor in over a quarter of the samples, where the method counts them all.
fn waited(ended: &EndedSeries<'_>) -> Option<Caveat> {
    let Samples { run_delay_s, elapsed_s, .. } = ended.samples;
    // A sum over many ranks would exceed the limits of one process by what every process waits.
    let run_delay_s = ended.samples.secondary(SecondaryMetric::RunDelaySlowest).unwrap_or(run_delay_s);
    let regions = run_delay_s.iter().zip(elapsed_s);
    let waits = regions.filter(|(delay, elapsed)| disturbance::is_late(**delay, **elapsed)).count();
    let notable = waits as f64 > CONTENDED * ended.samples.len() as f64;
    (ended.placement == Placement::Counted && notable)
        .then(|| caveat::waited(&ended.method.name, waits, ended.samples.len()))
}
