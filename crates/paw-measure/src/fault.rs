//! Reasons why a workload cannot be timed.

use paw_data::outcome::Check;
use thiserror::Error;

/// Why a cell is not tried: a fault of another one ended the job.
pub const NOT_TRIED: &str = "not tried: the job ended before it. hint: a job of its own measures it";

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
    /// The last region left a wrong answer, seen right after it ([`Timed::inspect`](crate::workload::Timed::inspect)): the loop names
    /// its sample.
    #[error("wrong answer: {}", .0.note)]
    Spoiled(Box<Check>),
    /// The user stopped the measurement.
    #[error("interrupted")]
    Interrupted,
}

impl Fault {
    /// This fault; that of a spoiled sample is a wrong answer of this one, such as `sample 3`.
    pub(crate) fn of_sample(self, sample: &str) -> Self {
        match self {
            Fault::Spoiled(mut check) => {
                check.note = format!("in {sample}: {}", check.note);
                Fault::Wrong(check)
            }
            other => other,
        }
    }
}
