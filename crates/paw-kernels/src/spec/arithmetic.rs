//! Formulas of a spec, held against the names they may use.

use std::fmt;
use std::ops::Range;

use paw_data::document::{Document, DocumentError, Text};
use paw_data::spelling::closest;
use paw_formula::{Formula, FormulaErrorKind};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::fill::plain;

/// Arithmetic in quotation marks, or a number alone.
#[derive(Debug, Clone)]
pub(super) struct Arithmetic(Text);

impl Arithmetic {
    /// The formula over `names`.
    pub fn formula(&self, document: &Document<'_>, names: &[&str]) -> Result<Formula, DocumentError> {
        formula(document, &self.0, 0..self.0.text.len(), names)
    }
}

impl<'de> Deserialize<'de> for Arithmetic {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned: Spanned<Typed> = Spanned::deserialize(deserializer)?;
        Ok(Self(Text { span: spanned.span(), text: spanned.into_inner().0 }))
    }
}

struct Typed(String);

impl<'de> Deserialize<'de> for Typed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrText;
        impl Visitor<'_> for NumberOrText {
            type Value = Typed;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or arithmetic in quotation marks")
            }
            fn visit_str<E>(self, text: &str) -> Result<Typed, E> {
                Ok(Typed(text.to_owned()))
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Typed, E> {
                self.visit_f64(number as f64)
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<Typed, E> {
                if number.is_finite() { Ok(Typed(plain(number))) } else { Err(E::custom("must be a finite number")) }
            }
        }
        deserializer.deserialize_any(NumberOrText)
    }
}

/// The formula over `names` at `range` of `text`.
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
