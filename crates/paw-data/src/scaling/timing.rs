//! The times of an application's runs at one point: the best, whether it can be trusted, and the resources used.

use paw_stats::interval;
use paw_stats::kbest;
use paw_stats::quantile;

use crate::method::EndRule;
use crate::outcome::{Outcome, Status};
use crate::run::Record;
use crate::scaling::agreement::RunAgreement;
use crate::secondary::SecondaryMetric;
use crate::summary::{CONFIDENCE, agreement};

/// Resident pages are counted in batches of 32 on each processor (percpu_counter in Linux' mm): two processors' batches of 4 KiB pages.
const GRAIN_BYTES: f64 = 2.0 * 32.0 * 4096.0;
/// Share of a run that its main thread was runnable but not running, above which other work disturbed it.
pub const DELAYED: f64 = 0.01;

/// The best of some values and how far to trust it. For rates the best is the largest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestFigure {
    /// The best value.
    pub best: f64,
    /// Whether these values meet the rule of their series.
    pub agreed: RunAgreement,
    /// Relative distance from the best to the last value that must agree; `None` where there are too few values.
    pub spread_k: Option<f64>,
    /// The mean of the values that must agree (of rates the harmonic one).
    pub mean_of_k: f64,
    /// Whether the best lies further than the tolerance from values that agree with each other.
    pub lone_best: bool,
    /// The median.
    pub median: f64,
    /// The 95 % interval of the median; `None` for fewer than six values.
    pub interval: Option<(f64, f64)>,
    /// Number of values.
    pub n: usize,
}

impl BestFigure {
    /// The figure of `values` of a series with this outcome, less being better; `None` where there are none, or one is negative or not a number.
    pub fn of(values: &[f64], rule: &EndRule, outcome: Option<&Outcome>) -> Option<Self> {
        let (k, within, best) = agreement(rule);
        let found = kbest::k_best(values, k, within, best)?;
        Some(Self {
            best: found.best,
            agreed: RunAgreement::of(values, found.agreement, rule, outcome),
            spread_k: found.spread_k,
            mean_of_k: found.mean_of_k,
            lone_best: found.lone_minimum,
            median: quantile::median(values)?,
            interval: interval::median(values, CONFIDENCE).map(|i| (i.low, i.high)),
            n: values.len(),
        })
    }
}

/// The times of the runs at one point. Disturbed runs are included, and counted: an application's disturbances belong to
/// the place it runs in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunTiming {
    /// Wall time in seconds.
    pub wall_s: BestFigure,
    /// Runs whose main thread waited for a processor for more than [`DELAYED`] of their time.
    pub delayed: usize,
    /// User time of the fastest run, in seconds.
    pub user_s: Option<f64>,
    /// System time of the fastest run, in seconds.
    pub sys_s: Option<f64>,
    /// The most memory that any run had resident, in bytes.
    pub rss_bytes: Option<f64>,
    /// Memory of the launcher in bytes: no program can show less.
    pub rss_floor_bytes: Option<f64>,
}

impl RunTiming {
    /// The timing of `record`; `None` where it failed, was skipped, or has no run.
    pub fn of(record: &Record, rule: &EndRule) -> Option<Self> {
        if record.outcome.as_ref().is_some_and(|o| o.status != Status::Measured) {
            return None;
        }
        let times = record.samples.per_loop_s();
        let wall_s = BestFigure::of(&times, rule, record.outcome.as_ref())?;
        let fastest = (0..times.len()).min_by(|a, b| times[*a].total_cmp(&times[*b]))?;
        let column = |metric| record.samples.secondary(metric);
        let of_fastest = |metric| column(metric)?.get(fastest).copied().filter(|v| v.is_finite());
        let whole = record.samples.elapsed_s.iter().zip(&record.samples.run_delay_s);
        let most =
            |metric| column(metric).into_iter().flatten().copied().filter(|v: &f64| v.is_finite()).reduce(f64::max);
        Some(Self {
            wall_s,
            delayed: whole.filter(|(wall, delay)| **delay > DELAYED * **wall).count(),
            user_s: of_fastest(SecondaryMetric::UserTime),
            sys_s: of_fastest(SecondaryMetric::SystemTime),
            rss_bytes: most(SecondaryMetric::ResidentMemory),
            rss_floor_bytes: most(SecondaryMetric::ResidentFloor),
        })
    }

    /// The best wall time in seconds.
    pub fn best_s(&self) -> f64 {
        self.wall_s.best
    }

    /// Whether the wall times meet the rule of their series.
    pub fn agreed(&self) -> RunAgreement {
        self.wall_s.agreed
    }

    /// Whether the program may have had less memory than [`rss_bytes`](Self::rss_bytes), which is then the launcher's.
    pub fn is_rss_at_most(&self) -> bool {
        self.rss_bytes.zip(self.rss_floor_bytes).is_some_and(|(rss, floor)| rss <= floor + GRAIN_BYTES)
    }

    /// Processor time of the fastest run, user and system, in seconds: their sum is exact where their split is not.
    pub fn cpu_s(&self) -> Option<f64> {
        Some(self.user_s? + self.sys_s?)
    }
}
