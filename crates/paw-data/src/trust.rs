//! How far a record's number may be trusted: a word whose meaning METHOD.md states in terms of error, and the reasons.

mod circumstances;
mod reason;
mod recorded;

use paw_sort::OrderBy;
use paw_stats::hierarchical::INVOCATIONS_MIN;
use paw_stats::kbest::Agreement;

use crate::application;
use crate::between_runs::BetweenRuns;
use crate::cell::Cell;
use crate::method::Estimator;
use crate::outcome::{Caveat, CheckVerdict, Status};
use crate::run::Record;
use crate::summary::{Basis, Summary, processes, times_s};

pub use reason::{Process, Reason};

/// Relative half width of the samples alone up to which a number is good: half of what makes it poor.
const NARROW: f64 = 0.05;

/// Relative half width from which a number is poor: where the stability grade turns BAD.
const WIDE: f64 = 0.10;

/// Relative spread of the k best up to which the best is good: twice what `csapp` asks for.
const CLOSE: f64 = 0.02;

/// Relative change below which nothing is said: what the default method resolves.
const NOTABLE: f64 = 0.01;

/// More disturbed samples than this share, and the machine was not ours alone: estimates rest on three quarters of the samples at least.
pub const CONTENDED: f64 = 0.25;

/// How far a number may be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Trust {
    /// The number of a repeat on this machine lies within its ±, nine times in ten.
    Good,
    /// Its ± may be too narrow, or comes from one process: the next one may lie elsewhere.
    Fair,
    /// Do not rely on it.
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

    /// The words with their meaning, in one line.
    pub const MEANING: &'static str =
        "good: repeats agree on it within ±, nine times in ten; fair: ± may be too narrow; poor: do not rely on it";
}

/// The rule: the word that this reason alone leaves to a number. A number without reasons is good.
pub fn word(reason: &Reason) -> Trust {
    let poor = match reason {
        Reason::Check(verdict) => *verdict == CheckVerdict::Fail,
        Reason::Failed | Reason::Unconverged { .. } => true,
        Reason::FewSamples { n } => *n < 3,
        Reason::WideInterval { half_width, .. } => *half_width > WIDE,
        Reason::Spread { spread } => *spread > WIDE,
        Reason::Disturbed { basis, .. } => *basis == Basis::All,
        Reason::Drift { shift } => shift.abs() > WIDE,
        Reason::Caveat(caveat) => return recorded::word(&caveat.id),
        Reason::FewInvocations { .. }
        | Reason::NoInterval
        | Reason::LoneMinimum
        | Reason::TwoModes { .. }
        | Reason::SlowStart { .. } => false,
    };
    if poor { Trust::Poor } else { Trust::Fair }
}

/// How far a record's number may be trusted, with the reasons.
#[derive(Debug, Clone, PartialEq)]
pub struct Trusted {
    /// The word: what the gravest reason leaves.
    pub trust: Trust,
    /// What changes how the number is read, the gravest first.
    pub reasons: Vec<Reason>,
}

impl Summary {
    /// How far the headline may be trusted; `record` is the one this is the summary of.
    pub fn trust(&self, record: &Record) -> Trusted {
        let times = times_s(&record.samples).0;
        let mut reasons = stated(record);
        let is_bare = record.outcome.iter().flat_map(|o| &o.caveats).any(|own| recorded::is_all_that_is_known(&own.id));
        let processes = processes(record, self.basis);
        let half_width = self.half_width(self.between_runs);
        let own = self.own_half_width();
        match self.estimator {
            _ if is_bare => {}
            Estimator::Min => reasons.extend(agreement(self)),
            // Two processes have no interval however many samples they have, which a reason of its own says.
            Estimator::Median if processes == 2 && self.n > 2 => {}
            Estimator::Median => reasons.extend(precision(self, own, half_width)),
            Estimator::Mean => reasons.push(Reason::NoInterval),
        }
        reasons.extend(circumstances::circumstances(self, &times, half_width.unwrap_or(0.0).max(NOTABLE)));
        if processes < INVOCATIONS_MIN && !is_bare {
            reasons.push(Reason::FewInvocations { n: processes, of: Process::of(&record.cell) });
        }
        reasons.order_by_key(|reason| std::cmp::Reverse(word(reason)));
        let trust = reasons.first().map_or(Trust::Good, word);
        Trusted { trust, reasons }
    }

    /// Half the interval of the median that the samples alone show, relative to it.
    pub(crate) fn own_half_width(&self) -> Option<f64> {
        self.half_width(BetweenRuns::UNKNOWN)
    }

    /// Half the interval of the median in the headline's quantity, relative to it, with what moves between runs as `between_runs` has it.
    fn half_width(&self, between_runs: BetweenRuns) -> Option<f64> {
        let own = self.interval_s?;
        let ends = between_runs.widened(self.median_s, (own.low, own.high));
        let figure = self.figure(self.quantity, self.median_s, Some(ends));
        figure.low.zip(figure.high).map(|(low, high)| (high - low) / (2.0 * figure.value))
    }
}

/// Whether a sample of the cell is one run of a program.
fn is_program(cell: &Cell) -> bool {
    cell.suite == application::SUITE
}

/// The reasons that the record itself states.
fn stated(record: &Record) -> Vec<Reason> {
    // A run that was interrupted records this itself; nothing says how a series of one that was killed would have ended.
    let Some(outcome) = &record.outcome else { return vec![Reason::Caveat(Caveat::unchecked("was cut off"))] };
    let failed = (outcome.status == Status::Failed).then_some(Reason::Failed);
    let check = outcome.check.as_ref().filter(|c| c.verdict != CheckVerdict::Pass).map(|c| Reason::Check(c.verdict));
    let caveats = outcome.caveats.iter().filter(|caveat| !recorded::is_of_samples(&caveat.id)).cloned();
    check.into_iter().chain(failed).chain(caveats.map(Reason::Caveat)).collect()
}

/// What the median's interval shows: judged by the samples' `own` half width, because more samples do not change what moves between runs.
fn precision(summary: &Summary, own: Option<f64>, half_width: Option<f64>) -> Option<Reason> {
    let Some((own, half_width)) = own.zip(half_width) else { return Some(Reason::FewSamples { n: summary.n }) };
    (own > NARROW).then_some(Reason::WideInterval { half_width })
}

/// What the samples show that must agree with the best.
fn agreement(summary: &Summary) -> Vec<Reason> {
    let k_best = &summary.k_best;
    let mut reasons = vec![];
    if summary.n == 1 {
        reasons.push(Reason::FewSamples { n: 1 });
    } else if k_best.agreement == Agreement::Unconverged {
        reasons.push(Reason::Unconverged { agreeing: k_best.agreeing });
    } else if let Some(spread) = k_best.spread_k.filter(|spread| *spread > CLOSE) {
        reasons.push(Reason::Spread { spread });
    }
    if k_best.lone_minimum {
        reasons.push(Reason::LoneMinimum);
    }
    reasons
}
