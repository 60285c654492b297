//! Verdicts on pairs of cells of one run.

use paw_data::cell::Role;
use paw_data::comparison::{Comparison, Origin};
use paw_data::run::{Record, Run};
use paw_stats::verdict::Verdict;

use crate::proportion::Proportion;

/// What was said of pairs.
#[derive(Debug, Clone, Default)]
pub struct Verdicts {
    /// Pairs that were called FASTER or SLOWER.
    pub claims: Proportion,
    /// Pairs whose second was called SLOWER.
    pub slower: Proportion,
    /// Pairs that were called SAME.
    pub same: usize,
    /// Pairs without a verdict.
    pub inconclusive: usize,
}

impl Verdicts {
    /// Counts one comparison.
    pub fn add(&mut self, verdict: Verdict) {
        self.claims.add(verdict.is_claim());
        self.slower.add(matches!(verdict, Verdict::Slower(_)));
        self.same += usize::from(verdict == Verdict::Same);
        self.inconclusive += usize::from(verdict.doubt().is_some());
    }

    /// Counts every pair of alternatives of a run.
    pub fn add_run(&mut self, run: &Run) {
        for (a, b) in pairs(run) {
            if let Some(comparison) = Comparison::between(a, b, Origin::SameRun) {
                self.add(comparison.verdict);
            }
        }
    }

    /// In words: `SAME 30, INCONCLUSIVE 12`.
    pub fn note(&self) -> String {
        format!("SAME {}, INCONCLUSIVE {}", self.same, self.inconclusive)
    }
}

/// Pairs of measured cells of one group and one benchmark, the base of ratios first.
fn pairs(run: &Run) -> Vec<(&Record, &Record)> {
    let is_alternative = |record: &&Record| matches!(record.cell.role, Role::Subject | Role::Base);
    let mut measured: Vec<&Record> =
        run.records.iter().filter(is_alternative).filter(|r| !r.samples.is_empty()).collect();
    measured.sort_by_key(|record| (record.cell.group, record.cell.role != Role::Base, record.cell.id));
    let mut pairs = Vec::new();
    for (place, a) in measured.iter().enumerate() {
        let alike = |b: &&&Record| b.cell.group == a.cell.group && b.cell.benchmark == a.cell.benchmark;
        pairs.extend(measured[place + 1..].iter().filter(alike).map(|b| (*a, *b)));
    }
    pairs
}
