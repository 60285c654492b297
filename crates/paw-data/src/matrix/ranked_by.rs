//! The quantity that builds are ranked by.

use std::borrow::Cow;
use std::cmp::Ordering;

use paw_stats::quantile;
use paw_stats::stability::{self, Stability};

use crate::comparison::MARGIN;
use crate::matrix::BuildTiming;
use crate::matrix::cycles::in_cycles;
use crate::sample::Samples;
use crate::summary::{Figure, times_s};

/// The largest ratio of the scatter of cycles to that of time at which cycles are ranked.
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

    /// The order of two builds by speed, the faster first.
    pub fn order(self, a: &BuildTiming, b: &BuildTiming) -> Ordering {
        let value = |timing: &BuildTiming| self.median(timing).map_or(f64::INFINITY, |figure| figure.value);
        value(a).total_cmp(&value(b))
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
