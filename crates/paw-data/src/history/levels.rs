//! The levels of a series: where it changed, and whether the latest level has a trend.

use paw_stats::change_point::{ChangePoint, Search};
use paw_stats::{drift, normal, quantile};

use super::series::Series;

/// Share of series of one level that may show a change.
pub const ALARMS: f64 = 1e-3;

/// Share of looks at any number of such series that may show one.
const ALARMS_OF_ALL: f64 = 1e-2;

/// Relative size from which a change is worth a line: the margin of comparisons.
pub const MARGIN: f64 = 0.01;

/// Fewest values of a level that may have a trend: the normal approximation of Spearman's correlation holds from here on.
const TREND_MIN: usize = 10;

/// The direction of the latest level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trend {
    /// Too few runs to say.
    Unknown,
    /// Values do not follow the order of runs so clearly that chance would seldom do it: a slow trend may be there.
    NoneShown,
    /// They grow.
    Rising,
    /// They shrink.
    Falling,
}

impl Trend {
    /// The word that tables print.
    pub fn word(self) -> &'static str {
        match self {
            Self::Unknown => "too few runs",
            Self::NoneShown => "none shown",
            Self::Rising => "rising",
            Self::Falling => "falling",
        }
    }
}

/// What a series says.
#[derive(Debug, Clone, PartialEq)]
pub struct Levels {
    /// Where it changed its level by a margin or more, the oldest first.
    pub changes: Vec<ChangePoint>,
    /// Median of each level, the oldest first: one more than there are changes.
    pub medians: Vec<f64>,
    /// The direction of the latest level.
    pub trend: Trend,
}

/// A reader of the levels of several series, which are looked at together.
#[derive(Debug)]
pub struct LevelReader {
    search: Search,
    alarms: f64,
    runs_needed: usize,
}

impl LevelReader {
    /// A reader of `series` series: the more there are, the clearer a change has to be.
    pub fn new(series: usize) -> Self {
        let alarms = ALARMS.min(ALARMS_OF_ALL / series.max(1) as f64);
        let mut search = Search::new(alarms);
        Self { runs_needed: search.fewest(), search, alarms }
    }

    /// The share of series of one level that may show a change.
    pub fn alarms(&self) -> f64 {
        self.alarms
    }

    /// The fewest runs in which a change can be found, half of them before it and half after.
    pub fn runs_needed(&self) -> usize {
        self.runs_needed
    }

    /// The levels of `series`.
    pub fn read(&mut self, series: &Series<'_>) -> Levels {
        let values = series.values();
        let mut changes = self.search.change_points(&values).unwrap_or_default();
        changes.retain(|change| change.ratio.is_none_or(|ratio| ratio.ln().abs() >= MARGIN.ln_1p()));
        let cuts: Vec<usize> = changes.iter().map(|change| change.first).collect();
        let begins = std::iter::once(0).chain(cuts.iter().copied());
        let ends = cuts.iter().copied().chain([values.len()]);
        let levels: Vec<&[f64]> = begins.zip(ends).map(|(from, to)| &values[from..to]).collect();
        let trend = levels.last().map_or(Trend::Unknown, |level| trend(level, self.alarms));
        let medians = levels.iter().filter_map(|level| quantile::median(level)).collect();
        Levels { changes, medians, trend }
    }
}

/// The direction of `values` by Spearman's rank correlation with their order; unknown where even a perfect one would prove nothing.
fn trend(values: &[f64], alarms: f64) -> Trend {
    let by_chance = |z: f64| 2.0 * normal::probability(-z.abs());
    let is_telling = values.len() >= TREND_MIN && by_chance((values.len() as f64 - 1.0).sqrt()) <= alarms;
    let Some(drift) = drift::drift(values).filter(|_| is_telling) else { return Trend::Unknown };
    match drift.z {
        z if by_chance(z) > alarms => Trend::NoneShown,
        z if z > 0.0 => Trend::Rising,
        _ => Trend::Falling,
    }
}
