//! What the samples of a record say, computed when looked at and never stored.

use paw_stats::autocorrelation::{self, Autocorrelation};
use paw_stats::drift::{self, Drift};
use paw_stats::hierarchical::{self, Estimate, INVOCATIONS_MIN, Scope, slices};
use paw_stats::interval::{self, Bounds};
use paw_stats::kbest::{self, Best, KBest};
use paw_stats::modes::{self, Modes};
use paw_stats::outliers::{self, Outliers};
use paw_stats::stability::{self, Stability};
use paw_stats::{mean, rank, sigma, warmup};

use crate::application;
use crate::between_runs::BetweenRuns;
use crate::machine::Machine;
use crate::method::{EndRule, Estimator, Method};
use crate::quantity::Quantity;
use crate::run::{Imported, Record};
use crate::sample::Samples;
use crate::work::Work;

/// The confidence of every interval of a single series.
pub const CONFIDENCE: f64 = 0.95;

/// With fewer clean samples than this the disturbed ones have to help: two values have neither a middle nor a spread.
const CLEAN_AT_LEAST: usize = 3;

/// Samples that must agree where the method does not say: the k-best thesis.
const K: usize = 4;

/// Relative tolerance of their agreement where the method does not say: the k-best thesis.
const WITHIN: f64 = 0.05;

/// Which samples an estimate comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Basis {
    /// Those that nothing disturbed.
    Clean,
    /// All, because fewer than three were clean.
    All,
}

impl Basis {
    /// Whether a sample counts that was disturbed or not.
    pub fn counts(self, disturbed: bool) -> bool {
        self == Basis::All || !disturbed
    }
}

/// What the samples of a record say. Times are seconds of one iteration.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Samples the estimates come from.
    pub n: usize,
    /// Samples that were disturbed, in the estimates or not.
    pub n_disturbed: usize,
    /// Which samples the estimates come from.
    pub basis: Basis,
    /// The smallest time.
    pub min_s: f64,
    /// The median time; of several invocations the median of their medians.
    pub median_s: f64,
    /// The arithmetic mean of the times.
    pub mean_s: f64,
    /// The largest time.
    pub max_s: f64,
    /// The sample standard deviation; `None` for one sample.
    pub sigma_s: Option<f64>,
    /// The population standard deviation, as PAW's files hold it.
    pub sigma_pop_s: f64,
    /// The 95 % interval of the median: over invocations from three on, `None` for two, and within one process for one; `None` there
    /// for fewer than six samples. Of fewer than three processes whose samples resemble their neighbours it is that of as many
    /// independent samples as they are worth, and where that is fewer than six, from the least to the largest sample.
    pub interval_s: Option<Bounds>,
    /// What the interval covers: this one process, or processes like those seen.
    pub scope: Scope,
    /// The k-best rule, with the method's own numbers where it has them and 4 within 5 % else.
    pub k_best: KBest,
    /// How far the median lies above the minimum.
    pub stability: Option<Stability>,
    /// Whether times follow the order they were taken in.
    pub drift: Option<Drift>,
    /// Whether times resemble their neighbours.
    pub autocorrelation: Option<Autocorrelation>,
    /// Both modes, where there are two.
    pub modes: Option<Modes>,
    /// How many times lie beyond Tukey's fences.
    pub outliers: Outliers,
    /// How many leading samples look like warm-up that slipped in.
    pub slow_start: usize,
    /// Which statistic is the headline.
    pub estimator: Estimator,
    /// What the headline counts.
    pub quantity: Quantity,
    /// Work of one iteration.
    pub work: Work,
    /// What moves between runs, which every interval of a figure holds.
    pub between_runs: BetweenRuns,
}

/// A number in the unit of its quantity, with the ends of its interval where there is one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// The number.
    pub value: f64,
    /// The smaller end.
    pub low: Option<f64>,
    /// The larger end.
    pub high: Option<f64>,
}

