//! Estimated core cycles: time × the core's clock beside each sample.

use paw_stats::stability::{self, Stability};
use paw_stats::{quantile, rank};

use crate::run::Record;
use crate::sample::Samples;
use crate::secondary::SecondaryMetric;
use crate::summary::{CONFIDENCE, Figure, times_s};
use crate::trust::CONTENDED;

/// The quantile shown for the slow samples of a series.
pub(super) const SLOW: f64 = 0.95;

/// The relative change of the core's clock during a sample above which its cycles are unknown.
pub const DRIFT_MAX: f64 = 0.01;

/// The estimated core cycles of one iteration of a build, from undisturbed samples during which the core's clock did not move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CycleTiming {
    /// The median, with its 95 % interval.
    pub median: Figure,
    /// The smallest.
    pub min: f64,
    /// The 95 % quantile.
    pub slow: f64,
    /// The distance of the median above the minimum.
    pub stability: Option<Stability>,
}

impl CycleTiming {
    /// The cycles of `record`; `None` as for [`in_cycles`].
    pub(super) fn of(record: &Record) -> Option<Self> {
        let operations = record.cell.work.operations();
        let cycles: Vec<f64> =
            times_s(&in_cycles(&record.samples)?).0.iter().map(|cycles| cycles / operations).collect();
        let ends = paw_stats::interval::median(&cycles, CONFIDENCE);
        let value = quantile::median(&cycles)?;
        let median = Figure { value, low: ends.map(|i| i.low), high: ends.map(|i| i.high) };
        let (min, slow) = (rank::min(&cycles)?, quantile::quantile(&cycles, SLOW)?);
        Some(Self { median, min, slow, stability: stability::stability(&cycles) })
    }
}

/// `samples` with core cycles in place of seconds. Samples whose cycles are unknown are marked as disturbed; `None` if they are more than a
/// quarter of the undisturbed ones, or the clock was not probed.
pub fn in_cycles(samples: &Samples) -> Option<Samples> {
    let clocks = samples.secondary(SecondaryMetric::CoreClock)?;
    let drift = samples.secondary(SecondaryMetric::CoreDrift);
    let is_known = |i: usize| clocks[i] > 0.0 && drift.is_none_or(|drift| drift[i] <= DRIFT_MAX);
    let clean: Vec<usize> = (0..samples.len()).filter(|i| !samples.disturbed[*i]).collect();
    let unknown = clean.iter().filter(|i| !is_known(**i)).count();
    if clean.is_empty() || unknown as f64 > CONTENDED * clean.len() as f64 {
        return None;
    }
    let mut cycles = samples.clone();
    for (i, clock) in clocks.iter().enumerate() {
        if is_known(i) {
            cycles.elapsed_s[i] *= clock;
        } else {
            cycles.disturbed[i] = true;
        }
    }
    Some(cycles)
}
