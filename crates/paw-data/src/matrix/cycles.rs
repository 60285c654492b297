//! Estimated core cycles: time × the core's clock beside each sample, and whether builds are ranked by them.

use std::borrow::Cow;

use paw_stats::stability::{self, Stability};
use paw_stats::{quantile, rank};

use crate::comparison::MARGIN;
use crate::kernel::{CORE_DRIFT, CORE_HZ};
use crate::matrix::BuildTiming;
use crate::matrix::timing::SLOW;
use crate::run::Record;
use crate::sample::Samples;
use crate::summary::{CONFIDENCE, Figure, times_s};
use crate::trust::CONTENDED;

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
    let clocks = samples.extra.get(CORE_HZ)?;
    let drift = samples.extra.get(CORE_DRIFT);
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

/// Cycles that scatter up to so many times as much as time, or below the margin of verdicts, are as good as time.
const MORE: f64 = 1.5;

/// The quantity that the builds of a level, or the values of a factor, are ranked by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RankedBy {
    /// Time, or ticks of a clock of fixed rate.
    Time,
    /// Estimated core cycles.
    Cycles,
}

impl RankedBy {
    /// The quantity that is known better for `all` series: cycles if all have them, unless they scatter clearly more than time, by the
    /// median of the distances between median and minimum: the clock beside the samples was not that of the calls then.
    pub fn of<'s>(all: impl Iterator<Item = &'s Samples> + Clone) -> Self {
        let spread = |samples: &Samples| Some(stability::stability(&times_s(samples).0)?.spread);
        let time: Option<Vec<f64>> = all.clone().map(spread).collect();
        let cycles: Option<Vec<f64>> = all.map(|samples| spread(&in_cycles(samples)?)).collect();
        let scatter = |spreads: Option<Vec<f64>>| quantile::median(&spreads?);
        let is_better = |(cycles, time): (f64, f64)| cycles <= MORE * time || cycles <= MARGIN;
        if scatter(cycles).zip(scatter(time)).is_some_and(is_better) { Self::Cycles } else { Self::Time }
    }

    /// The median of `timing` in this quantity: seconds or cycles; `None` if it has no cycles.
    pub fn median(self, timing: &BuildTiming) -> Option<Figure> {
        match self {
            Self::Time => Some(timing.median_s),
            Self::Cycles => timing.cycles.map(|cycles| cycles.median),
        }
    }

    /// The stability of `timing` in this quantity.
    pub fn stability(self, timing: &BuildTiming) -> Option<Stability> {
        match self {
            Self::Time => timing.stability,
            Self::Cycles => timing.cycles.and_then(|cycles| cycles.stability),
        }
    }

    /// `samples` in this quantity.
    pub fn samples(self, samples: &Samples) -> Cow<'_, Samples> {
        let cycles = (self == Self::Cycles).then(|| in_cycles(samples)).flatten();
        cycles.map_or(Cow::Borrowed(samples), Cow::Owned)
    }
}
