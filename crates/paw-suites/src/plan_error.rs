//! Why a request cannot be planned.

use thiserror::Error;

/// Why a request cannot be planned.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PlanError {
    /// The user asked for something that does not exist or cannot be.
    #[error("{0}")]
    Usage(String),
}
