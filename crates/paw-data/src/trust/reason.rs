//! Reasons to trust a number less, each with a short code for tables, a sentence, and the one thing to do.

use std::fmt;

use super::is_program;
use crate::cell::Cell;
use crate::kernel;
use crate::outcome::{Caveat, CheckVerdict};
use crate::summary::Basis;

/// A reason to trust a number less.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    /// The check of its answer failed or warned.
    Check(CheckVerdict),
    /// It failed after samples were taken.
    Failed,
    /// The samples come from too few processes for an interval over processes.
    FewInvocations {
        /// Processes.
        n: usize,
        /// The kind of process.
        of: Process,
    },
    /// The headline is a mean, which has no interval.
    NoInterval,
    /// Too few samples for an interval.
    FewSamples {
        /// Samples.
        n: usize,
    },
    /// The interval of the median is wide.
    WideInterval {
        /// Relative half width.
        half_width: f64,
    },
    /// The samples that must agree with the best are spread wide.
    Spread {
        /// Relative distance of the last of them from the best.
        spread: f64,
    },
    /// Fewer samples agreed with the best than must.
    Unconverged {
        /// Samples that agreed.
        agreeing: usize,
    },
    /// The best is a lone minimum, and it is the headline.
    LoneMinimum,
    /// Many samples were disturbed.
    Disturbed {
        /// The share, 0 … 1.
        share: f64,
        /// Whether the estimate had to use them.
        basis: Basis,
    },
    /// Times grew or shrank as they were taken.
    Drift {
        /// Median of the second half ÷ median of the first, less one.
        shift: f64,
    },
    /// Times fall into two clusters, and the median may be of either.
    TwoModes {
        /// Centre in seconds and count of the fast one.
        fast: (f64, usize),
        /// Centre in seconds and count of the slow one.
        slow: (f64, usize),
    },
    /// The series began slow, and that shows in the headline.
    SlowStart {
        /// Leading samples.
        samples: usize,
    },
    /// A caveat of the record.
    Caveat(Caveat),
}

/// The kind of process that a cell's samples come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Process {
    /// A worker.
    Worker,
    /// A kernel's child.
    Kernel,
    /// A job of MPI's ranks.
    Job,
    /// A run of a program.
    Program,
}

impl Process {
    /// The kind of process that measures `cell`.
    pub fn of(cell: &Cell) -> Self {
        match cell.team {
            _ if is_program(cell) => Process::Program,
            _ if cell.suite == kernel::SUITE => Process::Kernel,
            Some(_) => Process::Job,
            None => Process::Worker,
        }
    }

    fn counted(self, n: usize) -> &'static str {
        match (self, n) {
            (Process::Worker | Process::Kernel, 2) => "2 processes",
            (Process::Job, 2) => "2 jobs",
            (Process::Program, 2) => "2 runs",
            (Process::Worker | Process::Kernel, _) => "1 process",
            (Process::Job, _) => "1 job",
            (Process::Program, _) => "1 run",
        }
    }
}

/// One sentence without its full stop.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Check(CheckVerdict::Fail) => write!(f, "the answer is wrong"),
            Reason::Check(_) => write!(f, "the answer is less precise than it should be"),
            Reason::Failed => write!(f, "the measurement failed before its end"),
            Reason::FewInvocations { n, of } => {
                write!(f, "all samples come from {}, and the next may lie elsewhere by more than ±", of.counted(*n))
            }
            Reason::NoInterval => write!(f, "a mean has no ±"),
            Reason::FewSamples { n: 1 } => write!(f, "1 sample is too few for an interval"),
            Reason::FewSamples { n } => write!(f, "{n} samples are too few for an interval"),
            Reason::WideInterval { half_width } => {
                write!(f, "the median is known to ±{:.1} % only", half_width * 100.0)
            }
            Reason::Spread { spread } => write!(f, "the best samples lie {:.1} % apart", spread * 100.0),
            Reason::Unconverged { agreeing: 1 } => write!(f, "no other sample agrees with the best"),
            Reason::Unconverged { agreeing } => write!(f, "only {agreeing} samples agree with the best"),
            Reason::LoneMinimum => write!(f, "the best sample stands alone below others that agree"),
            Reason::Disturbed { share, basis: Basis::Clean } => {
                write!(f, "{:.0} % of the samples were disturbed", share * 100.0)
            }
            Reason::Disturbed { share, basis: Basis::All } => {
                write!(f, "{:.0} % of the samples were disturbed, too many to leave out", share * 100.0)
            }
            Reason::Drift { shift } => write!(f, "times drifted by {:+.1} % in the series", shift * 100.0),
            Reason::TwoModes { fast, slow } => {
                write!(f, "times fall into two modes: {:.4e} s x {}, {:.4e} s x {}", fast.0, fast.1, slow.0, slow.1)
            }
            Reason::SlowStart { samples: 1 } => write!(f, "the first sample looks like warm-up"),
            Reason::SlowStart { samples } => write!(f, "the first {samples} samples look like warm-up"),
            Reason::Caveat(caveat) => write!(f, "{}", caveat.cause),
        }
    }
}

