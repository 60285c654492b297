//! What a node measured.

use crate::history::RunDigest;
use crate::outcome::{CheckVerdict, Outcome, Status};
use crate::run::Run;

/// What one node measured in one step, reduced to its figures.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeRun {
    /// The step.
    pub step: String,
    /// The node.
    pub node: String,
    /// Its machine and figures.
    pub digest: RunDigest,
    /// What failed or was wrong, a sentence each without a full stop.
    pub failures: Vec<String>,
    /// Whether the run is complete.
    pub is_whole: bool,
}

impl NodeRun {
    /// The run of `node` in `step`.
    pub fn of(step: &str, node: &str, run: &Run) -> Self {
        let outcomes = run.records.iter().filter_map(|record| Some((&record.cell, record.outcome.as_ref()?)));
        let failures = outcomes.filter_map(|(cell, outcome)| {
            let why = failure(outcome)?;
            Some(format!("{} {} {}: {why}", cell.benchmark, cell.provider, cell.point))
        });
        Self {
            step: step.to_owned(),
            node: node.to_owned(),
            failures: failures.collect(),
            digest: RunDigest::of(run, String::new()),
            is_whole: run.end.is_some() && run.damage.is_none(),
        }
    }
}

fn failure(outcome: &Outcome) -> Option<String> {
    let wrong = outcome.check.as_ref().filter(|check| check.verdict == CheckVerdict::Fail);
    match (wrong, outcome.status) {
        (Some(check), _) => Some(format!("its answer is wrong: {}", check.note)),
        (None, Status::Failed) => Some(outcome.why.clone().unwrap_or_else(|| "it failed".to_owned())),
        (None, _) => None,
    }
}
