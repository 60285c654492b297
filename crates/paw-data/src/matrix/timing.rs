//! The time of one iteration of a build.

use paw_stats::quantile;
use paw_stats::stability::Stability;

use crate::matrix::cycles::{CycleTiming, SLOW};
use crate::quantity::Quantity;
use crate::run::{Record, Run};
use crate::summary::{Figure, Summary, times_s};

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
    /// Estimated core cycles; `None` if the core's clock was not probed, or moved in too many samples.
    pub cycles: Option<CycleTiming>,
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
        let summary = Summary::of(record, &run.header.plan.method)?.on(&run.header.machine);
        Self::by(record, &summary, super::hz(run, record))
    }

    fn by(record: &Record, summary: &Summary, hz: Option<f64>) -> Option<Self> {
        let one = |seconds: f64| record.cell.work.value(Quantity::Time, seconds);
        let (times, _) = times_s(&record.samples);
        let ends = summary.median_interval_s();
        Some(Self {
            median_s: Figure {
                value: one(summary.median_s),
                low: ends.map(|(low, _)| one(low)),
                high: ends.map(|(_, high)| one(high)),
            },
            min_s: one(summary.min_s),
            slow_s: one(quantile::quantile(&times, SLOW)?),
            hz,
            cycles: CycleTiming::of(record),
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
}

/// `figure` in another unit: times `factor`.
pub(crate) fn times(figure: Figure, factor: f64) -> Figure {
    let scaled = |v: f64| v * factor;
    Figure { value: scaled(figure.value), low: figure.low.map(scaled), high: figure.high.map(scaled) }
}