impl Reason {
    /// A short word for a column: the id of the equivalent caveat, if there is one.
    pub fn code(&self) -> &str {
        match self {
            Reason::Check(CheckVerdict::Fail) => "wrong",
            Reason::Check(_) => "imprecise",
            Reason::Failed => "failed",
            Reason::FewInvocations { n, of } => of.counted(*n),
            Reason::NoInterval => "mean",
            Reason::FewSamples { .. } => "few-samples",
            Reason::WideInterval { .. } | Reason::Unconverged { .. } => "unconverged",
            Reason::Spread { .. } => "noisy",
            Reason::LoneMinimum => "lucky-minimum",
            Reason::Disturbed { .. } => "contended",
            Reason::Drift { .. } => "drift",
            Reason::TwoModes { .. } => "bimodal",
            Reason::SlowStart { .. } => "warm-up",
            Reason::Caveat(caveat) => &caveat.id,
        }
    }

    /// The one thing to do about a number that processes of this kind measured.
    pub fn action(&self, by: Process) -> &str {
        match self {
            Reason::Check(_) if by == Process::Kernel => {
                "Do not use this build, or correct its source: paw kernel check shows where it errs."
            }
            Reason::Check(_) => "Do not use this library for this; compare with another provider.",
            Reason::Failed => "Read why it failed, and measure this cell alone.",
            Reason::FewInvocations { of: Process::Job, .. } => {
                "Run the job three times, and compare such groups of runs: paw compare A1 A2 A3 -- B1 B2 B3."
            }
            Reason::FewInvocations { of: Process::Program, .. } => "Ask for more runs: --reps 16.",
            Reason::FewInvocations { .. } => {
                "Ask for --invocations 3; where the budget had no room for them, give it longer with --budget."
            }
            Reason::NoInterval => "Read the median instead: --method adaptive.",
            Reason::FewSamples { .. } => match by {
                Process::Kernel => {
                    "Ask for at least 6 samples: --metas 31, or a larger --budget where that was used up."
                }
                Process::Program => "Ask for at least 6 runs: --reps 16.",
                Process::Worker | Process::Job => {
                    "Ask for at least 6 samples: --reps 16, or a larger --budget where that was used up."
                }
            },
            Reason::WideInterval { .. } | Reason::Spread { .. } | Reason::Unconverged { .. } => match by {
                Process::Kernel => "Measure again on an idle machine, or ask for more samples: --within 1%.",
                Process::Program => "Measure again on an idle machine, or ask for more runs: --reps 64.",
                Process::Worker | Process::Job => {
                    "Measure again on an idle machine, or ask for more samples: --reps 256, or a larger --budget where that was used up."
                }
            },
            Reason::LoneMinimum => "Read the median instead of the best.",
            Reason::Disturbed { .. } => "Stop what else runs on these processors and measure again.",
            Reason::Drift { .. } => {
                "Look at the samples in time order: fix the clock frequency, or wait until the machine is warm."
            }
            Reason::TwoModes { .. } => "Look at the samples in time order: the median may lie on either side.",
            Reason::SlowStart { .. } if by == Process::Kernel => "Ask for more warm-up calls: --warmup 40.",
            Reason::SlowStart { .. } => "Ask for more warm-up: --warmup 4.",
            Reason::Caveat(caveat) => &caveat.action,
        }
    }

    /// Whether a row names it even beside graver reasons: what holds for all rows of a run is named only where nothing else is.
    pub fn is_of_the_row(&self) -> bool {
        !matches!(self, Reason::FewInvocations { .. } | Reason::NoInterval)
    }
}
