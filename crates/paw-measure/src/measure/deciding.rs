//! Ends the cells that are compared with each other when every comparison has its verdict.

use paw_data::comparison::{Comparison, MARGIN, Origin};
use paw_data::method::Until;
use paw_data::outcome::Ending;
use paw_data::run::Record;
use paw_stats::verdict::{Size, Verdict};

use super::Group;
use crate::ending::CONFIDENCE;

/// Invocations after which comparisons are looked at: each look is worth half as many more as the last.
pub(super) const LOOKS: [u32; 8] = [3, 5, 8, 12, 18, 27, 41, 62];

/// Rounds after which they are looked at where all samples come from one process, or each from its own.
pub const LOOKS_OF_ONE: [u32; 8] = [16, 24, 36, 54, 81, 122, 183, 275];

impl Group<'_, '_> {
    /// Ends the compared cells whose task is decided, and all of them after the last look or where no further process fits the budget.
    pub(super) fn note_decisions(&mut self) {
        if self.pace.has_no_room() {
            self.wish = self.wish.or(Some(Ending::Budget));
        }
        let (have, looks) = self.taken();
        let Some(look) = looks.iter().position(|look| *look == have) else { return };
        let is_last = look + 1 == looks.len();
        let of_a_look = 1.0 - (1.0 - CONFIDENCE) / looks.len() as f64;
        let compared = self.compared();
        let judged = compared.iter().map(|members| {
            let records: Vec<Record> = members.iter().map(|i| self.record(*i)).collect();
            let confidence = self.confidence_of(members.len()).max(of_a_look);
            match is_decided(&records, confidence, self.until) {
                true => Some(Ending::Decided),
                false => is_last.then_some(Ending::MaxSamples),
            }
        });
        let endings: Vec<Option<Ending>> = judged.collect();
        for (i, series) in self.series.iter_mut().enumerate() {
            // A cell of several tasks goes on until none of them needs it.
            let own =
                compared.iter().zip(&endings).filter(|(members, _)| members.contains(&i)).map(|(_, ending)| *ending);
            let Some(own) = own.collect::<Option<Vec<Ending>>>().filter(|own| !own.is_empty()) else { continue };
            let is_open = own.contains(&Ending::MaxSamples);
            series.ending = series.ending.or(Some(if is_open { Ending::MaxSamples } else { Ending::Decided }));
        }
    }

    /// Whether a cell ends with its comparisons, not by its own rule.
    pub(super) fn is_compared(&self, i: usize) -> bool {
        self.until.is_some() && self.compared().iter().any(|members| members.contains(&i))
    }

    /// What has been taken by now, and the counts at which comparisons are looked at.
    fn taken(&self) -> (u32, [u32; 8]) {
        match self.pace.is_spread() {
            true if self.is_invocation_over() => (self.pace.invocations(), LOOKS),
            true => (0, LOOKS),
            false => (self.pace.rounds(), LOOKS_OF_ONE),
        }
    }

    fn record(&self, i: usize) -> Record {
        let samples = self.series[i].driven(&self.cells[i].drive);
        Record { samples, ..Record::new(self.cells[i].cell.clone()) }
    }
}

/// Whether the direction and the size of every alternative are known, or that it is the same, against the first and against the fastest,
/// or against the fastest alone.
fn is_decided(records: &[Record], confidence: f64, until: Option<Until>) -> bool {
    let fastest = |a: &&Record, b: &&Record| median_s(a).total_cmp(&median_s(b));
    let first = records.first().filter(|_| until != Some(Until::Ranked));
    let bases = first.into_iter().chain(records.iter().min_by(fastest));
    let mut pairs = bases.flat_map(|base| records.iter().map(move |other| (base, other)));
    pairs.all(|(base, other)| {
        let found = Comparison::within(base, other, Origin::SameRun, confidence, MARGIN);
        base.cell.id == other.cell.id || found.is_some_and(|found| is_known(found.verdict))
    })
}

fn is_known(verdict: Verdict) -> bool {
    match verdict {
        Verdict::Same => true,
        Verdict::Faster(size) | Verdict::Slower(size) => size != Size::Unknown,
        Verdict::Inconclusive(_) => false,
    }
}

fn median_s(record: &Record) -> f64 {
    paw_stats::quantile::median(&record.samples.clean_per_loop_s()).unwrap_or(f64::INFINITY)
}
