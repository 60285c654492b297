//! Why there is no reading.

use thiserror::Error;

/// Why a workload cannot be timed. Each carries one sentence that names the thing and the way out.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    /// This machine lacks what the workload needs: the cell is skipped.
    #[error("{0}")]
    Missing(String),
    /// It ran and broke: the cell failed.
    #[error("{0}")]
    Broken(String),
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
}
