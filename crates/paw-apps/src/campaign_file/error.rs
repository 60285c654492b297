//! What is wrong with a campaign file, and where.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::KEYS;
use crate::spelling::closest;

/// What is wrong with a campaign file: one sentence after file, line and column, and the line with a caret under the place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignError {
    /// The file.
    pub path: PathBuf,
    /// Where; `None` where it is the whole.
    pub place: Option<Place>,
    /// What.
    pub message: String,
}

/// A place in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Number of the line, from 1.
    pub line: usize,
    /// Number of the character in it, from 1.
    pub column: usize,
    /// How many characters of the line are meant, at least 1.
    pub width: usize,
    /// The line.
    pub text: String,
}

impl CampaignError {
    pub(super) fn whole(path: &Path, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), place: None, message: message.into() }
    }

    pub(super) fn toml(path: &Path, text: &str, error: &toml::de::Error) -> Self {
        let span = error.span().filter(|span| text.get(span.clone()).is_some());
        let typed = span.clone().map_or("", |span| &text[span]);
        let message = if error.message().starts_with("unknown field") {
            unknown_key(typed.trim_matches(['"', '\'']))
        } else {
            error.message().lines().collect::<Vec<_>>().join("; ")
        };
        Self { path: path.to_owned(), place: span.map(|span| Place::of(text, span)), message }
    }
}

fn unknown_key(typed: &str) -> String {
    match closest(typed, KEYS.iter().copied()) {
        Some(near) => format!("there is no key `{typed}`: did you mean `{near}`?"),
        None => format!("there is no key `{typed}`; there are {}; axes stand under [set]", KEYS.join(", ")),
    }
}

impl Place {
    /// The place of the bytes `span` of `text`, as far as they stand in its first line.
    fn of(text: &str, span: Range<usize>) -> Self {
        let start = text[..span.start].rfind('\n').map_or(0, |end| end + 1);
        let end = text[start..].find('\n').map_or(text.len(), |length| start + length);
        let line = text[..start].matches('\n').count() + 1;
        let column = text[start..span.start].chars().count() + 1;
        let width = text[span.start..span.end.clamp(span.start, end.max(span.start))].chars().count().max(1);
        let text = text[start..end].chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        Self { line, column, width, text }
    }
}

impl fmt::Display for CampaignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        let Some(Place { line, column, width, text }) = &self.place else {
            return write!(f, "{path}: {}", self.message);
        };
        let margin = " ".repeat(line.to_string().len());
        let caret = " ".repeat(column - 1) + &"^".repeat(*width);
        write!(f, "{path}:{line}:{column}: {}\n{line} | {}\n{margin} | {caret}", self.message, text.trim_end())
    }
}

impl std::error::Error for CampaignError {}
