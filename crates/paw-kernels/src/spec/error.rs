//! What is wrong with a spec, and where.

use std::fmt;
use std::path::PathBuf;

use paw_data::place::{Place, pointed};

/// What is wrong with a spec: one sentence after file, line and column, and the line with a caret under the place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecError {
    /// The file.
    pub path: PathBuf,
    /// Where; `None` where it is the whole.
    pub place: Option<Place>,
    /// What.
    pub message: String,
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        pointed(f, &self.path, self.place.as_ref(), &self.message)
    }
}

impl std::error::Error for SpecError {}
