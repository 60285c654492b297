//! How a series is measured: warm-up, loops, ending, headline.

use serde::{Deserialize, Serialize};

/// A named plan for one series of samples. The presets live where measuring is done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Method {
    /// `adaptive`, `kbest`, `csapp`, `meta31`, `paw`, `paw16`.
    pub name: String,
    /// Untimed samples at the current point before each series (and before each sample where memory is fresh).
    pub warmup: u32,
    /// How many iterations one sample holds.
    pub loops: LoopRule,
    /// When the series stops.
    pub ending: EndRule,
    /// Which statistic of the time is the headline.
    pub headline: Estimator,
    /// Whether operands live through the series.
    pub memory: Memory,
}

/// How many iterations one timed region holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LoopRule {
    /// Regions of at least `overheads` × max(resolution, overhead) and at least `floor_s` seconds, checked for linearity.
    Floor {
        /// Multiples of the clock's overhead or resolution, the larger of both.
        overheads: f64,
        /// Seconds.
        floor_s: f64,
    },
    /// PAW's user guide: from `loops_max`, shrinking as sizes grow to `overheads_high` clock overheads, as all releases do, and never
    /// under `overheads` of them or `loops_min`.
    Guide {
        /// NLOOP_MAX.
        loops_max: u64,
        /// NLOOP_MIN.
        loops_min: u64,
        /// Clock overheads a region must last.
        overheads: f64,
        /// Clock overheads above which a region is shortened; `None` in older runs, which shortened above `overheads`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        overheads_high: Option<f64>,
    },
    /// PAW 1.6's code: regions between `overheads_low` and `overheads_high` clock overheads.
    Code {
        /// NLOOP_MAX.
        loops_max: u64,
        /// NLOOP_MIN.
        loops_min: u64,
        /// Below this many clock overheads the loops grow (at the smallest size only).
        overheads_low: f64,
        /// Above this many clock overheads the loops shrink.
        overheads_high: f64,
    },
    /// This many iterations in every region.
    Fixed(u64),
}

/// When a series stops. Every rule has an end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EndRule {
    /// After this number of samples.
    Fixed {
        /// Samples.
        samples: u32,
    },
    /// When the median's interval is within ± `within` of it.
    Interval {
        /// Relative half-width asked for.
        within: f64,
        /// Fewest samples.
        min: u32,
        /// Most samples.
        max: u32,
        /// Fewest samples where one lasts longer than a second.
        min_long: u32,
    },
    /// When `k` samples lie within `within` of the best.
    KBest {
        /// Samples that must agree.
        k: u32,
        /// Relative tolerance.
        within: f64,
        /// Fewest samples.
        min: u32,
        /// Most samples.
        max: u32,
        /// Whether the best itself is one of the k.
        best_counts: bool,
    },
}

impl EndRule {
    /// This rule with `least` samples before it is met, within its most; a fixed number stays.
    #[must_use]
    pub fn with_least(&self, least: u32) -> Self {
        let mut rule = self.clone();
        match &mut rule {
            Self::Fixed { .. } => {}
            Self::Interval { min, max, min_long, .. } => {
                *min = (*min).max(least.min(*max));
                *min_long = (*min_long).max(least.min(*max));
            }
            Self::KBest { min, max, .. } => *min = (*min).max(least.min(*max)),
        }
        rule
    }
}

/// Which statistic of the time is the headline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Estimator {
    /// The median.
    Median,
    /// The smallest.
    Min,
    /// The arithmetic mean of the times.
    Mean,
}

/// Whether operands live through a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Memory {
    /// Allocated once.
    Kept,
    /// Allocated and touched anew for every sample.
    Fresh,
}

/// The method, seed and budget of a run, as planned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Plan {
    /// How every series is measured unless its cell says otherwise.
    pub method: Method,
    /// Seed of every shuffle.
    pub seed: u64,
    /// Seconds the whole run may take, if limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_s: Option<f64>,
    /// Fresh processes that the samples of a cell come from, where the user sets their number; else paw plans it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invocations: Option<u32>,
    /// The rule that ends a group in place of its cells' rules, if the user asks for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Until>,
}

impl Method {
    /// What has no series of samples as a method: its name, and the statistic that its one figure stands for.
    pub fn without_series(name: &str, headline: Estimator) -> Self {
        Self {
            name: name.to_owned(),
            warmup: 0,
            loops: LoopRule::Fixed(1),
            ending: EndRule::Fixed { samples: 1 },
            headline,
            memory: Memory::Kept,
        }
    }
}

impl Plan {
    /// A plan whose invocations are planned and whose rules end every series.
    pub fn new(method: Method, seed: u64, budget_s: Option<f64>) -> Self {
        Self { method, seed, budget_s, invocations: None, until: None }
    }
}

/// A rule that ends a group in place of its cells' rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Until {
    /// Every comparison with the first alternative and with the fastest has its direction and its size, or the budget is spent.
    Decided,
    /// Every comparison with the fastest alternative has them, or the budget is spent.
    Ranked,
}
