//! The file of baselines: TOML that people write and paw extends.

use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Deserializer};
use toml::Spanned;

use crate::application::Better;
use crate::baseline::pattern::Pattern;
use crate::baseline::unit::Unit;
use crate::baseline::{Baseline, Measured, Provenance, Statistic};
use crate::document::{Document, DocumentError, TableEntry, Text, TextOr, entries, number};
use crate::point::{AxisValue, Point};

/// The baselines of the file at `path`.
///
/// # Errors
/// The file cannot be read, or is not what it should be: the sentence points at the place.
pub fn read(path: &Path) -> Result<Vec<Baseline>, DocumentError> {
    Document::read(path, parse)
}

/// The baselines of a document.
///
/// # Errors
/// It is no TOML, has an unknown key, lacks one, or has a value that cannot be.
pub fn parse(document: &Document<'_>) -> Result<Vec<Baseline>, DocumentError> {
    let file: Typed = document.parse()?;
    if file.reference.is_empty() {
        return Err(document.whole("holds no [[reference]]: `paw gate set --from RUN --out FILE` writes some"));
    }
    let ends: Vec<usize> = document.text.match_indices('\n').map(|(at, _)| at).collect();
    let line = |at: usize| ends.partition_point(|end| *end < at) + 1;
    file.reference.into_iter().map(|typed| baseline(document, line(typed.span().start), typed)).collect()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Typed {
    #[serde(default)]
    reference: Vec<Spanned<TypedEntry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TypedEntry {
    benchmark: Option<Text>,
    command: Option<Text>,
    provider: Option<Text>,
    #[serde(default, deserialize_with = "entries")]
    point: Vec<TableEntry<AxisValue>>,
    metric: Option<Text>,
    better: Option<Spanned<Better>>,
    #[serde(default)]
    statistic: Statistic,
    value: Spanned<Number>,
    unit: Text,
    lower: Option<Spanned<Bound>>,
    upper: Option<Spanned<Bound>>,
    machine: Option<Text>,
    provenance: Option<TextOr<Measured>>,
}

struct Number(f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        number(deserializer).map(Self)
    }
}

/// A bound as typed: a fraction of the value, or a text with a value of its own.
type Bound = TextOr<Number>;

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Lower,
    Upper,
}

fn baseline(document: &Document<'_>, line: usize, typed: Spanned<TypedEntry>) -> Result<Baseline, DocumentError> {
    let span = typed.span();
    let header = span.start..span.start.saturating_add("[[reference]]".len()).min(span.end);
    let typed = typed.into_inner();
    if typed.benchmark.is_none() && typed.command.is_none() {
        return Err(document.error(header, "there is neither `benchmark` nor `command`: write what was measured"));
    }
    let unit = unit(document, &header, &typed)?;
    let value = typed.value.get_ref().0 * unit.factor;
    if value <= 0.0 {
        return Err(document.key_error(&typed.value.span(), "`value` must be above 0"));
    }
    if value.is_infinite() {
        return Err(document.key_error(&typed.value.span(), "`value` is too large for a number"));
    }
    let bound = |side: Side, typed: Option<Spanned<Bound>>| {
        typed.map(|typed| absolute(document, &typed, value, &unit, side)).transpose()
    };
    let (lower, upper) = (bound(Side::Lower, typed.lower)?, bound(Side::Upper, typed.upper)?);
    let mut point = Point::new();
    typed.point.into_iter().for_each(|entry| point.set(&entry.name, entry.value));
    let text = |text: Option<Text>| text.map(|text| text.text);
    Ok(Baseline {
        benchmark: text(typed.benchmark).unwrap_or_default(),
        command: text(typed.command).map(Pattern),
        provider: text(typed.provider),
        point,
        metric: text(typed.metric),
        statistic: typed.statistic,
        value,
        unit,
        lower,
        upper,
        machine: text(typed.machine).map(Pattern),
        provenance: match typed.provenance {
            None => Provenance::Stated(String::new()),
            Some(TextOr::Text(words)) => Provenance::Stated(words),
            Some(TextOr::Other(measured)) => Provenance::Measured(measured),
        },
        line,
        span: header,
    })
}

/// The unit: of a quantity, which says what is better, or as a program prints it, where the entry says so.
fn unit(document: &Document<'_>, header: &Range<usize>, typed: &TypedEntry) -> Result<Unit, DocumentError> {
    match (&typed.metric, &typed.better) {
        (Some(_), Some(better)) => Ok(Unit::of_metric(&typed.unit.text, *better.get_ref())),
        (Some(metric), None) => {
            let why =
                format!("of `{}` nobody knows what is better: write better = \"lower\" or \"higher\"", metric.text);
            Err(document.error(header.clone(), why))
        }
        (None, Some(better)) => Err(document
            .error(better.span(), "`better` is of a `metric`: the unit says it of what paw measures".to_owned())),
        (None, None) => Unit::parse(&typed.unit.text).map_err(|why| document.error(document.inside(&typed.unit), why)),
    }
}

/// The value of a bound in plain units.
fn absolute(
    document: &Document<'_>,
    typed: &Spanned<Bound>,
    value: f64,
    unit: &Unit,
    side: Side,
) -> Result<f64, DocumentError> {
    let refused = |why: String| document.error(typed.span(), why);
    let found = match typed.get_ref() {
        TextOr::Other(Number(fraction)) => relative(*fraction, value, side),
        TextOr::Text(text) => match text.trim().strip_suffix('%').map(|digits| digits.trim().parse::<f64>()) {
            Some(Ok(percent)) if percent.is_finite() => relative(percent / 100.0, value, side),
            Some(_) => Err(format!("`{text}` is no share: write -5%")),
            None => in_unit(text, unit),
        },
    };
    let found = found.map_err(refused)?;
    if found.is_infinite() {
        let words = if side == Side::Lower { "`lower` is too large" } else { "`upper` is too large" };
        return Err(refused(format!("{words} for a number")));
    }
    let beyond = if side == Side::Lower { found > value } else { found < value };
    if beyond {
        let words = if side == Side::Lower { "`lower` is above the value" } else { "`upper` is below the value" };
        return Err(refused(words.to_owned()));
    }
    Ok(found)
}

/// A fraction as ReFrame has it: `lower` from -1 to 0, `upper` from 0 on.
fn relative(fraction: f64, value: f64, side: Side) -> Result<f64, String> {
    match side {
        Side::Lower if (-1.0..=0.0).contains(&fraction) => Ok(value * (1.0 + fraction)),
        Side::Upper if fraction >= 0.0 => Ok(value * (1.0 + fraction)),
        Side::Lower => {
            Err("`lower` is a fraction of the value from -1 to 0, or a text with its unit: \"38.2 ms\"".into())
        }
        Side::Upper => Err("`upper` is a fraction of the value from 0 on, or a text with its unit: \"38.2 ms\"".into()),
    }
}

/// A value of its own: `38.2 GFLOP/s`, or in the entry's unit `38.2`.
fn in_unit(text: &str, unit: &Unit) -> Result<f64, String> {
    let (digits, own) = text.trim().split_once(' ').unwrap_or((text.trim(), &unit.text));
    let number = digits.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    let number =
        number.ok_or_else(|| format!("`{text}` is no bound: write -0.05, \"-5%\" or \"38.2 {}\"", unit.text))?;
    let own = unit.related(own).map_err(|why| if why.starts_with('`') { why } else { format!("`{text}` {why}") })?;
    Ok(number * own.factor)
}
