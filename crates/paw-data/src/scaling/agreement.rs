//! Whether the values of a series meet the rule that ends it, judged on the values that are shown.

use paw_stats::kbest::Agreement;
use paw_stats::precision;

use crate::method::EndRule;
use crate::outcome::{Ending, Outcome};
use crate::summary::CONFIDENCE;

/// Whether the values of a series meet the rule that ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunAgreement {
    /// k values lie within the tolerance of the best.
    Valid,
    /// The interval of the median is as narrow as asked.
    Converged,
    /// The number of values asked for was taken; no rule judges them.
    Complete,
    /// The most values allowed were taken, and k did not agree.
    Timeout,
    /// The series ended with an interval wider than asked.
    Unconverged,
    /// Other work ran on the program's processors: the values include it.
    Contended,
    /// The series was cut off before its rule had its fewest values, or before they met it.
    Open,
}

impl RunAgreement {
    /// The word tables print.
    pub fn word(self) -> &'static str {
        match self {
            RunAgreement::Valid => "valid",
            RunAgreement::Converged => "converged",
            RunAgreement::Complete => "complete",
            RunAgreement::Timeout => "timeout",
            RunAgreement::Unconverged => "unconverged",
            RunAgreement::Contended => "contended",
            RunAgreement::Open => "unfinished",
        }
    }

    /// Whether a rule accepts the values.
    pub fn is_met(self) -> bool {
        matches!(self, RunAgreement::Valid | RunAgreement::Converged)
    }

    /// `?` where a rule was to judge the values and did not accept them; else empty.
    pub fn mark(self) -> &'static str {
        if self.is_met() || self == RunAgreement::Complete { "" } else { "?" }
    }

    /// Judges `values`, whose best agrees with others or not by the numbers of `rule`; `outcome` is that of their series.
    pub(super) fn of(values: &[f64], best: Agreement, rule: &EndRule, outcome: Option<&Outcome>) -> Self {
        if outcome.is_some_and(Outcome::is_contended) {
            return RunAgreement::Contended;
        }
        let ending = outcome.and_then(|outcome| outcome.ending);
        let has = |count: u32| values.len() >= count as usize;
        match *rule {
            EndRule::Fixed { samples } if has(samples) => RunAgreement::Complete,
            EndRule::Fixed { .. } => RunAgreement::Open,
            EndRule::KBest { min, max, .. } => match best {
                Agreement::Valid if has(min) => RunAgreement::Valid,
                Agreement::Unconverged
                    if has(max) || matches!(ending, Some(Ending::Valid | Ending::Timeout | Ending::Decided)) =>
                {
                    RunAgreement::Timeout
                }
                _ => RunAgreement::Open,
            },
            EndRule::Interval { within, min, max, min_long } => {
                let width = precision::half_width(values, CONFIDENCE);
                let is_narrow = width.is_some_and(|half_width| half_width <= within);
                let is_over = matches!(
                    ending,
                    Some(Ending::Converged | Ending::NoisyStable | Ending::MaxSamples | Ending::Decided)
                );
                match is_narrow {
                    true if has(min_long.min(min)) => RunAgreement::Converged,
                    false if has(max) || is_over => RunAgreement::Unconverged,
                    _ => RunAgreement::Open,
                }
            }
        }
    }
}
