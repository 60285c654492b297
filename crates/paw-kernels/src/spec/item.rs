//! A key of a spec and its value, read as what it must be.

use std::ops::Range;

use paw_data::spelling::closest;
use paw_formula::{Formula, FormulaErrorKind};
use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use super::SpecError;
use super::fill::plain;
use super::page::Page;
use super::quoted::Quoted;

/// A key and its value.
#[derive(Clone)]
pub(super) struct Item<'a> {
    pub page: &'a Page<'a>,
    pub name: &'a str,
    /// Where the key stands.
    pub key: Range<usize>,
    /// Where the value stands.
    pub span: Range<usize>,
    pub value: &'a DeValue<'a>,
}

impl<'a> Item<'a> {
    /// All of a table, in the order of the file.
    pub fn all(page: &'a Page<'a>, table: &'a DeTable<'a>) -> Vec<Self> {
        let item = |(key, value): (&'a Spanned<_>, &'a Spanned<DeValue<'a>>)| {
            let name: &'a std::borrow::Cow<'a, str> = key.get_ref();
            Self { page, name, key: key.span(), span: value.span(), value: value.get_ref() }
        };
        table.iter().map(item).collect()
    }

    /// What is wrong with the value.
    pub fn error(&self, message: impl Into<String>) -> SpecError {
        self.page.error(self.span.clone(), message)
    }

    fn expected(&self, what: &str) -> SpecError {
        self.error(format!("`{}` must be {what}, not {}", self.name, kind(self.value)))
    }

    /// Whether it is a text.
    pub fn is_text(&self) -> bool {
        matches!(self.value, DeValue::String(_))
    }

    /// A text.
    pub fn text(&self) -> Result<Quoted<'a>, SpecError> {
        match self.value {
            DeValue::String(text) => Ok(Quoted::new(self.page, text, self.span.clone())),
            _ => Err(self.expected("a text in quotation marks")),
        }
    }

    /// A text that is not blank.
    pub fn filled(&self) -> Result<Quoted<'a>, SpecError> {
        let text = self.text()?;
        if text.text.trim().is_empty() {
            return Err(self.error(format!("`{}` is empty: write something, or leave the key away", self.name)));
        }
        Ok(text)
    }

    /// Texts in a list; one stands for a list of one.
    pub fn texts(&self) -> Result<Vec<Quoted<'a>>, SpecError> {
        let DeValue::Array(list) = self.value else {
            return if self.is_text() { Ok(vec![self.text()?]) } else { Err(self.expected("a list of texts")) };
        };
        let text = |value: &'a Spanned<DeValue<'a>>| {
            let item = Self { span: value.span(), value: value.get_ref(), ..self.clone() };
            if item.is_text() { item.text() } else { Err(item.expected("a list of texts")) }
        };
        list.iter().map(text).collect()
    }

    /// A whole number from `least` on; above 2⁶³-1, where TOML ends, as a text.
    pub fn whole(&self, least: u64) -> Result<u64, SpecError> {
        let found = match self.value {
            DeValue::Integer(number) => integer(number).and_then(|number| u64::try_from(number).ok()),
            DeValue::String(text) => text.parse().ok(),
            _ => None,
        };
        found
            .filter(|number| *number >= least)
            .ok_or_else(|| self.error(format!("`{}` must be a whole number from {least} to 2^64-1", self.name)))
    }

    /// A finite number that is not negative.
    pub fn positive(&self) -> Result<f64, SpecError> {
        let found = self.number()?;
        if found.is_finite() && found >= 0.0 {
            return Ok(found);
        }
        Err(self.error(format!("`{}` must be a finite number from 0 on", self.name)))
    }

    fn number(&self) -> Result<f64, SpecError> {
        let found = match self.value {
            DeValue::Integer(number) => integer(number).map(|number| number as f64),
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => None,
        };
        found.ok_or_else(|| self.expected("a number"))
    }

    /// Yes or no.
    pub fn flag(&self) -> Result<bool, SpecError> {
        match self.value {
            DeValue::Boolean(flag) => Ok(*flag),
            _ => Err(self.expected("true or false")),
        }
    }

    /// The keys and values of a table.
    pub fn entries(&self) -> Result<Vec<Self>, SpecError> {
        match self.value {
            DeValue::Table(table) => Ok(Self::all(self.page, table)),
            _ => Err(self.expected("a table")),
        }
    }

    /// What one of the words of a table stands for.
    pub fn word<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, SpecError> {
        let typed = self.text()?;
        words.iter().find(|(word, _)| *word == typed.text).map(|(_, meant)| *meant).ok_or_else(|| {
            let all: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
            self.error(format!("`{}` must be {}, not `{}`", self.name, all.join(" or "), typed.text))
        })
    }

    /// A formula over `names`; a number stands for itself.
    pub fn formula(&self, names: &[&str]) -> Result<Formula, SpecError> {
        if self.is_text() {
            let quoted = self.text()?;
            return formula(self.page, &quoted, 0..quoted.text.len(), names);
        }
        let number = match self.value {
            DeValue::Integer(_) | DeValue::Float(_) => self.number()?,
            _ => return Err(self.expected("a number, or arithmetic in quotation marks")),
        };
        let error = || self.error(format!("`{}` must be a finite number", self.name));
        if number.is_finite() { Formula::parse(&plain(number)).map_err(|_| error()) } else { Err(error()) }
    }
}

/// The formula over `names` that stands at `range` of a text.
pub(super) fn formula(
    page: &Page<'_>,
    quoted: &Quoted<'_>,
    range: Range<usize>,
    names: &[&str],
) -> Result<Formula, SpecError> {
    let typed = &quoted.text[range.clone()];
    let checked = Formula::parse(typed).and_then(|formula| {
        formula.check_names(&|name| names.contains(&name))?;
        Ok(formula)
    });
    checked.map_err(|error| {
        let (message, width) = match &error.fault {
            FormulaErrorKind::Unknown(name) => (unknown(name, names), name.len()),
            fault => (fault.to_string(), 1),
        };
        let start = range.start + error.position;
        page.error(quoted.span(start..(start + width).min(range.end)), message)
    })
}

fn unknown(name: &str, names: &[&str]) -> String {
    // One letter is near to every other.
    match closest(name, names.iter().copied().filter(|_| name.len() > 1)) {
        Some(near) => format!("`{name}` has no value here: did you mean `{near}`?"),
        None => format!("`{name}` has no value here: set it under [scalars], or use {}", names.join(", ")),
    }
}

fn integer(number: &DeInteger<'_>) -> Option<i64> {
    i64::from_str_radix(number.as_str(), number.radix()).ok()
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
