//! What is wrong with a campaign file, and where.

use std::fmt;
use std::path::{Path, PathBuf};

use paw_data::place::{Place, pointed};
use paw_data::spelling::closest;

use super::KEYS;

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

impl fmt::Display for CampaignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        pointed(f, &self.path, self.place.as_ref(), &self.message)
    }
}

impl std::error::Error for CampaignError {}
