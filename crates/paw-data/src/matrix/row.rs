//! One build at one level: time, speed-up, ties and answer.

use paw_stats::speedup::{self, Estimator};

use crate::build::Build;
use crate::kernel;
use crate::matrix::{BuildTiming, RankedBy};
use crate::outcome::{Accuracy, Caveat, Check, CheckVerdict, Status};
use crate::run::{Record, Run};
use crate::secondary::SecondaryMetric;
use crate::speedup::Speedup;

/// The status of a row, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RowStatus {
    /// The answer is right, or the row is the reference.
    Right,
    /// The row has samples, but the run ended before the answer was checked.
    Unfinished,
    /// The answer is wrong: the row is not ranked, however fast.
    Wrong,
    /// The build failed, or it crashed.
    Failed,
    /// The build was not measured.
    Skipped,
}

impl RowStatus {
    /// The status of `record`.
    pub fn of(record: &Record) -> Self {
        let Some(outcome) = &record.outcome else {
            return if record.samples.is_empty() { Self::Skipped } else { Self::Unfinished };
        };
        let is_wrong = outcome.check.as_ref().is_some_and(|check| check.verdict == CheckVerdict::Fail);
        match outcome.status {
            _ if is_wrong => Self::Wrong,
            Status::Measured if outcome.caveats.iter().any(|caveat| caveat.id == Caveat::UNCHECKED) => Self::Unfinished,
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
    /// Its status.
    pub standing: RowStatus,
    /// The time of an iteration; `None` if it has no sample.
    pub timing: Option<BuildTiming>,
    /// The speed-up over the base: the ratio of medians, with the interval of the rounds' ratios.
    pub speedup: Option<Speedup>,
    /// Letters of ties: two rows share one if nothing separates them. Empty if it is not ranked, or rounds were too few.
    pub letters: String,
}

impl<'run> MatrixRow<'run> {
    pub(super) fn of(run: &'run Run, record: &'run Record) -> Self {
        Self {
            record,
            build: record.cell.build.as_deref(),
            variant: super::variant(record),
            standing: RowStatus::of(record),
            timing: BuildTiming::of(run, record),
            speedup: None,
            letters: String::new(),
        }
    }

    /// Its name: compiler, flags, and the variant if it has one.
    pub fn name(&self) -> String {
        let provider = &self.record.cell.provider;
        if self.variant.is_empty() { provider.to_string() } else { format!("{provider} [{}]", self.variant) }
    }

    /// The check of its answer.
    pub fn check(&self) -> Option<&'run Check> {
        self.record.outcome.as_ref()?.check.as_ref()
    }

    /// The differences of its answer from the reference.
    pub fn accuracy(&self) -> Option<&'run Accuracy> {
        self.check()?.accuracy.as_deref()
    }

    /// Threads of its calls: 1 unless it started more; `None` if it has no sample.
    pub fn threads(&self) -> Option<u32> {
        self.timing?;
        let all = self.record.samples.secondary(SecondaryMetric::KernelThreads);
        let most = all.into_iter().flatten().copied().fold(1.0, f64::max);
        Some(most as u32)
    }

    /// Whether the build can start threads but ran on one processor.
    pub fn had_one_processor(&self) -> bool {
        let outcome = self.record.outcome.as_ref();
        outcome.is_some_and(|outcome| outcome.caveats.iter().any(|caveat| caveat.id == kernel::ONE_PROCESSOR))
    }

    /// Whether the row is ranked by speed: its answer is right, and it has a time.
    pub fn is_ranked(&self) -> bool {
        self.standing == RowStatus::Right && self.timing.is_some()
    }

    /// Why it has no number or no rank: status and reason. `None` if nothing is missing.
    pub fn absence(&self) -> Option<(Status, &'run str)> {
        let is_told = self.standing == RowStatus::Right && (self.timing.is_some() || self.check().is_some());
        (!is_told && self.standing != RowStatus::Unfinished).then(|| super::absence(self.record))
    }

    /// Its speed-up over `base` in the quantity `by`, if both have it and a right answer.
    pub fn speedup_over(&self, base: &MatrixRow<'_>, by: RankedBy) -> Option<Speedup> {
        let (own, first) = (self.timing?, base.timing?);
        if self.standing != RowStatus::Right || base.standing != RowStatus::Right {
            return None;
        }
        let value = speedup::speedup(by.median(&first)?.value, by.median(&own)?.value);
        if !(value > 0.0 && value.is_finite()) {
            return None;
        }
        Some(match by {
            RankedBy::Cycles if !std::ptr::eq(base.record, self.record) => {
                let in_cycles =
                    |record: &Record| Record { samples: by.samples(&record.samples).into_owned(), ..record.clone() };
                Speedup::new(value, &in_cycles(base.record), &in_cycles(self.record), Estimator::Median)
            }
            _ => Speedup::new(value, base.record, self.record, Estimator::Median),
        })
    }
}
