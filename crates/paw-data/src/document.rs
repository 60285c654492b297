//! A TOML file that a user writes, read into a type by serde; every error points at its place in the file.

mod explain;
mod value;

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use toml::de::DeTable;

use crate::bounded;
use crate::place::{Place, pointed};
use explain::{explained, key_at};
pub use value::{TableEntry, Text, TextOr, Texts, entries, non_negative, number, whole};

/// An error in a document: one sentence after file, line and column, then the line with a caret under the place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentError {
    /// The file.
    pub path: PathBuf,
    /// The place in the file; `None` if the message is about the whole file.
    pub place: Option<Place>,
    /// The error in one sentence.
    pub message: String,
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        pointed(f, &self.path, self.place.as_ref(), &self.message)
    }
}

impl std::error::Error for DocumentError {}

/// The text of a file.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// The file.
    pub path: &'a Path,
    /// Its contents.
    pub text: &'a str,
}

impl Document<'_> {
    /// Reads the file at `path` and passes it to `parse`.
    ///
    /// # Errors
    /// The file cannot be read, or `parse` refuses it.
    pub fn read<T>(
        path: &Path,
        parse: impl FnOnce(&Document<'_>) -> Result<T, DocumentError>,
    ) -> Result<T, DocumentError> {
        let unreadable = |why| Document { path, text: "" }.whole(format!("cannot be read: {why}"));
        parse(&Document { path, text: &bounded::text(path).map_err(unreadable)? })
    }

    /// The document as a `T`.
    ///
    /// # Errors
    /// It is no TOML, or holds an unknown key or a value of another type.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, DocumentError> {
        toml::from_str(self.text).map_err(|error| {
            let message = error.message().lines().collect::<Vec<_>>().join("; ");
            let Some(span) = error.span() else { return self.whole(message) };
            let table = DeTable::parse(self.text).ok();
            let key = table.as_ref().and_then(|table| key_at(table.get_ref(), &span, ""));
            self.error(span, key.map_or(message.clone(), |key| explained(&key, &message)))
        })
    }

    /// `message` about the bytes `span`.
    pub fn error(&self, span: Range<usize>, message: impl Into<String>) -> DocumentError {
        DocumentError { path: self.path.to_owned(), place: Some(Place::of(self.text, span)), message: message.into() }
    }

    /// `message` about the file as a whole.
    pub fn whole(&self, message: impl Into<String>) -> DocumentError {
        DocumentError { path: self.path.to_owned(), place: None, message: message.into() }
    }

    /// `message` about the key of the value at `span`; about the value, if there is no such key.
    pub fn key_error(&self, span: &Range<usize>, message: impl Into<String>) -> DocumentError {
        let table = DeTable::parse(self.text).ok();
        let key = table.as_ref().and_then(|table| key_at(table.get_ref(), span, ""));
        self.error(key.map_or(span.clone(), |key| key.span), message)
    }

    /// The bytes in the file of `part`, bytes of a string's value; the whole literal, quotation marks included, if they cannot be found.
    pub fn part(&self, text: &Text, part: Range<usize>) -> Range<usize> {
        let literal = self.text.get(text.span.clone()).unwrap_or_default();
        match (position(literal, part.start), position(literal, part.end)) {
            (Some(from), Some(to)) if from <= to => text.span.start + from..text.span.start + to,
            _ => text.span.clone(),
        }
    }

    /// The bytes of a string in the file, without its quotation marks.
    pub fn inside(&self, text: &Text) -> Range<usize> {
        self.part(text, 0..text.text.len())
    }
}

/// The byte of a string literal at which byte `at` of its value begins: the longest prefix of the literal whose value has `at` bytes.
fn position(literal: &str, at: usize) -> Option<usize> {
    let mark = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|mark| literal.starts_with(mark))?;
    let inner = literal.strip_prefix(mark)?.strip_suffix(mark)?;
    // A prefix that ends within an escape sequence is no literal.
    let length = |end: usize| {
        let table: toml::Table = toml::from_str(&format!("k = {mark}{}{mark}", inner.get(..end)?)).ok()?;
        table.get("k")?.as_str().map(str::len)
    };
    (0..=inner.len()).rev().find(|end| length(*end) == Some(at)).map(|end| mark.len() + end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escapes_take_more_room_in_the_file_than_in_the_value() {
        let places = |literal: &str, length: usize| -> Vec<usize> {
            (0..=length).filter_map(|at| position(literal, at)).collect()
        };
        // Byte 3 lies within the é.
        assert_eq!(places(r#""a\tb\u00e9c\\""#, 7), [1, 2, 4, 5, 11, 12, 14]);
        assert_eq!(places("\"\"\"\na \\\n   b\"\"\"", 3), [4, 5, 11, 12]);
        assert_eq!(places(r"'a\t'", 3), [1, 2, 3, 4]);
        assert!(places("5", 1).is_empty());
    }

    proptest! {
        #[test]
        fn every_character_of_a_string_has_a_place(inner in r#"([a-zé' \[\]*]|\\[tn"\\]|\\u00e9|\\x41){0,12}"#) {
            let literal = format!("\"{inner}\"");
            let table: toml::Table = toml::from_str(&format!("k = {literal}")).unwrap();
            let value = table["k"].as_str().unwrap();
            let places: Vec<_> = value.char_indices().map(|(at, _)| position(&literal, at)).collect();
            prop_assert!(places.iter().all(Option::is_some));
            prop_assert!(places.is_sorted());
            prop_assert_eq!(position(&literal, value.len()), Some(literal.len() - 1));
        }
    }
}
