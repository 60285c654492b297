//! Reasons why a workload cannot be timed.

use paw_data::outcome::Check;
use thiserror::Error;

/// Why a workload cannot be timed. Each carries one sentence that names the thing and the way out.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Fault {
    /// This machine lacks what the workload needs: the cell is skipped.
    #[error("{0}")]
    Missing(String),
    /// The workload broke while it ran: the cell failed.
    #[error("{0}")]
    Broken(String),
    /// The workload ran to its end with a wrong answer: the cell failed by this check, whose note is the message.
    #[error("wrong answer: {}", .0.note)]
    Wrong(Box<Check>),
    /// The user stopped the measurement.
    #[error("interrupted")]
    Interrupted,
}
