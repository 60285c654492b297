//! Caveats about a series that its samples alone do not show: clock, placement, ranks, programs. `paw-data` judges the samples.

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
}

/// Every caveat about a series that its samples alone do not show.
pub fn caveats(ended: &EndedSeries<'_>) -> Vec<Caveat> {
    [short(ended), moved(ended), waited(ended), late(ended.samples)].into_iter().flatten().collect()
}

fn late(samples: &Samples) -> Option<Caveat> {
    let late = samples.secondary(SecondaryMetric::Late)?.iter().filter(|late| late.is_finite()).sum::<f64>();
    // Where operations are stamped, each had its own start.
    let starts =
        samples.ops_s.iter().map(|ops_s| ops_s.len().max(1)).sum::<usize>().max(samples.elapsed_s.len()) as f64;
    (late > LATE * starts).then(|| caveat::late_starts(late, starts))
}

fn short(ended: &EndedSeries<'_>) -> Option<Caveat> {
    let elapsed_s = quantile::median(&ended.samples.elapsed_s)?;
    let clock_s = ended.instrument.resolution_s.max(ended.instrument.overhead_s);
    if elapsed_s >= READINGS_MIN * clock_s {
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
    let regions = run_delay_s.iter().zip(elapsed_s);
    let waits = regions.filter(|(delay, elapsed)| disturbance::is_late(**delay, **elapsed)).count();
    let notable = waits as f64 > CONTENDED * ended.samples.len() as f64;
    (ended.placement == Placement::Counted && notable)
        .then(|| caveat::waited(&ended.method.name, waits, ended.samples.len()))
}
