//! How far a record's number may be trusted, in a word, and why not further.

use std::fmt;

use paw_stats::interval;
use paw_stats::kbest::Agreement;
use paw_stats::quantile;

use crate::method::Estimator;
use crate::outcome::{CheckVerdict, Status};
use crate::run::Record;
use crate::summary::{Basis, CONFIDENCE, Summary, times_s};

/// Relative half width up to which a number is good: twice what the adaptive method asks for.
const NARROW: f64 = 0.02;

/// Relative half width from which a number is poor: where the stability grade turns BAD.
const WIDE: f64 = 0.10;

/// Relative shift from the first to the second half of a series from which drift matters.
const SHIFT: f64 = 0.01;

/// More disturbed samples than this share, and the machine was not ours alone: estimates rest on three quarters of the samples at least.
pub const CONTENDED: f64 = 0.25;

/// How far a number may be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Trust {
    /// There is no reason to doubt it.
    Good,
    /// There are reasons to doubt it: read them.
    Fair,
    /// Do not build on it.
    Poor,
}

impl Trust {
    /// The word tables print.
    pub fn word(self) -> &'static str {
        match self {
            Trust::Good => "good",
            Trust::Fair => "fair",
            Trust::Poor => "poor",
        }
    }
}

/// A reason to trust a number less.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    /// The check of its answer failed or warned.
    Check(CheckVerdict),
    /// It failed after samples were taken.
    Failed,
    /// Too few samples for an interval.
    FewSamples {
        /// Samples.
        n: usize,
    },
    /// The interval of the median is wide, relative half width.
    WideInterval {
        /// Relative half width.
        half_width: f64,
        /// How many independent samples these are worth, where they resemble their neighbours.
        effective: Option<f64>,
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
    /// The best stands alone, and it is the headline.
    LoneMinimum,
    /// Many samples were disturbed.
    Disturbed {
        /// Their share, 0 … 1.
        share: f64,
        /// Whether the estimate had to use them.
        basis: Basis,
    },
    /// Times grew or shrank as they were taken.
    Drift {
        /// Median of the second half ÷ median of the first, less one.
        shift: f64,
    },
    /// Times fall into two clusters.
    TwoModes {
        /// Centre in seconds and count of the fast one.
        fast: (f64, usize),
        /// Centre in seconds and count of the slow one.
        slow: (f64, usize),
    },
    /// The series began slow, and the headline is a mean.
    SlowStart {
        /// Leading samples.
        samples: usize,
    },
    /// A caveat of the record.
    Caveat {
        /// Its identifier.
        id: String,
        /// Its cause.
        cause: String,
    },
}

impl Reason {
    /// What this reason alone leaves of the trust.
    pub fn trust(&self) -> Trust {
        let poor = match self {
            Reason::Check(verdict) => *verdict == CheckVerdict::Fail,
            Reason::Failed | Reason::Unconverged { .. } => true,
            Reason::FewSamples { n } => *n < 3,
            Reason::WideInterval { half_width, .. } => *half_width > WIDE,
            Reason::Spread { spread } => *spread > WIDE,
            Reason::Disturbed { basis, .. } => *basis == Basis::All,
            Reason::Drift { shift } => shift.abs() > WIDE,
            Reason::LoneMinimum | Reason::TwoModes { .. } | Reason::SlowStart { .. } | Reason::Caveat { .. } => false,
        };
        if poor { Trust::Poor } else { Trust::Fair }
    }
}

/// One sentence without its full stop.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Check(CheckVerdict::Fail) => write!(f, "the answer is wrong"),
            Reason::Check(_) => write!(f, "the answer is less precise than it should be"),
            Reason::Failed => write!(f, "the measurement failed before its end"),
            Reason::FewSamples { n } => write!(f, "{n} samples are too few for an interval"),
            Reason::WideInterval { half_width, effective: None } => {
                write!(f, "the median is known to ±{:.1} % only", half_width * 100.0)
            }
            Reason::WideInterval { half_width, effective: Some(n) } => write!(
                f,
                "samples resemble their neighbours and are worth {n:.0} independent ones: the median is known to ±{:.1} % only",
                half_width * 100.0
            ),
            Reason::Spread { spread } => write!(f, "the best samples lie {:.1} % apart", spread * 100.0),
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
            Reason::Caveat { cause, .. } => write!(f, "{cause}"),
        }
    }
}

