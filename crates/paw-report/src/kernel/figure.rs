//! Numbers of kernels as text.

use paw_data::cell::Role;
use paw_data::matrix::{BuildTiming, MatrixRow, RowStatus};
use paw_data::outcome::{Accuracy, CheckVerdict};
use paw_data::quantity::Quantity;
use paw_data::summary::Figure;
use paw_stats::stability::{Grade, Stability};

use crate::application::figure::plain;
use crate::model::{Field, Tone};
use crate::number::{ABSENT, Scale, count, half_width, percent, significant};

/// Relative error from which a percentage is clearer than a power of ten.
const GROSS: f64 = 1e-2;
/// Distance in units in the last place from which a power of ten is clearer than a count.
const FAR: u64 = 1_000_000;

/// The unit of the time of an iteration.
#[derive(Debug, Clone, PartialEq)]
pub enum Unit {
    /// Ticks of the time-stamp counter.
    Ticks,
    /// Seconds with a prefix, where the clock counts no ticks.
    Time(Scale),
}

impl Unit {
    /// The unit that all of `timings` have.
    pub fn of<'t>(timings: impl Iterator<Item = &'t BuildTiming> + Clone) -> Self {
        if timings.clone().all(|t| t.hz.is_some()) {
            return Unit::Ticks;
        }
        let largest = timings.map(|t| t.median_s.value).filter(|t| t.is_finite()).fold(0.0, f64::max);
        Unit::Time(Scale::of(largest, Quantity::Time))
    }

    /// `TSC ticks`, `ns`.
    pub fn word(&self) -> &str {
        match self {
            Unit::Ticks => "TSC ticks",
            Unit::Time(scale) => &scale.unit,
        }
    }

    /// `seconds` of `timing` in this unit.
    pub fn value(&self, timing: &BuildTiming, seconds: f64) -> f64 {
        match self {
            Unit::Ticks => seconds * timing.hz.unwrap_or(f64::NAN),
            Unit::Time(scale) => seconds / scale.factor,
        }
    }

    /// The median in this unit.
    pub fn median(&self, timing: &BuildTiming) -> Figure {
        let value = |seconds| self.value(timing, seconds);
        let Figure { value: middle, low, high } = timing.median_s;
        Figure { value: value(middle), low: low.map(value), high: high.map(value) }
    }

    /// The digits of the median.
    pub fn digits(&self, timing: &BuildTiming) -> String {
        let figure = self.median(timing);
        plain(figure.value, figure.low.zip(figure.high).map(|(low, high)| (high - low) / 2.0))
    }

    /// `3.04 TSC ticks an iteration`.
    pub fn words(&self, timing: &BuildTiming) -> String {
        format!("{} {} an iteration", self.digits(timing), self.word())
    }
}

/// `7.57…7.60`: with a fourth digit where three are the same.
pub fn ends(low: f64, high: f64) -> String {
    let digits = if significant(low, 3) == significant(high, 3) { 4 } else { 3 };
    format!("{}…{}", significant(low, digits), significant(high, digits))
}

/// The width of the median's interval: `0.3%`.
pub fn half(timing: &BuildTiming) -> String {
    timing.half_width().map_or(String::new(), half_width)
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

/// `off by 2.1e-7 at most (3 ULP)`, with NaN and infinities where there are some.
pub fn off(accuracy: &Accuracy) -> String {
    let strange = [(accuracy.nan, "NaN"), (accuracy.infinite, "infinite")];
    let strange: Vec<String> =
        strange.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{} {word}", count(*n as usize))).collect();
    let strange = if strange.is_empty() { String::new() } else { format!(", {}", strange.join(", ")) };
    format!("off by {} at most ({} ULP){strange}", relative(accuracy.relative_max), ulp(accuracy.ulp_max))
}

/// The verdict on its answer, with a mark: `✓ right`, `✗ wrong`.
pub fn answer(row: &MatrixRow<'_>) -> Field {
    let is_reference = row.record.cell.role == Role::Base;
    match (row.standing, row.check()) {
        (RowStatus::Wrong, _) => Field::new("✗ wrong", Tone::Bad),
        (RowStatus::Failed | RowStatus::Skipped, _) => Field::default(),
        (_, None) if is_reference => Field::new("= ref.", Tone::Faint),
        (_, None) => Field::new("? not checked", Tone::Doubt),
        (_, Some(check)) if check.verdict == CheckVerdict::Warn => Field::new("~ imprecise", Tone::Doubt),
        (_, Some(check)) if check.accuracy.as_ref().is_some_and(|a| a.differing == 0) => {
            Field::new("✓ exact", Tone::Good)
        }
        (_, Some(_)) => Field::new("✓ right", Tone::Good),
    }
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
