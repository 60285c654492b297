//! Two records, or several runs of each, against each other: the ratio of their times, its interval, and what may be said.

use std::borrow::Cow;

use paw_stats::comparison::{self, RUNS_MIN};
use paw_stats::hierarchical::{INVOCATIONS_MIN, Scope};
use paw_stats::interval::{self, Bounds};
use paw_stats::verdict::{Doubt, Size, Verdict};

use crate::application;
use crate::quantity::Quantity;
use crate::rounds::{CleanRounds, Rounds};
use crate::run::Record;
use crate::sample::Samples;
use crate::summary;

/// Relative difference that verdicts name the size of a difference by, unless the caller says otherwise.
///
/// What moves from one window of a quiet machine to the next is about as much.
pub const MARGIN: f64 = 0.01;

/// The confidence of a verdict: equal programs are called different once in a hundred comparisons.
pub const CONFIDENCE: f64 = 0.99;

/// The share of the error probability that a comparison over invocations spends: a series ends once its interval is narrow, which favours
/// luck.
const OVER_INVOCATIONS: f64 = 0.5;

/// Relative difference that two processes of one program are taken to have at most: with one process a side only what passes it is
/// called different. It is 2.6 deviations of a ratio where processes have a deviation of 1.3 %.
pub const PROCESS_MARGIN: f64 = 0.05;

/// Whether two records are of the same run: group and round numbers mean nothing across runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// Both records are of one run.
    SameRun,
    /// The records are of different runs.
    OtherRun,
}

/// How two records were compared, from the best to the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pairing {
    /// Round by round.
    Paired {
        /// Undisturbed rounds that both have.
        rounds: usize,
        /// Invocations of these rounds.
        invocations: usize,
    },
    /// One number of each run.
    Runs {
        /// Runs of a.
        a: usize,
        /// Runs of b.
        b: usize,
    },
}

/// Two records against each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// Time of b ÷ time of a: above 1 b takes longer.
    pub ratio: f64,
    /// The interval of the ratio; `None` where there are too few rounds, invocations or runs.
    pub interval: Option<Bounds>,
    /// The verdict on b.
    pub verdict: Verdict,
    /// How they were compared.
    pub pairing: Pairing,
    /// The margin that the verdict names a size by.
    pub margin: f64,
    /// About how many rounds or invocations in all a verdict takes, where it is inconclusive and that can be estimated.
    pub needed: Option<usize>,
}

impl Comparison {
    /// Record `b` against record `a`, with the margin of 1 %: by rounds where both are in the same group of the same run.
    ///
    /// `None` where one has neither samples nor imported numbers, or a time is zero. Whether both do the same work is the
    /// caller's to know.
    pub fn between(a: &Record, b: &Record, origin: Origin) -> Option<Self> {
        Self::within(a, b, origin, CONFIDENCE, MARGIN)
    }

    /// As [`Comparison::between`], with another confidence (for several comparisons at once see
    /// [`paw_stats::comparison::bonferroni`]) and another relative margin.
    pub fn within(a: &Record, b: &Record, origin: Origin, confidence: f64, margin: f64) -> Option<Self> {
        let apart = || Self::between_runs(&[a], &[b], confidence, margin);
        if origin == Origin::OtherRun || a.samples.is_empty() || b.samples.is_empty() {
            return apart();
        }
        if a.cell.group != b.cell.group {
            return Some(Self { verdict: Verdict::Inconclusive(Doubt::Apart), ..apart()? });
        }
        let rounds = Rounds::by_invocation(&processes(a), &processes(b));
        if rounds.is_empty() {
            let verdict = Verdict::Inconclusive(few(&rounds, confidence));
            return Some(Self { verdict, pairing: Pairing::Paired { rounds: 0, invocations: 0 }, ..apart()? });
        }
        Self::paired(&rounds, confidence, margin)
    }

    fn paired(rounds: &CleanRounds, confidence: f64, margin: f64) -> Option<Self> {
        let a: Vec<&[f64]> = rounds.invocations.iter().map(|r| r.a_s.as_slice()).collect();
        let b: Vec<&[f64]> = rounds.invocations.iter().map(|r| r.b_s.as_slice()).collect();
        let confidence = if a.len() > 1 { 1.0 - (1.0 - confidence) * OVER_INVOCATIONS } else { confidence };
        let found = comparison::paired_invocations(&a, &b, confidence)?;
        let verdict = match (found.interval, found.scope) {
            (None, Scope::OneInvocation) => Verdict::Inconclusive(few(rounds, confidence)),
            (None, Scope::Invocations(found)) => {
                Verdict::Inconclusive(Doubt::FewInvocations { found, needed: INVOCATIONS_MIN })
            }
            (Some(i), Scope::OneInvocation) => of_one_process(i, margin),
            (Some(i), Scope::Invocations(_)) => Verdict::of(i.low, i.high, margin),
        };
        let pairing = Pairing::Paired { rounds: rounds.len(), invocations: a.len() };
        let units = if found.scope == Scope::OneInvocation { rounds.len() } else { a.len() };
        let needed = match verdict.doubt() {
            Some(Doubt::Wide) => comparison::rounds_needed(found.value, found.interval?, units, margin),
            Some(Doubt::FewRounds { needed, .. } | Doubt::FewInvocations { needed, .. }) => Some(needed),
            _ => None,
        };
        Some(Self { ratio: found.value, interval: found.interval, verdict, pairing, margin, needed })
    }

