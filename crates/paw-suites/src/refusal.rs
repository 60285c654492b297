//! Why a cell is not timed: a fault, or an answer that was wrong before.

use paw_data::outcome::{Check, Outcome, Status};
use paw_measure::fault::Fault;

/// Why a cell is not timed.
#[derive(Debug, Clone, PartialEq)]
pub enum Refusal {
    /// Something is missing, or broke.
    Fault(Fault),
    /// Its answer is wrong; whoever gave it goes on.
    Wrong(Check),
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl Refusal {
    /// How `cell` ended by it.
    pub fn outcome(self, cell: u32) -> Outcome {
        let (status, why, check) = match self {
            Refusal::Fault(fault @ Fault::Missing(_)) => (Status::Skipped, fault.to_string(), None),
            Refusal::Fault(fault) => (Status::Failed, fault.to_string(), None),
            Refusal::Wrong(check) => {
                (Status::Failed, format!("wrong before anything was timed: {}", check.note), Some(check))
            }
        };
        Outcome { cell, status, ending: None, why: Some(why), check, caveats: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use paw_data::outcome::CheckVerdict;

    use super::*;

    #[test]
    fn what_is_missing_is_skipped_and_all_else_failed() {
        let status = |refusal: Refusal| refusal.outcome(7).status;
        assert_eq!(status(Fault::Missing("no memory".to_owned()).into()), Status::Skipped);
        assert_eq!(status(Fault::Broken("it fell over".to_owned()).into()), Status::Failed);
    }

    #[test]
    fn a_wrong_answer_keeps_its_check() {
        let note = "rank 1: element 3 is off".to_owned();
        let check = Check {
            method: "exact".to_owned(),
            error: 1.0,
            bound: 0.0,
            verdict: CheckVerdict::Fail,
            note,
            accuracy: None,
        };
        let outcome = Refusal::Wrong(check.clone()).outcome(7);
        assert_eq!((outcome.cell, outcome.status, outcome.check), (7, Status::Failed, Some(check)));
        assert_eq!(outcome.why.unwrap(), "wrong before anything was timed: rank 1: element 3 is off");
    }
}
