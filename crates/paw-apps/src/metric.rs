//! Metrics: numbers that a program prints, read by regular expressions such as `fit_ms=KinFit: ([0-9.]+) ms`.

use paw_data::application::{Better, MetricFact};
use regex::{Regex, RegexBuilder};
use thiserror::Error;

/// An error in a metric, as typed or in an output.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MetricError {
    /// The text has not the form `NAME=REGEX`.
    #[error("`{0}` is no metric: write NAME=REGEX or NAME[UNIT,higher]=REGEX, such as 'fit_ms=KinFit: ([0-9.]+) ms'")]
    Form(String),
    /// The brackets hold more than a unit and a direction.
    #[error("`{typed}`: `[{brackets}]` may hold a unit and a direction, lower or higher: [ms,lower]")]
    Brackets {
        /// The metric as typed.
        typed: String,
        /// The text in its brackets.
        brackets: String,
    },
    /// The pattern is no regular expression.
    #[error("metric {name}: `{pattern}` is no regular expression: {why}")]
    Pattern {
        /// The metric.
        name: String,
        /// Its pattern.
        pattern: String,
        /// The parser's error, in one line.
        why: String,
    },
    /// The pattern has no group that would mark the number.
    #[error("metric {name}: `{pattern}` has no group: put parentheses around the number, such as ([0-9.]+)")]
    Group {
        /// The metric.
        name: String,
        /// Its pattern.
        pattern: String,
    },
    /// The program printed nothing that matches the pattern.
    #[error("metric {name}: neither stdout nor stderr has a line that `{pattern}` fits")]
    Missing {
        /// The metric.
        name: String,
        /// Its pattern.
        pattern: String,
    },
    /// The printed text is no number.
    #[error("metric {name}: `{pattern}` found `{text}`, which is no number: narrow its group")]
    Number {
        /// The metric.
        name: String,
        /// Its pattern.
        pattern: String,
        /// The text of the group.
        text: String,
    },
}

/// A number that is read from a program's outputs.
#[derive(Debug, Clone)]
pub struct Metric {
    /// Its name: letters, digits, `_`, `.` and `-`.
    pub name: String,
    /// Unit; empty: a bare number.
    pub unit: String,
    /// Whether smaller or larger values are better.
    pub better: Better,
    /// The regular expression, whose first group is the number; `^` and `$` match at line ends.
    pub pattern: Regex,
}

/// Suffixes of names, with the unit and the better direction that they imply.
const SUFFIXES: &[(&str, &str, Better)] = &[
    ("_per_s", "1/s", Better::Higher),
    ("_GBs", "GB/s", Better::Higher),
    ("_MBs", "MB/s", Better::Higher),
    ("_GFLOPs", "GFLOP/s", Better::Higher),
    ("_GFLOPS", "GFLOP/s", Better::Higher),
    ("_MFLOPS", "MFLOP/s", Better::Higher),
    ("_ns", "ns", Better::Lower),
    ("_us", "us", Better::Lower),
    ("_ms", "ms", Better::Lower),
    ("_s", "s", Better::Lower),
    ("_bytes", "bytes", Better::Lower),
];

const DIRECTIONS: &[(&str, Better)] = &[("lower", Better::Lower), ("higher", Better::Higher)];

impl Metric {
    /// Parses `NAME=REGEX` or `NAME[UNIT,DIRECTION]=REGEX`, where either of unit and direction may be left out.
    ///
    /// Missing parts follow from the suffix of the name (`_ms`: milliseconds; `_per_s`: a rate, more is better);
    /// else there is no unit, and less is better.
    ///
    /// # Errors
    /// What is wrong with it: its form, its brackets, its pattern, or a pattern without a group.
    pub fn parse(text: &str) -> Result<Self, MetricError> {
        let (MetricFact { name, unit, better }, pattern) = fact(text)?;
        let pattern = compiled(&name, pattern)?;
        Ok(Self { name, unit, better, pattern })
    }

    /// The number in the last match in `stdout`, else in `stderr`; Fortran's `0.5D+03` is a number, too.
    ///
    /// # Errors
    /// Nothing matches, or the group is no finite number.
    pub fn read(&self, stdout: &str, stderr: &str) -> Result<f64, MetricError> {
        let (name, pattern) = (self.name.clone(), self.pattern.to_string());
        match self.last(stdout).or_else(|| self.last(stderr)) {
            None => Err(MetricError::Missing { name, pattern }),
            Some(text) => number(text).ok_or_else(|| MetricError::Number { name, pattern, text: text.to_owned() }),
        }
    }

    fn last<'t>(&self, output: &'t str) -> Option<&'t str> {
        let found = self.pattern.captures_iter(output).filter_map(|groups| groups.get(1));
        found.last().map(|group| group.as_str())
    }

    /// Name, unit and direction, as a run records them.
    pub fn fact(&self) -> MetricFact {
        MetricFact { name: self.name.clone(), unit: self.unit.clone(), better: self.better }
    }
}

/// The metric and the text behind `=` of `NAME=TEXT` or `NAME[UNIT,DIRECTION]=TEXT`; missing parts follow from the suffix of the name.
///
/// # Errors
/// The text has another form, or its brackets hold something else.
pub fn fact(text: &str) -> Result<(MetricFact, &str), MetricError> {
    let form = || MetricError::Form(text.to_owned());
    let end = text.find(['=', '[']).ok_or_else(form)?;
    let (name, rest) = (text[..end].trim(), &text[end..]);
    let (brackets, behind) = match rest.strip_prefix('[') {
        Some(rest) => rest.split_once("]=").ok_or_else(form)?,
        None => ("", &rest[1..]),
    };
    if !is_name(name) || behind.is_empty() {
        return Err(form());
    }
    let (unit, better) = unit_and_direction(name, brackets)
        .ok_or_else(|| MetricError::Brackets { typed: text.to_owned(), brackets: brackets.to_owned() })?;
    Ok((MetricFact { name: name.to_owned(), unit, better }, behind))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c))
}

