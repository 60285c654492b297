//! An error that ends a command: an exit code and one sentence.

use std::fmt;
use std::io;

use crate::exit::Code;

/// An error that ends a command.
#[derive(Debug)]
pub struct Failure {
    /// The process's exit code.
    pub code: Code,
    /// One sentence that names the cause.
    pub sentence: String,
    /// A remedy, if there is one.
    pub hint: Option<String>,
}

impl Failure {
    /// A failure by wrong usage.
    pub fn usage(sentence: impl Into<String>) -> Self {
        Self { code: Code::Usage, sentence: sentence.into(), hint: None }
    }

    /// The failure that a file cannot be read or written.
    pub fn io(sentence: impl Into<String>) -> Self {
        Self { code: Code::Io, sentence: sentence.into(), hint: None }
    }

    /// The failure that something required is not on this machine.
    pub fn missing(sentence: impl Into<String>) -> Self {
        Self { code: Code::Missing, sentence: sentence.into(), hint: None }
    }

    /// The failure that no benchmark was selected.
    pub fn nothing(sentence: impl Into<String>) -> Self {
        Self { code: Code::Nothing, sentence: sentence.into(), hint: None }
    }

    /// This failure with a remedy.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// A failed write to standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::io(format!("cannot write to standard output: {error}"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}