    /// The same cell in several runs a side, one number of each run: runs were not interleaved, so that only what differs more than
    /// the runs of a side do is called different. With fewer than three runs a side there is no verdict.
    pub fn between_runs(a: &[&Record], b: &[&Record], confidence: f64, margin: f64) -> Option<Self> {
        let (values_a, values_b) = numbers(a, b)?;
        let (ratio, interval) = comparison::between_runs(&values_a, &values_b, confidence)?;
        let runs = a.len().min(b.len());
        let doubt = Doubt::FewRuns { runs, needed: RUNS_MIN };
        let verdict = interval.map_or(Verdict::Inconclusive(doubt), |i| Verdict::of(i.low, i.high, margin));
        let needed = match (verdict.doubt(), interval) {
            (Some(_), Some(interval)) => comparison::rounds_needed(ratio, interval, runs, margin),
            _ => None,
        };
        Some(Self { ratio, interval, verdict, pairing: Pairing::Runs { a: a.len(), b: b.len() }, margin, needed })
    }

    /// Whether the records could have a verdict at all: one or two runs a side have a ratio and no word.
    pub fn decides(&self) -> bool {
        !matches!(self.verdict.doubt(), Some(Doubt::FewRuns { .. }))
    }

    /// The data behind the ratio, in a few words: `32 rounds`, `60 rounds of 5 invocations`, `one run a side`.
    pub fn label(&self) -> String {
        match self.pairing {
            Pairing::Paired { rounds, invocations } if invocations == rounds || invocations < 2 => {
                format!("{rounds} round{}", if rounds == 1 { "" } else { "s" })
            }
            Pairing::Paired { rounds, invocations } => format!("{rounds} rounds of {invocations} invocations"),
            Pairing::Runs { a: 1, b: 1 } => "one run a side".to_owned(),
            Pairing::Runs { a, b } if a == b => format!("{a} runs a side"),
            Pairing::Runs { a, b } => format!("{a} runs against {b}"),
        }
    }
}

/// The verdict where each side is one process: FASTER or SLOWER where the whole interval passes what processes of one program differ by.
fn of_one_process(interval: Bounds, margin: f64) -> Verdict {
    match Verdict::of(interval.low, interval.high, PROCESS_MARGIN.max(margin)) {
        Verdict::Faster(Size::Beyond) | Verdict::Slower(Size::Beyond) => {
            Verdict::of(interval.low, interval.high, margin)
        }
        _ => Verdict::Inconclusive(Doubt::OneInvocation { percent: (PROCESS_MARGIN * 100.0).round() as u32 }),
    }
}

/// Why rounds of one invocation have no interval.
fn few(rounds: &CleanRounds, confidence: f64) -> Doubt {
    let needed = interval::fewest(confidence);
    if rounds.len() + rounds.unequal >= needed {
        return Doubt::UnequalLoops;
    }
    Doubt::FewRounds { clean: rounds.len(), of: rounds.of, needed }
}

/// The samples of a record with the number of each sample's process; a program is a new process in every round.
fn processes(record: &Record) -> Cow<'_, Samples> {
    let mut samples = Cow::Borrowed(&record.samples);
    if record.cell.suite == application::SUITE {
        samples.to_mut().invocation.clone_from(&record.samples.round);
    }
    samples
}

/// One number of each run: times where all have them, else times as the reciprocals of rates of the same quantity.
fn numbers(a: &[&Record], b: &[&Record]) -> Option<(Vec<f64>, Vec<f64>)> {
    let side =
        |side: &[&Record], of: fn(&Record) -> Option<f64>| side.iter().map(|r| of(r)).collect::<Option<Vec<_>>>();
    if let (Some(a), Some(b)) = (side(a, time_s), side(b, time_s)) {
        return Some((a, b));
    }
    let quantity = a.first()?.cell.headline;
    let alike = a.iter().chain(b).all(|record| record.cell.headline == quantity);
    let inverse = |record: &Record| rate(record).map(f64::recip);
    alike.then(|| Some((side(a, inverse)?, side(b, inverse)?)))?
}

/// The typical time of one operation: that of the samples, or that of an imported row.
fn time_s(record: &Record) -> Option<f64> {
    iteration_s(record).map(|seconds| record.cell.work.value(Quantity::Time, seconds))
}

fn iteration_s(record: &Record) -> Option<f64> {
    if let Some(typical) = summary::typical_s(&record.samples) {
        return Some(typical);
    }
    let imported = record.imported_time.as_ref().map(|row| row.mean);
    let amount = record.cell.work.amount(record.cell.headline);
    imported.or_else(|| (amount > 0.0).then(|| rate(record)).flatten().map(|rate| amount / rate))
}

/// The rate of an imported row.
fn rate(record: &Record) -> Option<f64> {
    let row = record.imported_rate.as_ref().filter(|_| record.cell.headline != Quantity::Time);
    row.map(|row| row.mean)
}
