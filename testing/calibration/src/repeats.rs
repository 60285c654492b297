//! The same cells in fresh runs: whether intervals hold what the repeats agree on, and what the words of trust are worth.

use std::collections::BTreeMap;

use paw_data::cell::Role;
use paw_data::comparison::{Comparison, MARGIN};
use paw_data::machine::Machine;
use paw_data::method::Method;
use paw_data::run::{Record, Run};
use paw_data::summary::{CONFIDENCE, Summary};
use paw_data::trust::Trust;
use paw_stats::quantile;

use crate::experiment::{Finding, Goal};
use crate::pairs::Verdicts;
use crate::proportion::Proportion;

/// What one run says of a cell.
#[derive(Debug, Clone, Copy)]
struct Observation {
    value: f64,
    ends: Option<(f64, f64)>,
    trust: Trust,
}

/// The same cells in several runs.
#[derive(Debug, Default)]
pub struct Repeats {
    cells: BTreeMap<String, Vec<Observation>>,
    records: BTreeMap<String, Vec<Record>>,
}

/// Runs from which a cell's grand median stands for the truth.
const RUNS_MIN: usize = 5;

/// Runs a side of a comparison between runs.
const SIDE: usize = 3;

/// The words, from the best.
const WORDS: [Trust; 3] = [Trust::Good, Trust::Fair, Trust::Poor];

impl Repeats {
    /// Adds every measured cell of a run.
    pub fn add(&mut self, run: &Run) {
        self.add_records(&run.records, &run.header.plan.method, &run.header.machine);
    }

    /// Adds every measured cell of `records`, measured by `method` on `machine`.
    pub fn add_records(&mut self, records: &[Record], method: &Method, machine: &Machine) {
        for record in records.iter().filter(|record| record.cell.role == Role::Subject) {
            let Some(summary) = Summary::of(record, method).map(|summary| summary.on(machine)) else { continue };
            let figure = summary.headline();
            let ends = figure.low.zip(figure.high);
            let name = format!("{} {} {}", record.cell.benchmark, record.cell.point, record.cell.provider);
            let observation = Observation { value: figure.value, ends, trust: summary.trust(record).trust };
            self.cells.entry(name.clone()).or_default().push(observation);
            self.records.entry(name).or_default().push(record.clone());
        }
    }

    /// Shares of intervals that hold their cell's grand median: of all, and by word; `goal` is for all.
    pub fn findings(&self, goal: Goal) -> Vec<Finding> {
        let judged = self.judged();
        let of = |word: Option<Trust>| judged.iter().filter(move |one| word.is_none_or(|word| one.trust == word));
        let finding = |what: String, word: Option<Trust>, goal: Goal| {
            let mut share = Proportion::default();
            of(word).for_each(|one| share.add(one.holds));
            let deviations: Vec<f64> = of(word).map(|one| one.deviation * 100.0).collect();
            let at = |p| quantile::quantile(&deviations, p).unwrap_or(f64::NAN);
            let unbounded = of(word).filter(|one| !one.has_interval).count();
            let without = if unbounded > 0 { format!(", {unbounded} without an interval") } else { String::new() };
            let note = format!("off by {:.2} % (median), {:.2} % (90 %){without}", at(0.5), at(0.9));
            Finding { what, share, goal, note: if deviations.is_empty() { String::new() } else { note } }
        };
        let mut findings = vec![finding("interval holds the grand median".to_owned(), None, goal)];
        for word in WORDS {
            let goal = if word == Trust::Good { Goal::AtLeast(0.9) } else { Goal::None };
            findings.push(finding(format!("  where the word is {}", word.word()), Some(word), goal));
        }
        let mut good = Proportion::default();
        judged.iter().for_each(|one| good.add(one.trust == Trust::Good));
        findings.push(Finding {
            what: "rows that are good".to_owned(),
            share: good,
            goal: Goal::None,
            note: String::new(),
        });
        findings
    }

    /// The `p`-quantile of the relative deviations from the grand median where the word is `word`; `None` where it never is.
    pub fn deviation(&self, word: Trust, p: f64) -> Option<f64> {
        let judged = self.judged();
        let deviations: Vec<f64> = judged.iter().filter(|one| one.trust == word).map(|one| one.deviation).collect();
        quantile::quantile(&deviations, p)
    }

    /// Verdicts of `paw compare` with three runs a side, which are all equal.
    pub fn between_runs(&self) -> Verdicts {
        let mut verdicts = Verdicts::default();
        for records in self.records.values() {
            for six in records.chunks_exact(2 * SIDE) {
                let side = |odd: usize| six.iter().skip(odd).step_by(2).collect::<Vec<_>>();
                if let Some(comparison) = Comparison::between_runs(&side(0), &side(1), CONFIDENCE, MARGIN) {
                    verdicts.add(comparison.verdict);
                }
            }
        }
        verdicts
    }

    fn judged(&self) -> Vec<Judged> {
        let mut judged = Vec::new();
        for observations in self.cells.values().filter(|o| o.len() >= RUNS_MIN) {
            let values: Vec<f64> = observations.iter().map(|o| o.value).collect();
            let Some(grand) = quantile::median(&values) else { continue };
            judged.extend(observations.iter().map(|one| {
                let holds = one.ends.is_some_and(|(low, high)| (low..=high).contains(&grand));
                let deviation = (one.value / grand - 1.0).abs();
                Judged { trust: one.trust, holds, has_interval: one.ends.is_some(), deviation }
            }));
        }
        judged
    }
}

/// One run's cell against the grand median of all.
#[derive(Debug, Clone, Copy)]
struct Judged {
    trust: Trust,
    holds: bool,
    has_interval: bool,
    deviation: f64,
}
