//! One build at one level: how fast, how much faster than the reference, how right.

use paw_stats::speedup::{self, Estimator};

use crate::build::Build;
use crate::matrix::BuildTiming;
use crate::outcome::{Accuracy, Check, CheckVerdict, Status};
use crate::run::{Record, Run};
use crate::speedup::Speedup;

/// The caveat of a cell that was cut off before anyone looked at its answer.
const UNCHECKED: &str = "unchecked";

/// What may be said of a row, from the best to the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RowStatus {
    /// It has an answer that is right, or is what answers are held against.
    Right,
    /// It has samples, but the run ended before anyone looked at its answer.
    Unfinished,
    /// Its answer is wrong: however fast, it is not ranked.
    Wrong,
    /// It did not build, or broke.
    Failed,
    /// It was not measured.
    Skipped,
}

impl RowStatus {
    /// What may be said of `record`.
    pub fn of(record: &Record) -> Self {
        let Some(outcome) = &record.outcome else {
            return if record.samples.is_empty() { Self::Skipped } else { Self::Unfinished };
        };
        let is_wrong = outcome.check.as_ref().is_some_and(|check| check.verdict == CheckVerdict::Fail);
        match outcome.status {
            _ if is_wrong => Self::Wrong,
            Status::Measured if outcome.caveats.iter().any(|caveat| caveat.id == UNCHECKED) => Self::Unfinished,
            Status::Measured => Self::Right,
            Status::Failed => Self::Failed,
            Status::Skipped => Self::Skipped,
        }
    }
}

/// One build at one level.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixRow<'run> {
    /// The cell and its samples.
    pub record: &'run Record,
    /// How it was built, where the run says.
    pub build: Option<&'run Build>,
    /// Its variant; empty where the kernel has none.
    pub variant: &'run str,
    /// What may be said of it.
    pub standing: RowStatus,
    /// What an iteration took; `None` where it has no sample.
    pub timing: Option<BuildTiming>,
    /// How many times as fast as the reference: the ratio of medians, with the interval of the rounds' ratios.
    pub speedup: Option<Speedup>,
    /// Letters of its groups: two rows share one where nothing separates them. Empty where it is not ranked.
    pub letters: String,
}

impl<'run> MatrixRow<'run> {
    pub(super) fn of(run: &'run Run, record: &'run Record) -> Self {
        Self {
            record,
            build: record.cell.build.as_ref(),
            variant: super::variant(record),
            standing: RowStatus::of(record),
            timing: BuildTiming::of(run, record),
            speedup: None,
            letters: String::new(),
        }
    }

    /// What it is called: compiler and flags, and the variant where there is one.
    pub fn name(&self) -> String {
        let provider = &self.record.cell.provider;
        if self.variant.is_empty() { provider.clone() } else { format!("{provider} [{}]", self.variant) }
    }

    /// What checking its answer found.
    pub fn check(&self) -> Option<&'run Check> {
        self.record.outcome.as_ref()?.check.as_ref()
    }

    /// How its answer differs from the reference.
    pub fn accuracy(&self) -> Option<&'run Accuracy> {
        self.check()?.accuracy.as_deref()
    }

    /// Whether it may be called fast.
    pub fn is_ranked(&self) -> bool {
        self.standing == RowStatus::Right && self.timing.is_some()
    }

    /// Why it has no number or no rank: the status, and the reason. `None` where nothing is missing.
    pub fn absence(&self) -> Option<(Status, &'run str)> {
        let is_told = self.standing == RowStatus::Right && (self.timing.is_some() || self.check().is_some());
        (!is_told && self.standing != RowStatus::Unfinished).then(|| super::absence(self.record))
    }

    /// Fills in how many times as fast as `base` it is; nothing where one has no time, or is wrong.
    pub(super) fn hold_against(&mut self, base: &MatrixRow<'run>) {
        let (Some(own), Some(first)) = (self.timing, base.timing) else { return };
        if self.standing != RowStatus::Right || base.standing != RowStatus::Right {
            return;
        }
        let value = speedup::speedup(first.median_s.value, own.median_s.value);
        if value > 0.0 && value.is_finite() {
            self.speedup = Some(Speedup::new(value, base.record, self.record, Estimator::Median));
        }
    }
}
