//! Which of several cells is shown to be the best.

use paw_data::comparison::{CONFIDENCE, Comparison, MARGIN, Origin};
use paw_data::run::Record;
use paw_data::scaling::{RunTiming, Yardstick};
use paw_stats::comparison::bonferroni;

/// The one of `timed` that comparisons by rounds show to be faster than every other, all of them together; `None` where none is.
pub fn leader<'r>(yardstick: Yardstick<'_>, timed: &[(&'r Record, RunTiming<'_>)]) -> Option<&'r Record> {
    let median = |timing: &RunTiming<'_>| timing.cost.median;
    let (first, _) = timed.iter().min_by(|a, b| median(&a.1).total_cmp(&median(&b.1)))?;
    let others: Vec<&Record> =
        timed.iter().map(|(record, _)| *record).filter(|record| !std::ptr::eq(*record, *first)).collect();
    let confidence = bonferroni(CONFIDENCE, others.len() + 1);
    let is_behind = |other: &&Record| {
        let found =
            Comparison::within(&yardstick.seen(first), &yardstick.seen(other), Origin::SameRun, confidence, MARGIN);
        found.is_some_and(|found| found.verdict.is_claim() && found.ratio > 1.0)
    };
    (!others.is_empty() && others.iter().all(is_behind)).then_some(*first)
}
