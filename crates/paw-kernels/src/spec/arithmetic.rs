//! Formulas of a spec, checked against the names they may use.

use std::ops::Range;

use paw_data::document::{Document, DocumentError, Text};
use paw_data::spelling::closest;
use paw_formula::{Formula, FormulaErrorKind};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::fill::plain;

/// Arithmetic in quotation marks, or a single number.
#[derive(Debug, Clone)]
pub(super) struct Arithmetic(Text);

impl Arithmetic {
    /// The parsed formula, which may use `names`.
    pub fn formula(&self, document: &Document<'_>, names: &[&str]) -> Result<Formula, DocumentError> {
        formula(document, &self.0, 0..self.0.text.len(), names)
    }
}

impl<'de> Deserialize<'de> for Arithmetic {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let typed: Spanned<NumberOrText> = Spanned::deserialize(deserializer)?;
        let span = typed.span();
        match typed.into_inner() {
            NumberOrText::Text(text) => Ok(Self(Text { span, text })),
            NumberOrText::Number(number) if number.is_finite() => Ok(Self(Text { span, text: plain(number) })),
            NumberOrText::Number(_) => Err(D::Error::custom("must be a finite number")),
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "must be a number, or arithmetic in quotation marks")]
enum NumberOrText {
    Number(f64),
    Text(String),
}

/// The formula in the bytes `range` of `text`, which may use `names`.
pub(super) fn formula(
    document: &Document<'_>,
    text: &Text,
    range: Range<usize>,
    names: &[&str],
) -> Result<Formula, DocumentError> {
    let checked = Formula::parse(&text.text[range.clone()]).and_then(|formula| {
        formula.check_names(&|name| names.contains(&name))?;
        Ok(formula)
    });
    checked.map_err(|error| {
        let (message, width) = match &error.fault {
            FormulaErrorKind::Unknown(name) => (unknown(name, names), name.len()),
            fault => (fault.to_string(), 1),
        };
        let start = range.start + error.position;
        document.error(document.part(text, start..(start + width).min(range.end)), message)
    })
}

fn unknown(name: &str, names: &[&str]) -> String {
    // One letter is near to every other.
    match closest(name, names.iter().copied().filter(|_| name.len() > 1)) {
        Some(near) => format!("`{name}` has no value here: did you mean `{near}`?"),
        None => format!("`{name}` has no value here: set it under [scalars], or use {}", names.join(", ")),
    }
}
