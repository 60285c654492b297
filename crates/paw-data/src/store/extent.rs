//! How much of a run is read.

use crate::sample::Phase;

/// How much of the samples is read: views of a hundred thousand cells leave out what they do not look at. What is left out is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of them.
    All,
    /// What reports show: samples that count, without the columns `position`, `switches` and `migrations`.
    Shown,
    /// What figures and comparisons come from: those columns are left out, and `at_s` and `run_delay_s`.
    Figures,
}

impl Extent {
    /// Whether samples of `phase` are looked at.
    pub(super) fn keeps(self, phase: Phase) -> bool {
        phase == Phase::Measure || self == Self::All
    }
}
