//! The runs of an application at one point by a yardstick: the best, whether it can be trusted, and the resources used.

use paw_stats::interval;
use paw_stats::kbest;
use paw_stats::quantile;

use crate::method::EndRule;
use crate::outcome::{Outcome, Status};
use crate::run::Record;
use crate::scaling::agreement::RunAgreement;
use crate::scaling::yardstick::Yardstick;
use crate::secondary::SecondaryMetric;
use crate::summary::{CONFIDENCE, agreement};

/// Resident pages are counted in batches of 32 on each processor (percpu_counter in Linux' mm): two processors' batches of 4 KiB pages.
const GRAIN_BYTES: f64 = 2.0 * 32.0 * 4096.0;
/// Share of a run that its main thread was runnable but not running, above which other work disturbed it.
pub const DELAYED: f64 = 0.01;

/// The best of some costs and how far to trust it: less is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestFigure {
    /// The best cost.
    pub best: f64,
    /// Whether these costs meet the rule of their series.
    pub agreed: RunAgreement,
    /// Relative distance from the best to the last cost that must agree; `None` where there are too few.
    pub spread_k: Option<f64>,
    /// The mean of the costs that must agree.
    pub mean_of_k: f64,
    /// Whether the best lies further than the tolerance from costs that agree with each other.
    pub lone_best: bool,
    /// The median.
    pub median: f64,
    /// The 95 % interval of the median; `None` for fewer than six costs.
    pub interval: Option<(f64, f64)>,
    /// Number of costs.
    pub n: usize,
    /// Whether they are several and all the same, as those of a program that counts: no spread tells anything of them.
    pub is_constant: bool,
}

impl BestFigure {
    /// The figure of the costs `values` of a series with this outcome; `None` where there are none, or one is negative or not a number.
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
            is_constant: values.len() > 1 && values.iter().all(|value| *value == found.best),
        })
    }
}

/// The runs at one point. Disturbed runs are included, and counted: an application's disturbances belong to the place it runs in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunTiming<'run> {
    /// What they are held against others by.
    pub yardstick: Yardstick<'run>,
    /// Their costs by it.
    pub cost: BestFigure,
    /// Runs whose main thread waited for a processor for more than [`DELAYED`] of their time.
    pub delayed: usize,
    /// User time of the best run, in seconds.
    pub user_s: Option<f64>,
    /// System time of the best run, in seconds.
    pub sys_s: Option<f64>,
    /// The most memory that any run had resident, in bytes.
    pub rss_bytes: Option<f64>,
    /// Memory of the launcher in bytes: no program can show less.
    pub rss_floor_bytes: Option<f64>,
}

impl<'run> RunTiming<'run> {
    /// The runs of `record` by `yardstick`; `None` where it failed, was skipped, or has no such number.
    pub fn of(record: &Record, rule: &EndRule, yardstick: Yardstick<'run>) -> Option<Self> {
        if record.outcome.as_ref().is_some_and(|o| o.status != Status::Measured) {
            return None;
        }
        let seen = yardstick.seen(record);
        let costs = seen.samples.per_loop_s();
        let cost = BestFigure::of(&costs, rule, record.outcome.as_ref())?;
        let fastest = (0..costs.len()).min_by(|a, b| costs[*a].total_cmp(&costs[*b]))?;
        let column = |metric| seen.samples.secondary(metric);
        let of_fastest = |metric| column(metric)?.get(fastest).copied().filter(|v| v.is_finite());
        let whole = record.samples.elapsed_s.iter().zip(&record.samples.run_delay_s);
        let most =
            |metric| column(metric).into_iter().flatten().copied().filter(|v: &f64| v.is_finite()).reduce(f64::max);
        Some(Self {
            yardstick,
            cost,
            delayed: whole.filter(|(wall, delay)| **delay > DELAYED * **wall).count(),
            user_s: of_fastest(SecondaryMetric::UserTime),
            sys_s: of_fastest(SecondaryMetric::SystemTime),
            rss_bytes: most(SecondaryMetric::ResidentMemory),
            rss_floor_bytes: most(SecondaryMetric::ResidentFloor),
        })
    }

    /// The best cost.
    pub fn best(&self) -> f64 {
        self.cost.best
    }

    /// The best value, in the unit of the yardstick.
    pub fn value(&self) -> f64 {
        self.yardstick.value(self.cost.best)
    }

    /// The median value, in the unit of the yardstick.
    pub fn median(&self) -> f64 {
        self.yardstick.value(self.cost.median)
    }

    /// The ends of the 95 % interval of the median, in the unit of the yardstick; `None` for fewer than six runs.
    pub fn median_interval(&self) -> Option<(f64, f64)> {
        let (low, high) = self.cost.interval?;
        let (low, high) = (self.yardstick.value(low), self.yardstick.value(high));
        Some(if low <= high { (low, high) } else { (high, low) })
    }

    /// The seconds of the best; `None` where the yardstick is no time.
    pub fn seconds(&self) -> Option<f64> {
        self.yardstick.seconds(self.cost.best)
    }

    /// Whether the costs meet the rule of their series.
    pub fn agreed(&self) -> RunAgreement {
        self.cost.agreed
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
