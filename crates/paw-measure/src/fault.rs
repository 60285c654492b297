//! Reasons why a workload cannot be timed.

use paw_data::outcome::Check;
use thiserror::Error;

/// Why a workload cannot be timed. Each carries one sentence that names the thing and the way out.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Fault {
    /// This machine lacks what the workload needs: the cell is skipped.
    #[error("{0}")]
    Missing(String),
    /// It ran and broke: the cell failed.
    #[error("{0}")]
    Broken(String),
    /// It ran to its end, and its answer is wrong: the cell failed, by this check, whose note is the sentence.
    #[error("wrong answer: {}", .0.note)]
    Wrong(Box<Check>),
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
}
