//! The time of one iteration of a build.

use std::cmp::Ordering;

use paw_stats::quantile;
use paw_stats::stability::Stability;

use crate::kernel::CORE_HZ;
use crate::method::Method;
use crate::quantity::Quantity;
use crate::run::{Record, Run};
use crate::summary::{Basis, Figure, Summary, times_s};

/// The quantile shown for the slow samples of a series.
const SLOW: f64 = 0.95;

/// The time of one iteration of a build, from undisturbed samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BuildTiming {
    /// The median in seconds, with its 95 % interval.
    pub median_s: Figure,
    /// The smallest, in seconds.
    pub min_s: f64,
    /// The 95 % quantile, in seconds.
    pub slow_s: f64,
    /// Ticks per second of the clock, if it counts ticks.
    pub hz: Option<f64>,
    /// Estimated core cycles: the median over samples of time × the core's clock around it; `None` where that was not probed.
    pub core_cycles: Option<f64>,
    /// The distance of the median above the minimum.
    pub stability: Option<Stability>,
    /// Samples the estimates come from.
    pub counted: usize,
    /// Samples taken.
    pub taken: usize,
    /// Samples that were disturbed.
    pub disturbed: usize,
}

impl BuildTiming {
    /// The time of `record` in `run`; `None` if it has no sample.
    pub fn of(run: &Run, record: &Record) -> Option<Self> {
        Self::by(record, &run.header.plan.method, super::hz(run, record))
    }

    fn by(record: &Record, method: &Method, hz: Option<f64>) -> Option<Self> {
        let summary = Summary::of(record, method)?;
        let one = |seconds: f64| record.cell.work.value(Quantity::Time, seconds);
        let (times, basis) = times_s(&record.samples);
        let ends = summary.interval_s;
        Some(Self {
            median_s: Figure {
                value: one(summary.median_s),
                low: ends.map(|i| one(i.low)),
                high: ends.map(|i| one(i.high)),
            },
            min_s: one(summary.min_s),
            slow_s: one(quantile::quantile(&times, SLOW)?),
            hz,
            core_cycles: core_cycles(record, basis),
            stability: summary.stability,
            counted: summary.n,
            taken: record.samples.len(),
            disturbed: summary.n_disturbed,
        })
    }

    /// The median in ticks of the clock, with its interval; `None` where the clock counts none.
    pub fn ticks(&self) -> Option<Figure> {
        self.hz.map(|hz| times(self.median_s, hz))
    }

    /// Half the width of the median's interval, relative to it.
    pub fn half_width(&self) -> Option<f64> {
        let (low, high) = self.median_s.low.zip(self.median_s.high)?;
        Some((high - low) / (2.0 * self.median_s.value))
    }

    /// The faster first.
    pub fn order(&self, other: &Self) -> Ordering {
        self.median_s.value.total_cmp(&other.median_s.value)
    }
}

/// `figure` in another unit: times `factor`.
pub(crate) fn times(figure: Figure, factor: f64) -> Figure {
    let scaled = |v: f64| v * factor;
    Figure { value: scaled(figure.value), low: figure.low.map(scaled), high: figure.high.map(scaled) }
}

fn core_cycles(record: &Record, basis: Basis) -> Option<f64> {
    let samples = &record.samples;
    let clocks = samples.extra.get(CORE_HZ)?;
    let rows = samples.per_loop_s().into_iter().zip(clocks).zip(&samples.disturbed);
    let counted = rows.filter(|((_, hz), disturbed)| basis.counts(**disturbed) && **hz > 0.0);
    let cycles: Vec<f64> = counted.map(|((time, hz), _)| time * hz / record.cell.work.operations()).collect();
    quantile::median(&cycles)
}
