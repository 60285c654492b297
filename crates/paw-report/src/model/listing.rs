//! Instructions beside the source that they come from.

/// The instructions of a loop, with its source.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Listing {
    /// What it is of: a build.
    pub title: String,
    /// The loop: `product.c:115-117`.
    pub place: String,
    /// Instructions in the order of their addresses, with a new stretch where the source line changes.
    pub stretches: Vec<Stretch>,
    /// What is not shown, and why; may be empty.
    pub note: String,
}

/// Instructions that follow each other and come from one line of the source.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Stretch {
    /// The line: `12`, with its file where that is not the loop's; empty where it is not known.
    pub line: String,
    /// The text of the line; empty where it is not known.
    pub source: String,
    /// Whether an earlier stretch is of the same line.
    pub is_repeated: bool,
    pub instructions: Vec<String>,
}

impl Listing {
    /// How many instructions it has.
    pub fn count(&self) -> usize {
        self.stretches.iter().map(|stretch| stretch.instructions.len()).sum()
    }
}