fn unit_and_direction(name: &str, brackets: &str) -> Option<(String, Better)> {
    let suffix = SUFFIXES.iter().find(|(suffix, ..)| name.ends_with(suffix));
    let (mut unit, mut better) = (None, None);
    for part in brackets.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let seen = match DIRECTIONS.iter().find(|(word, _)| *word == part) {
            Some((_, direction)) => better.replace(*direction).is_some(),
            None => unit.replace(part).is_some(),
        };
        if seen {
            return None;
        }
    }
    let unit = unit.or(suffix.map(|(_, unit, _)| *unit)).unwrap_or_default();
    Some((unit.to_owned(), better.or(suffix.map(|(.., better)| *better)).unwrap_or_default()))
}

fn compiled(name: &str, pattern: &str) -> Result<Regex, MetricError> {
    let (name, shown) = (name.to_owned(), pattern.to_owned());
    match lines(pattern) {
        Err(why) => Err(MetricError::Pattern { name, pattern: shown, why }),
        Ok(regex) if regex.captures_len() < 2 => Err(MetricError::Group { name, pattern: shown }),
        Ok(regex) => Ok(regex),
    }
}

/// Compiles `pattern` with `^` and `$` matching at line ends; the error is the parser's, in one line.
pub(crate) fn lines(pattern: &str) -> Result<Regex, String> {
    let built = RegexBuilder::new(pattern).multi_line(true).crlf(true).build();
    // A parse error has several lines, the last of which says what is wrong.
    built.map_err(|error| {
        let text = error.to_string();
        let last = text.lines().last().unwrap_or_default();
        last.strip_prefix("error: ").unwrap_or(last).to_owned()
    })
}

fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let read = text.parse().or_else(|_| text.replace(['D', 'd'], "E").parse());
    read.ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (String, String, Better) {
        let metric = Metric::parse(text).unwrap();
        (metric.name, metric.unit, metric.better)
    }

    #[track_caller]
    fn is(text: &str, name: &str, unit: &str, better: Better) {
        assert_eq!(parsed(text), (name.to_owned(), unit.to_owned(), better), "{text}");
    }

    #[track_caller]
    fn refused(text: &str, sentence: &str) {
        assert_eq!(Metric::parse(text).unwrap_err().to_string(), sentence);
    }

    #[test]
    fn unit_and_direction_come_from_the_brackets_or_from_the_name() {
        is("fit_ms=([0-9]+)", "fit_ms", "ms", Better::Lower);
        is("events_per_s=([0-9]+)", "events_per_s", "1/s", Better::Higher);
        is("copy_GBs=([0-9]+)", "copy_GBs", "GB/s", Better::Higher);
        is("energy=(.+)", "energy", "", Better::Lower);
        is("rate[ev/s,higher]=([0-9]+)", "rate", "ev/s", Better::Higher);
        is("rate[higher]=a=([0-9]+)", "rate", "", Better::Higher);
        is("fit_ms[s]=([0-9]+)", "fit_ms", "s", Better::Lower);
        is("fit_ms[higher, s]=([0-9]+)", "fit_ms", "s", Better::Higher);
    }

    #[test]
    fn what_is_wrong_with_a_metric_is_said_at_once() {
        let form = |typed| MetricError::Form(String::from(typed)).to_string();
        for text in ["fit_ms", "=([0-9]+)", "fit ms=([0-9]+)", "fit_ms=", "fit[ms=([0-9]+)"] {
            refused(text, &form(text));
        }
        refused(
            "fit[ms,s]=(.)",
            "`fit[ms,s]=(.)`: `[ms,s]` may hold a unit and a direction, lower or higher: [ms,lower]",
        );
        refused(
            "fit=[0-9]+",
            "metric fit: `[0-9]+` has no group: put parentheses around the number, such as ([0-9.]+)",
        );
        refused("fit=(", "metric fit: `(` is no regular expression: unclosed group");
    }

    #[test]
    fn the_last_place_that_fits_counts_and_stdout_comes_first() {
        let metric = Metric::parse("fit_ms=^fit: (.*) ms$").unwrap();
        assert_eq!(metric.read("fit: 1.5 ms\nfit: 2.5 ms\n", "fit: 9 ms"), Ok(2.5));
        assert_eq!(metric.read("fit: 2.5 ms\r\n", ""), Ok(2.5));
        assert_eq!(metric.read("refit: 1 ms", "fit: 9e-1 ms"), Ok(0.9));
        assert_eq!(metric.read("", "fit:  0.15D+03 ms"), Ok(150.0));
    }

    #[test]
    fn a_group_that_took_no_part_is_not_a_number() {
        let metric = Metric::parse("t_s=time(?: ([0-9]+))?").unwrap();
        assert_eq!(metric.read("time 4\ntime\n", ""), Ok(4.0));
    }

    #[test]
    fn an_output_without_the_number_is_an_error_in_words() {
        let metric = Metric::parse("fit_ms=fit: (.*) ms").unwrap();
        let sentence = |stdout: &str| metric.read(stdout, "").unwrap_err().to_string();
        assert_eq!(sentence("done"), "metric fit_ms: neither stdout nor stderr has a line that `fit: (.*) ms` fits");
        for text in ["fast", "nan", "inf", ""] {
            let expected =
                format!("metric fit_ms: `fit: (.*) ms` found `{text}`, which is no number: narrow its group");
            assert_eq!(sentence(&format!("fit: {text} ms")), expected);
        }
    }
}