impl Summary {
    /// The summary of a record's samples. `None` where there is no sample, or a time is negative or not a number.
    pub fn of(record: &Record, method: &Method) -> Option<Self> {
        let (times, basis) = times_s(&record.samples);
        let (k, within, best) = agreement(&method.ending);
        let autocorrelation = autocorrelation::autocorrelation(&times);
        let estimate = estimated(record, &times, basis, || autocorrelation)?;
        // Statistics that sort their values do that in one pass where they are sorted.
        let sorted = rank::sorted(&times)?;
        Some(Self {
            n: times.len(),
            n_disturbed: record.samples.disturbed.iter().filter(|d| **d).count(),
            basis,
            min_s: *sorted.first()?,
            median_s: estimate.value,
            mean_s: mean::arithmetic(&times)?,
            max_s: *sorted.last()?,
            sigma_s: sigma::sample(&times),
            sigma_pop_s: sigma::population(&times)?,
            interval_s: estimate.interval,
            scope: estimate.scope,
            k_best: kbest::k_best(&sorted, k, within, best)?,
            stability: stability::stability(&sorted),
            drift: drift::drift(&times),
            autocorrelation,
            modes: modes::bimodal(&sorted),
            outliers: outliers::outliers(&sorted)?,
            slow_start: warmup::leading(&times).unwrap_or(0),
            estimator: method.headline,
            quantity: record.cell.headline,
            work: record.cell.work,
            between_runs: BetweenRuns::UNKNOWN,
        })
    }

    /// This summary with intervals that also hold what moves between runs of `machine`.
    pub fn on(self, machine: &Machine) -> Self {
        Self { between_runs: BetweenRuns::of(machine), ..self }
    }

    /// The headline's time in seconds of one iteration.
    pub fn headline_s(&self) -> f64 {
        match self.estimator {
            Estimator::Median => self.median_s,
            Estimator::Min => self.min_s,
            Estimator::Mean => self.mean_s,
        }
    }

    /// What is known about the headline's time: for the median its 95 % interval; for the minimum the way up to the last
    /// sample that must agree with it; for the mean nothing, because an interval of it needs a distribution that times do
    /// not have.
    pub fn headline_interval_s(&self) -> Option<(f64, f64)> {
        match self.estimator {
            Estimator::Median => self.median_interval_s(),
            Estimator::Min => {
                let ends = self.k_best.spread_k.map(|spread| (self.min_s, self.min_s * (1.0 + spread)));
                ends.map(|ends| self.between_runs.widened(self.min_s, ends))
            }
            Estimator::Mean => None,
        }
    }

    /// The 95 % interval of the median, with what moves between runs.
    pub fn median_interval_s(&self) -> Option<(f64, f64)> {
        self.interval_s.map(|i| self.between_runs.widened(self.median_s, (i.low, i.high)))
    }

    /// The headline in its own quantity: for a rate the work over the time, and the ends of the interval change places.
    pub fn headline(&self) -> Figure {
        self.figure(self.quantity, self.headline_s(), self.headline_interval_s())
    }

    /// The median in the headline's quantity, with its 95 % interval.
    pub fn median(&self) -> Figure {
        self.figure(self.quantity, self.median_s, self.median_interval_s())
    }

    /// The headline's time in another quantity of the same work: the byte rate of a benchmark that counts operations.
    /// `None` where an iteration does no such work.
    pub fn rate(&self, quantity: Quantity) -> Option<Figure> {
        let figure = || self.figure(quantity, self.headline_s(), self.headline_interval_s());
        (self.work.amount(quantity) > 0.0).then(figure)
    }

    /// The share of all samples that were disturbed, 0 … 1.
    pub fn disturbed_share(&self) -> f64 {
        let all = match self.basis {
            Basis::Clean => self.n + self.n_disturbed,
            Basis::All => self.n,
        };
        self.n_disturbed as f64 / all as f64
    }

    pub(crate) fn figure(&self, quantity: Quantity, time_s: f64, interval_s: Option<(f64, f64)>) -> Figure {
        figure(&self.work, quantity, time_s, interval_s)
    }
}

/// A time in a quantity of `work`; for a rate the ends of the interval change places.
fn figure(work: &Work, quantity: Quantity, time_s: f64, interval_s: Option<(f64, f64)>) -> Figure {
    let value = |seconds| work.value(quantity, seconds);
    let ends = interval_s.map(|(low, high)| {
        let (low, high) = (value(low), value(high));
        if quantity == Quantity::Time { (low, high) } else { (high, low) }
    });
    Figure { value: value(time_s), low: ends.map(|e| e.0), high: ends.map(|e| e.1) }
}

