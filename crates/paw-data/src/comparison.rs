//! Two records against each other: the ratio of their times, its interval, and what may be said.

use paw_stats::comparison::{self, Ratio};
use paw_stats::interval::Interval;
use paw_stats::quantile;
use paw_stats::verdict::Verdict;

use crate::quantity::Quantity;
use crate::rounds::Rounds;
use crate::run::Record;
use crate::summary::{CONFIDENCE, times_s};

/// Relative difference below which two times count as the same unless the caller says otherwise.
///
/// What moves from one window of a quiet machine to the next is about as much.
pub const MARGIN: f64 = 0.01;

/// Fewest complete rounds that are compared as rounds.
const ROUNDS_AT_LEAST: usize = 3;

/// Runs a side from which the noise between runs shows.
const RUNS_AT_LEAST: usize = 3;

/// Whether two records are of the same run: group and round numbers mean nothing across runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// They do.
    SameRun,
    /// They do not.
    OtherRun,
}

/// How two records were set against each other, from the best to the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pairing {
    /// Round by round, over this number of complete rounds.
    Paired {
        /// Complete rounds.
        rounds: usize,
    },
    /// All times of several runs a side, one against the other.
    Unpaired {
        /// Runs of the side that has fewer.
        runs: usize,
    },
    /// One number a side, from imported rows.
    Numbers,
}

/// Two records against each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// Time of b ÷ time of a: above 1 b takes longer.
    pub ratio: f64,
    /// The interval of the ratio; `None` where there are too few samples.
    pub interval: Option<Interval>,
    /// What may be said of b.
    pub verdict: Verdict,
    /// How they were set against each other.
    pub pairing: Pairing,
    /// The margin of the verdict: the caller's, or the noise between runs where that is wider.
    pub margin: f64,
    /// About how many rounds or samples in all a verdict takes, where it is inconclusive and that can be estimated.
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
        if origin == Origin::SameRun && a.cell.group == b.cell.group {
            let rounds = Rounds::of(&a.samples, &b.samples);
            if rounds.len() >= ROUNDS_AT_LEAST {
                let ratio = comparison::paired(&rounds.a_s, &rounds.b_s, confidence)?;
                return Some(Self::of(ratio, Pairing::Paired { rounds: rounds.len() }, margin));
            }
        }
        if a.samples.is_empty() || b.samples.is_empty() {
            let ratio = Ratio { value: numbers(a, b)?, interval: None, n: 1 };
            return Some(Self::of(ratio, Pairing::Numbers, margin));
        }
        Self::between_runs(&[a], &[b], confidence, margin)
    }

    /// The same cell in several runs a side: all times of b's runs against all times of a's. The margin grows to the noise
    /// between the runs of a side: the widest distance of one run's median from its side's.
    pub fn between_runs(a: &[&Record], b: &[&Record], confidence: f64, margin: f64) -> Option<Self> {
        let pool = |side: &[&Record]| side.iter().flat_map(|r| times_s(&r.samples).0).collect::<Vec<f64>>();
        let ratio = comparison::unpaired(&pool(a), &pool(b), confidence)?;
        let noise = between_run_noise(a).max(between_run_noise(b));
        Some(Self::of(ratio, Pairing::Unpaired { runs: a.len().min(b.len()) }, margin.max(noise)))
    }

    /// Whether the verdict is no more than a hint, because what changed between the two series cannot be told from what
    /// changed in them: unpaired with fewer than three runs a side.
    pub fn indicative(&self) -> bool {
        match self.pairing {
            Pairing::Paired { .. } => false,
            Pairing::Unpaired { runs } => runs < RUNS_AT_LEAST,
            Pairing::Numbers => true,
        }
    }

    /// How far to trust it, in a few words: `paired, 32 rounds`, `indicative: one run a side`.
    pub fn label(&self) -> String {
        match self.pairing {
            Pairing::Paired { rounds } => format!("paired, {rounds} rounds"),
            Pairing::Unpaired { runs: 1 } => "indicative: one run a side".to_owned(),
            Pairing::Unpaired { runs } if self.indicative() => format!("indicative: {runs} runs a side"),
            Pairing::Unpaired { runs } => format!("{runs} runs a side"),
            Pairing::Numbers => "indicative: no samples".to_owned(),
        }
    }

    fn of(ratio: Ratio, pairing: Pairing, margin: f64) -> Self {
        let verdict = ratio.verdict(margin);
        let needed = if verdict == Verdict::Inconclusive { ratio.rounds_needed(margin) } else { None };
        Self { ratio: ratio.value, interval: ratio.interval, verdict, pairing, margin, needed }
    }
}

/// The widest relative distance of one run's median from the median of them all; 0 for one run.
fn between_run_noise(side: &[&Record]) -> f64 {
    let medians: Vec<f64> = side.iter().filter_map(|r| quantile::median(&times_s(&r.samples).0)).collect();
    let Some(center) = quantile::median(&medians) else { return 0.0 };
    medians.iter().map(|m| (m / center).max(center / m) - 1.0).fold(0.0, f64::max)
}

/// The ratio of times b ÷ a of two records, at least one with only an imported row. Rates whose work is not known are a
/// ratio among themselves.
fn numbers(a: &Record, b: &Record) -> Option<f64> {
    let ratio = match (time_s(a), time_s(b)) {
        (Some(a), Some(b)) => b / a,
        _ if a.cell.headline == b.cell.headline => rate(a)? / rate(b)?,
        _ => return None,
    };
    (ratio > 0.0 && ratio.is_finite()).then_some(ratio)
}

/// The typical time of one operation: the median of the samples, or that of an imported row.
fn time_s(record: &Record) -> Option<f64> {
    iteration_s(record).map(|seconds| record.cell.work.value(Quantity::Time, seconds))
}

fn iteration_s(record: &Record) -> Option<f64> {
    if let Some(median) = quantile::median(&times_s(&record.samples).0) {
        return Some(median);
    }
    let told = record.imported_time.as_ref().map(|row| row.mean);
    let amount = record.cell.work.amount(record.cell.headline);
    told.or_else(|| (amount > 0.0).then(|| rate(record)).flatten().map(|rate| amount / rate))
}

/// The rate of an imported row.
fn rate(record: &Record) -> Option<f64> {
    let row = record.imported_rate.as_ref().filter(|_| record.cell.headline != Quantity::Time);
    row.map(|row| row.mean)
}
