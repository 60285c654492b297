//! An experiment that can be repeated as often as there is time, and what it has counted.

use crate::load::LoadState;
use crate::proportion::Proportion;
use crate::tool::Tool;

/// An experiment that is repeated until its time is over.
pub trait Experiment {
    /// Repeats it once more. The error says why this repeat counts for nothing.
    fn repeat(&mut self, tool: &Tool) -> Result<(), String>;

    /// What was counted so far.
    fn findings(&self) -> Vec<Finding>;
}

/// One line of the result.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// What was counted: `equal BLAS: FASTER or SLOWER`.
    pub what: String,
    /// How many of how many.
    pub share: Proportion,
    /// What is aimed at.
    pub goal: Goal,
    /// Further figures, in a few words.
    pub note: String,
}

/// What is aimed at, as a share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// The share is to be this at most.
    AtMost(f64),
    /// The share is to be this at least.
    AtLeast(f64),
    /// The share is for information.
    None,
}

impl Goal {
    /// Whether a share meets the goal, by its interval: `open` where that has values on both sides. Empty where nothing is aimed at.
    pub fn standing(self, share: Proportion) -> &'static str {
        let (low, high) = share.wilson();
        let (is_met, is_missed) = match self {
            Goal::AtMost(limit) => (high <= limit, low > limit),
            Goal::AtLeast(limit) => (low >= limit, high < limit),
            Goal::None => return "",
        };
        match (is_met, is_missed) {
            (true, _) => "met",
            (_, true) => "MISSED",
            _ => "open",
        }
    }
}

/// The findings of one section.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionFindings {
    /// Name of the section.
    pub section: &'static str,
    /// What ran beside it.
    pub load: LoadState,
    /// Repeats that counted.
    pub repeats: usize,
    /// Seconds that it took.
    pub elapsed_s: f64,
    /// What it found.
    pub findings: Vec<Finding>,
    /// Why repeats did not count, or why there is none.
    pub troubles: Vec<String>,
}
