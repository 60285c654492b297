//! Units as people write them: a prefix and the unit of a quantity, or the unit that a program prints.

use crate::application::{Better, MetricFact};
use crate::history::Measure;
use crate::quantity::Quantity;

/// Prefixes of units, the largest first; `u` is read for µ.
const PREFIXES: &[(&str, f64)] = &[
    ("E", 1e18),
    ("P", 1e15),
    ("T", 1e12),
    ("G", 1e9),
    ("M", 1e6),
    ("k", 1e3),
    ("", 1.0),
    ("m", 1e-3),
    ("u", 1e-6),
    ("µ", 1e-6),
    ("n", 1e-9),
    ("p", 1e-12),
];

/// The quantities and their units; a word of files first.
const UNITS: &[(&str, Quantity)] = &[
    ("messages/s", Quantity::Messages),
    ("msg/s", Quantity::Messages),
    ("updates/s", Quantity::Updates),
    ("FLOP/s", Quantity::Flops),
    ("B/s", Quantity::Bytes),
    ("Hz", Quantity::Cycles),
    ("s", Quantity::Time),
];

/// What a unit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// A quantity that paw measures.
    Quantity(Quantity),
    /// A number that a program prints.
    Metric(Better),
}

impl Counted {
    /// Whether more of it is better.
    pub fn more_is_better(self) -> bool {
        match self {
            Counted::Quantity(quantity) => quantity.more_is_better(),
            Counted::Metric(better) => better == Better::Higher,
        }
    }
}

/// A unit with its prefix.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// What it counts.
    pub counted: Counted,
    /// One of it in plain units: 1e9 for `GFLOP/s`, 1 for the unit that a program prints.
    pub factor: f64,
    /// As written.
    pub text: String,
}

impl Unit {
    /// The unit that `text` names.
    ///
    /// # Errors
    /// There is no such unit; the sentence lists those there are.
    pub fn parse(text: &str) -> Result<Self, String> {
        let found = UNITS.iter().find_map(|(unit, quantity)| {
            let prefix = text.trim().strip_suffix(unit)?;
            let factor = PREFIXES.iter().find(|(own, _)| *own == prefix)?.1;
            Some(Self { counted: Counted::Quantity(*quantity), factor, text: text.trim().to_owned() })
        });
        found.ok_or_else(|| {
            format!("`{text}` is no unit: write s, FLOP/s, B/s, messages/s, updates/s or Hz, with a prefix (ms, GB/s)")
        })
    }

    /// The unit of a number that a program prints; `text` may be empty.
    pub fn of_metric(text: &str, better: Better) -> Self {
        Self { counted: Counted::Metric(better), factor: 1.0, text: text.trim().to_owned() }
    }

    /// The unit of the values of `metric`.
    pub fn printed(metric: &MetricFact) -> Self {
        Self::of_metric(&metric.unit, metric.better)
    }

    /// One of the words that this unit goes over into: those of a quantity with any prefix; those of a metric as they are.
    ///
    /// # Errors
    /// `text` is another unit, or none.
    pub fn related(&self, text: &str) -> Result<Self, String> {
        let found = match self.counted {
            Counted::Quantity(_) => Self::parse(text)?,
            Counted::Metric(better) => Self::of_metric(text, better),
        };
        if self.is_related(&found) { Ok(found) } else { Err(format!("is in {text}, and the value in {}", self.text)) }
    }

    /// Whether values of both go over into each other.
    pub fn is_related(&self, other: &Self) -> bool {
        let is_metric = matches!(self.counted, Counted::Metric(_));
        self.counted == other.counted && (!is_metric || self.text == other.text)
    }

    /// The plain unit: `FLOP/s` of `GFLOP/s`.
    pub fn plain(&self) -> &str {
        match self.counted {
            Counted::Quantity(quantity) => quantity.unit(),
            Counted::Metric(_) => &self.text,
        }
    }

    /// The unit in which `value` has one to three digits before the point; times have no unit above the second.
    pub fn fitting(value: f64, quantity: Quantity) -> Self {
        let largest = if quantity == Quantity::Time { 1.0 } else { f64::INFINITY };
        let fits = |factor: f64| factor <= largest && value.abs() * (1.0 + 5e-5) >= factor;
        let written = PREFIXES.iter().filter(|(prefix, _)| *prefix != "µ");
        let (prefix, factor) = written.clone().find(|(_, factor)| fits(*factor)).unwrap_or(if value == 0.0 {
            &("", 1.0)
        } else {
            &("p", 1e-12)
        });
        Self { counted: Counted::Quantity(quantity), factor: *factor, text: format!("{prefix}{}", quantity.unit()) }
    }

    /// The unit of a number of a history near `value`.
    pub fn of_measure(value: f64, measure: &Measure) -> Self {
        match measure {
            Measure::Quantity(quantity) => Self::fitting(value, *quantity),
            Measure::Metric(metric) => Self::printed(metric),
        }
    }

    /// `value`, which is in plain units, in this unit with at most five significant digits.
    pub fn rounded(&self, value: f64) -> f64 {
        let scaled = value / self.factor;
        format!("{scaled:.4e}").parse().unwrap_or(scaled)
    }

    /// `407.2 GFLOP/s` of a value in plain units.
    pub fn shown(&self, value: f64) -> String {
        format!("{} {}", self.digits(value), self.text).trim_end().to_owned()
    }

    /// `407.2` of a value in plain units: four significant digits.
    pub fn digits(&self, value: f64) -> String {
        let scaled = value / self.factor;
        if !scaled.is_finite() {
            return "–".to_owned();
        }
        let rounded: f64 = format!("{scaled:.3e}").parse().unwrap_or(scaled);
        let before = if rounded == 0.0 { 0 } else { rounded.abs().log10().floor() as i32 };
        if !(-5..=8).contains(&before) {
            format!("{rounded:e}")
        } else {
            format!("{rounded:.*}", (3 - before).max(0) as usize)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_a_prefix_and_a_quantity() {
        for (text, quantity, factor) in [
            ("s", Quantity::Time, 1.0),
            ("ms", Quantity::Time, 1e-3),
            ("us", Quantity::Time, 1e-6),
            ("µs", Quantity::Time, 1e-6),
            ("GFLOP/s", Quantity::Flops, 1e9),
            ("MB/s", Quantity::Bytes, 1e6),
            ("kmsg/s", Quantity::Messages, 1e3),
            ("messages/s", Quantity::Messages, 1.0),
            ("Gupdates/s", Quantity::Updates, 1e9),
            ("GHz", Quantity::Cycles, 1e9),
        ] {
            let found = Unit::parse(text).unwrap();
            assert_eq!((found.counted, found.factor), (Counted::Quantity(quantity), factor), "{text}");
        }
        for text in ["", "MiB/s", "seconds", "Gs/", "KB/s"] {
            assert!(Unit::parse(text).unwrap_err().contains("is no unit"), "{text}");
        }
    }

    #[test]
    fn a_value_is_written_with_few_digits() {
        for (value, quantity, text) in [
            (4.072e11, Quantity::Flops, "407.2 GFLOP/s"),
            (0.010_123_4, Quantity::Time, "10.12 ms"),
            (123.4, Quantity::Time, "123.4 s"),
            (1e-15, Quantity::Time, "0.001000 ps"),
            (0.0, Quantity::Bytes, "0.000 B/s"),
        ] {
            let unit = Unit::fitting(value, quantity);
            assert_eq!(unit.shown(value), text);
            assert_eq!(Unit::parse(&unit.text), Ok(unit));
        }
    }
}