/// How far a record's number may be trusted, with the reasons, the gravest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Trusted {
    /// The word: what the gravest reason leaves.
    pub trust: Trust,
    /// The reasons to doubt the number, the gravest first.
    pub reasons: Vec<Reason>,
}

impl Summary {
    /// How far the headline may be trusted; `record` is the one this is the summary of.
    pub fn trust(&self, record: &Record) -> Trusted {
        let times = times_s(&record.samples).0;
        let mut reasons = recorded(record);
        match self.estimator {
            Estimator::Min => reasons.extend(agreement(self)),
            Estimator::Median | Estimator::Mean => reasons.extend(precision(self, &times)),
        }
        reasons.extend(circumstances(self, &times));
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.trust()));
        let trust = reasons.first().map_or(Trust::Good, Reason::trust);
        Trusted { trust, reasons }
    }
}

/// What the record itself says.
fn recorded(record: &Record) -> Vec<Reason> {
    let Some(outcome) = &record.outcome else { return vec![] };
    let failed = (outcome.status == Status::Failed).then_some(Reason::Failed);
    let check = outcome.check.as_ref().filter(|c| c.verdict != CheckVerdict::Pass).map(|c| Reason::Check(c.verdict));
    let caveats = outcome.caveats.iter().map(|c| Reason::Caveat { id: c.id.clone(), cause: c.cause.clone() });
    check.into_iter().chain(failed).chain(caveats).collect()
}

/// What the median's interval says, wider where neighbours resemble each other.
fn precision(summary: &Summary, times: &[f64]) -> Option<Reason> {
    let Some(plain) = summary.interval_s else {
        return Some(Reason::FewSamples { n: summary.n });
    };
    let effective = summary.autocorrelation.filter(|a| a.flagged).map(|a| a.effective_n);
    let half_width = match effective {
        None => plain.half_width(summary.median_s),
        Some(n) => match interval::widened(times, n, CONFIDENCE) {
            Some(wide) => wide.half_width(summary.median_s),
            // Worth fewer than six: all that is known is where the samples lie.
            None => (summary.max_s - summary.min_s) / (2.0 * summary.median_s),
        },
    };
    (half_width > NARROW).then_some(Reason::WideInterval { half_width, effective })
}

/// What the samples that must agree with the best say.
fn agreement(summary: &Summary) -> Vec<Reason> {
    let k_best = &summary.k_best;
    let mut reasons = vec![];
    if k_best.agreement == Agreement::Unconverged {
        reasons.push(Reason::Unconverged { agreeing: k_best.agreeing });
    } else if let Some(spread) = k_best.spread_k.filter(|spread| *spread > NARROW) {
        reasons.push(Reason::Spread { spread });
    }
    if k_best.lone_minimum {
        reasons.push(Reason::LoneMinimum);
    }
    reasons
}

/// What happened while the series was taken.
fn circumstances(summary: &Summary, times: &[f64]) -> Vec<Reason> {
    let share = summary.disturbed_share();
    let disturbed = share > CONTENDED || summary.basis == Basis::All;
    let disturbed = disturbed.then_some(Reason::Disturbed { share, basis: summary.basis });
    let drift = summary.drift.filter(|d| d.flagged).and_then(|_| shift(times)).filter(|s| s.abs() > SHIFT);
    let drift = drift.map(|shift| Reason::Drift { shift });
    let modes = summary
        .modes
        .map(|m| Reason::TwoModes { fast: (m.low.center, m.low.count), slow: (m.high.center, m.high.count) });
    let slow = summary.estimator == Estimator::Mean && summary.slow_start > 0;
    let slow = slow.then_some(Reason::SlowStart { samples: summary.slow_start });
    disturbed.into_iter().chain(drift).chain(modes).chain(slow).collect()
}

/// Median of the second half ÷ median of the first, less one.
fn shift(times: &[f64]) -> Option<f64> {
    let (first, second) = times.split_at(times.len() / 2);
    Some(quantile::median(second)? / quantile::median(first)? - 1.0)
}
