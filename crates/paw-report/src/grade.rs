//! A cell's state: a number with its word of trust, a failure, or nothing measured.

use paw_data::trust::Trust;

/// A cell's state: a number with its word of trust, a failure, or nothing measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// There is a number.
    Number(Trust),
    /// No number: it failed, or its answer is wrong.
    Broken,
    /// Nothing was measured.
    Absent,
}

impl Grade {
    /// The word in tables.
    pub fn word(self) -> &'static str {
        match self {
            Grade::Number(trust) => trust.word(),
            Grade::Broken => "failed",
            Grade::Absent => "",
        }
    }

    /// Whether there is a number with a reason to trust it less.
    pub fn doubtful(self) -> bool {
        matches!(self, Grade::Number(Trust::Fair | Trust::Poor))
    }

    /// The word of trust if it is not `good`; else empty.
    pub fn doubt(self) -> &'static str {
        if self.doubtful() { self.word() } else { "" }
    }
}

/// `text` with a word of doubt behind it, where there is one: `85%, poor`.
pub fn doubted(text: String, doubt: &str) -> String {
    if doubt.is_empty() { text } else { format!("{text}, {doubt}") }
}
