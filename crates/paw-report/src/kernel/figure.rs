//! Numbers of kernels as text.

use paw_data::cell::Role;
use paw_data::matrix::{BuildTiming, MatrixRow, RankedBy, RowStatus};
use paw_data::outcome::{Accuracy, CheckVerdict, Outcome};
use paw_data::quantity::Quantity;
use paw_data::summary::Figure;
use paw_stats::interval::Bounds;
use paw_stats::speedup::Sampling;
use paw_stats::stability::{Grade, Stability};

use crate::application::figure::plain;
use crate::model::{Field, Tone};
use crate::number::{ABSENT, Scale, count, half_width, percent, significant};

/// Relative error from which a percentage is clearer than a power of ten.
const GROSS: f64 = 1e-2;
/// Fewest samples whose steadiness has a grade.
const GRADED: usize = 3;
/// Distance in units in the last place from which a power of ten is clearer than a count.
const FAR: u64 = 1_000_000;

/// The unit of the time of an iteration.
#[derive(Debug, Clone, PartialEq)]
pub enum Unit {
    /// Estimated core cycles, by which builds are ranked.
    Cycles,
    /// Ticks of the time-stamp counter.
    Ticks,
    /// Seconds with a prefix, where the clock counts no ticks.
    Time(Scale),
}

impl Unit {
    /// The unit of all of `timings`, which are ranked `by` this quantity.
    pub fn of<'t>(timings: impl Iterator<Item = &'t BuildTiming> + Clone, by: RankedBy) -> Self {
        if by == RankedBy::Cycles {
            return Unit::Cycles;
        }
        if timings.clone().all(|t| t.hz.is_some()) {
            return Unit::Ticks;
        }
        let largest = timings.map(|t| t.median_s.value).filter(|t| t.is_finite()).fold(0.0, f64::max);
        Unit::Time(Scale::of(largest, Quantity::Time))
    }

    /// `core cycles`, `TSC ticks`, `ns`.
    pub fn word(&self) -> &str {
        match self {
            Unit::Cycles => "core cycles",
            Unit::Ticks => "TSC ticks",
            Unit::Time(scale) => &scale.unit,
        }
    }

    /// The quantity that it measures.
    pub fn by(&self) -> RankedBy {
        if *self == Unit::Cycles { RankedBy::Cycles } else { RankedBy::Time }
    }

    /// `value` of `timing`, in seconds or cycles, in this unit.
    pub fn value(&self, timing: &BuildTiming, value: f64) -> f64 {
        match self {
            Unit::Cycles => value,
            Unit::Ticks => value * timing.hz.unwrap_or(f64::NAN),
            Unit::Time(scale) => value / scale.factor,
        }
    }

    /// The median in this unit.
    pub fn median(&self, timing: &BuildTiming) -> Figure {
        let value = |value| self.value(timing, value);
        let unknown = Figure { value: f64::NAN, low: None, high: None };
        let Figure { value: middle, low, high } = self.by().median(timing).unwrap_or(unknown);
        Figure { value: value(middle), low: low.map(value), high: high.map(value) }
    }

    /// The smallest value and the 95 % quantile in this unit.
    pub fn extremes(&self, timing: &BuildTiming) -> (f64, f64) {
        let (min, slow) = match timing.cycles.filter(|_| *self == Unit::Cycles) {
            Some(cycles) => (cycles.min, cycles.slow),
            None => (timing.min_s, timing.slow_s),
        };
        (self.value(timing, min), self.value(timing, slow))
    }

    /// The other quantity: ticks beside core cycles, core cycles beside time; `None` if it is unknown.
    pub fn other(&self, timing: &BuildTiming) -> Option<String> {
        let figure = match self {
            Unit::Cycles => timing.ticks(),
            Unit::Ticks | Unit::Time(_) => timing.cycles.map(|cycles| cycles.median),
        };
        figure.map(|figure| plain(figure.value, None))
    }

    /// The title of the other quantity's column.
    pub fn other_title(&self) -> &'static str {
        if *self == Unit::Cycles { "TSC\nticks ↓" } else { "est. core\ncycles ↓" }
    }

    /// The digits of the median.
    pub fn digits(&self, timing: &BuildTiming) -> String {
        let figure = self.median(timing);
        plain(figure.value, figure.low.zip(figure.high).map(|(low, high)| (high - low) / 2.0))
    }

    /// `3.01 core cycles an iteration (2.32 TSC ticks)`.
    pub fn words(&self, timing: &BuildTiming) -> String {
        let other = if *self == Unit::Cycles { "TSC ticks" } else { "est. core cycles" };
        let other = self.other(timing).map_or(String::new(), |value| format!(" ({value} {other})"));
        format!("{} {} an iteration{other}", self.digits(timing), self.word())
    }
}

/// `7.57…7.60`: with a fourth digit where three are the same.
pub fn ends(low: f64, high: f64) -> String {
    let digits = if significant(low, 3) == significant(high, 3) { 4 } else { 3 };
    format!("{}…{}", significant(low, digits), significant(high, digits))
}

