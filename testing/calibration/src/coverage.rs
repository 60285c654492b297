//! The same cells in fresh runs of `paw`: intervals, words of trust, and comparisons of runs with equal runs.

use crate::experiment::{Experiment, Finding, Goal};
use crate::pairs::Verdicts;
use crate::repeats::Repeats;
use crate::tool::Tool;

/// The same cells, run after run.
#[derive(Debug)]
pub struct FreshRuns {
    words: &'static [&'static str],
    repeats: Repeats,
    /// Smallest share of intervals that hold the grand median.
    goal: Goal,
}

/// Products of matrices and the clock: code that is bound by the core.
const CELLS: &[&str] =
    &["run", "dgemm", "core_clock", "--provider", "embedded,openblas", "--set", "n=32,128,300", "--threads", "1"];

/// Cells of the core.
///
/// # Errors
/// Never.
pub fn start(_tool: &Tool) -> Result<Box<dyn Experiment>, String> {
    Ok(Box::new(FreshRuns::of(CELLS)))
}

impl FreshRuns {
    /// The cells that these words select, run after run.
    pub fn of(words: &'static [&'static str]) -> Self {
        Self { words, repeats: Repeats::default(), goal: Goal::AtLeast(0.85) }
    }
}

impl Experiment for FreshRuns {
    fn repeat(&mut self, tool: &Tool) -> Result<(), String> {
        self.repeats.add(&tool.run(self.words, &[])?);
        Ok(())
    }

    fn findings(&self) -> Vec<Finding> {
        let mut findings = self.repeats.findings(self.goal);
        findings.push(between_runs(&self.repeats.between_runs()));
        findings
    }
}

/// Verdicts of three runs against three equal ones.
pub fn between_runs(verdicts: &Verdicts) -> Finding {
    Finding {
        what: "3 runs against 3 equal ones: FASTER or SLOWER".to_owned(),
        share: verdicts.claims,
        goal: Goal::AtMost(0.05),
        note: verdicts.note(),
    }
}