/// The headline of a record, whether it has samples or only the statistics of an imported row; what moves between runs is `between_runs`.
///
/// An imported mean of rates stays what the file says; it has no interval.
pub fn headline(record: &Record, method: &Method, between_runs: BetweenRuns) -> Option<Figure> {
    if !record.samples.is_empty() {
        if method.headline != Estimator::Median {
            return Some(Summary { between_runs, ..Summary::of(record, method)? }.headline());
        }
        // A median needs no more than this of its summary.
        let found = estimate(record)?;
        let ends = found.interval.map(|own| between_runs.widened(found.value, (own.low, own.high)));
        return Some(figure(&record.cell.work, record.cell.headline, found.value, ends));
    }
    let number = |value| Figure { value, low: None, high: None };
    let of = |row: &Imported, best: f64| if method.headline == Estimator::Min { best } else { row.mean };
    let rate = record.imported_rate.as_ref().map(|row| number(of(row, row.max)));
    let time = record.imported_time.as_ref().map(|row| of(row, row.min));
    let time = time.map(|time_s| number(record.cell.work.value(record.cell.headline, time_s)));
    if record.cell.headline == Quantity::Time { time } else { rate.or(time) }
}

/// The typical time of an iteration over the invocations of a record, with its 95 % interval as [`Summary::interval_s`]; of the samples of
/// [`times_s`].
pub fn estimate(record: &Record) -> Option<Estimate> {
    let (times, basis) = times_s(&record.samples);
    estimated(record, &times, basis, || autocorrelation::autocorrelation(&times))
}

fn estimated(
    record: &Record,
    times: &[f64],
    basis: Basis,
    autocorrelation: impl FnOnce() -> Option<Autocorrelation>,
) -> Option<Estimate> {
    let found = hierarchical::times(&slices(&invocations(&record.samples, times, basis)), CONFIDENCE)?;
    if found.interval.is_none() || processes(record, basis) >= INVOCATIONS_MIN {
        return Some(found);
    }
    let Some(worth) = autocorrelation().filter(|found| found.flagged).map(|found| found.effective_n) else {
        return Some(found);
    };
    // Worth fewer than six: all that is known is where the samples lie.
    let extremes = || Some(Bounds { low: rank::min(times)?, high: rank::max(times)? });
    let interval = interval::widened(times, worth, CONFIDENCE).map(Bounds::from).or_else(extremes);
    Some(Estimate { interval, ..found })
}

/// The value of [`estimate`] alone.
pub fn typical_s(samples: &Samples) -> Option<f64> {
    let (times, basis) = times_s(samples);
    hierarchical::center(&slices(&invocations(samples, &times, basis)))
}

/// The `times` of [`times_s`] by their invocations.
fn invocations(samples: &Samples, times: &[f64], basis: Basis) -> Vec<Vec<f64>> {
    let counted = samples.disturbed.iter().zip(&samples.invocation).filter(|(disturbed, _)| basis.counts(**disturbed));
    hierarchical::grouped(times, &counted.map(|(_, id)| *id).collect::<Vec<_>>())
}

/// How many processes, or jobs of ranks, the samples come from that count: each run of a program is one.
pub fn processes(record: &Record, basis: Basis) -> usize {
    let samples = &record.samples;
    let counted = samples.disturbed.iter().zip(&samples.invocation).filter(|(disturbed, _)| basis.counts(**disturbed));
    let mut ids: Vec<u32> = counted.map(|(_, id)| *id).collect();
    if record.cell.suite == application::SUITE {
        return ids.len();
    }
    ids.sort_unstable();
    ids.dedup();
    ids.len()
}

/// Seconds of one iteration of the samples an estimate may come from, in order: the clean ones, or all where fewer than
/// three are clean.
pub fn times_s(samples: &Samples) -> (Vec<f64>, Basis) {
    match basis(samples) {
        Basis::All => (samples.per_loop_s(), Basis::All),
        Basis::Clean => (samples.clean_per_loop_s(), Basis::Clean),
    }
}

/// Which samples an estimate may come from.
pub fn basis(samples: &Samples) -> Basis {
    let clean = samples.disturbed.iter().filter(|disturbed| !**disturbed).count();
    if clean < CLEAN_AT_LEAST && clean < samples.len() { Basis::All } else { Basis::Clean }
}

/// How many samples must agree with the best, how closely, and whether the best is one of them.
pub(crate) fn agreement(ending: &EndRule) -> (usize, f64, Best) {
    match *ending {
        EndRule::KBest { k, within, best_counts, .. } => {
            (k as usize, within, if best_counts { Best::Counts } else { Best::Excluded })
        }
        _ => (K, WITHIN, Best::Counts),
    }
}