/// The ends of a ratio's interval, marked `apart` where its sides were not measured in the same rounds; empty without an interval.
pub fn ratio_ends(interval: Option<Bounds>, taken: Sampling) -> String {
    let mark = if taken == Sampling::Apart { " apart" } else { "" };
    interval.map_or(String::new(), |i| ends(i.low, i.high) + mark)
}

/// The width of the median's interval: `0.3%`.
pub fn half(unit: &Unit, timing: &BuildTiming) -> String {
    let Figure { value, low, high } = unit.median(timing);
    low.zip(high).map_or(String::new(), |(low, high)| half_width((high - low) / (2.0 * value)))
}

/// `2.1e-7`, `6.8%`, `0`, `∞`.
pub fn relative(error: f64) -> String {
    match error {
        e if e.is_nan() => ABSENT.to_owned(),
        e if e.is_infinite() => "∞".to_owned(),
        0.0 => "0".to_owned(),
        e if e >= GROSS => percent(e),
        e => format!("{e:.1e}"),
    }
}

/// `11`, `1.1e6`.
pub fn ulp(distance: u64) -> String {
    if distance < FAR { count(distance as usize) } else { format!("{:.1e}", distance as f64) }
}

/// The largest distance in units in the last place; `None` where all that differs is NaN or infinite, which has none.
pub fn ulp_of(accuracy: &Accuracy) -> Option<String> {
    let strange = accuracy.nan + accuracy.infinite;
    (strange == 0 || strange < accuracy.differing).then(|| ulp(accuracy.ulp_max))
}

/// `off by 2.1e-7 at most (3 ULP)`, with NaN and infinities where there are some.
pub fn off(accuracy: &Accuracy) -> String {
    let strange = [(accuracy.nan, "NaN"), (accuracy.infinite, "infinite")];
    let strange: Vec<String> =
        strange.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{} {word}", count(*n as usize))).collect();
    let strange = if strange.is_empty() { String::new() } else { format!(", {}", strange.join(", ")) };
    let ulp = ulp_of(accuracy).map_or(String::new(), |ulp| format!(" ({ulp} ULP)"));
    format!("off by {} at most{ulp}{strange}", relative(accuracy.relative_max))
}

/// Whether a row has an answer that says nothing, so that its check does not either.
pub fn is_empty(row: &MatrixRow<'_>) -> bool {
    row.record.outcome.as_ref().is_some_and(Outcome::is_empty_answer)
}

/// The verdict on its answer, with a mark: `✓ right`, `✗ wrong`.
pub fn answer(row: &MatrixRow<'_>) -> Field {
    let is_reference = row.record.cell.role == Role::Base;
    match (row.standing, row.check()) {
        (RowStatus::Wrong, _) => Field::new("✗ wrong", Tone::Bad),
        (RowStatus::Failed | RowStatus::Skipped, _) => Field::default(),
        _ if is_empty(row) => Field::new("? empty", Tone::Doubt),
        (_, None) if is_reference => Field::new("= ref.", Tone::Faint),
        (_, None) => Field::new("? not checked", Tone::Doubt),
        (_, Some(check)) if check.verdict == CheckVerdict::Warn => Field::new("~ imprecise", Tone::Doubt),
        (_, Some(check)) if check.accuracy.as_ref().is_some_and(|a| a.differing == 0) => {
            Field::new("✓ exact", Tone::Good)
        }
        (_, Some(_)) => Field::new("✓ right", Tone::Good),
    }
}

/// How far the median of `timing` lies above its minimum; `None` where samples are too few for a grade: of one, the median is the minimum.
pub fn steadiness(timing: &BuildTiming, by: RankedBy) -> Option<Stability> {
    by.stability(timing).filter(|_| timing.counted >= GRADED)
}

/// How steady its samples are: `GOOD 1.2%`.
pub fn stability(stability: Option<Stability>) -> Field {
    let Some(found) = stability else { return Field::default() };
    let tone = match found.grade {
        Grade::Good => Tone::Good,
        Grade::Average => Tone::Doubt,
        Grade::Bad => Tone::Bad,
    };
    Field::new(format!("{} {}", found.grade.word(), half_width(found.spread)), tone)
}

/// `29/31` where some were disturbed, else `31`.
pub fn samples(timing: &BuildTiming) -> Field {
    if timing.counted == timing.taken {
        return timing.taken.to_string().into();
    }
    Field::new(format!("{}/{}", timing.counted, timing.taken), Tone::Doubt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_that_three_digits_do_not_tell_apart_have_four() {
        assert_eq!([ends(7.566, 7.601), ends(1.4082, 1.4121)], ["7.57…7.60", "1.408…1.412"]);
    }

    #[test]
    fn errors_are_powers_of_ten_until_a_percentage_says_more() {
        let shown = [0.0, 2.14e-7, 9.9e-3, 0.068, 1.5, f64::INFINITY, f64::NAN].map(relative);
        assert_eq!(shown, ["0", "2.1e-7", "9.9e-3", "6.8%", "150%", "∞", ABSENT]);
        assert_eq!([ulp(11), ulp(1_140_850), ulp(u64::MAX)], ["11", "1.1e6", "1.8e19"]);
    }
}
