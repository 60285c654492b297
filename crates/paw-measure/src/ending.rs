//! Decides when a series stops: a pure function of its samples, and every rule ends.

use paw_data::method::EndRule;
use paw_data::outcome::Ending;
use paw_stats::hierarchical::{self, Estimate, Variances, plan};
use paw_stats::kbest::{self, Agreement, Best};
use paw_stats::precision;

use crate::invocations::{LONG_S, Spread};

/// The confidence of every interval that stops a series.
pub const CONFIDENCE: f64 = 0.95;

/// Samples between two checks of the interval: checking after each would stop on luck more often.
pub(crate) const EVERY: usize = 4;

/// A series is given up where its interval no longer shrinks: undisturbed samples before the first check, samples compared, and the
/// least shrinkage that counts (nvbench's entropy criterion, simplified).
const PLATEAU_FROM: usize = 64;
const PLATEAU_OVER: usize = 32;
const PLATEAU_CHANGE: f64 = 0.05;

/// Fewest invocations before an interval is given up as unreachable: the variance between fewer is itself uncertain by half.
const GIVE_UP_INVOCATIONS: u32 = 6;

/// Disturbed samples are measured again until this many times the most samples have been taken.
const TAKEN_PER_SAMPLE: usize = 2;

/// The figures of a series that decide whether it ends.
#[derive(Debug, Clone, Copy)]
pub struct SeriesProgress<'a> {
    /// Seconds of one iteration in every undisturbed sample, in order.
    pub clean: &'a [f64],
    /// The invocation of each of them.
    pub clean_of: &'a [u32],
    /// Samples taken, disturbed ones included.
    pub taken: usize,
    /// Length of a sample, in seconds: of the shortest so far.
    pub sample_s: f64,
    /// The progress of its invocations.
    pub stage: Stage,
}

/// The progress of a series through its invocations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// All samples come from one process, or each from its own: the rule ignores invocations.
    Alike,
    /// In the middle of an invocation.
    Within(Spread),
    /// At the end of an invocation, or in the last one that the budget allows.
    Between(Spread),
}

/// Whether several invocations have several values each.
pub fn is_spread(invocations: &[u32]) -> bool {
    let changes = invocations.windows(2).filter(|pair| pair[0] != pair[1]).count();
    changes > 0 && changes + 1 < invocations.len()
}

/// The relative half width of the interval of the values' location: over invocations where these have several values each.
pub fn half_width(values: &[f64], invocations: &[u32]) -> Option<f64> {
    if is_spread(invocations) {
        estimate(values, invocations)?.half_width()
    } else {
        precision::half_width(values, CONFIDENCE)
    }
}

/// The location of values over their invocations.
pub(crate) fn estimate(values: &[f64], invocations: &[u32]) -> Option<Estimate> {
    let groups = hierarchical::grouped(values, invocations);
    hierarchical::times(&hierarchical::slices(&groups), CONFIDENCE)
}

/// The variances of values within and between their invocations.
pub(crate) fn variances(values: &[f64], invocations: &[u32]) -> Option<Variances> {
    hierarchical::time_variances(&hierarchical::slices(&hierarchical::grouped(values, invocations)))
}

impl SeriesProgress<'_> {
    /// Invocations before which no agreement counts.
    fn least(&self) -> u32 {
        match self.stage {
            Stage::Alike => 0,
            Stage::Within(spread) | Stage::Between(spread) => spread.least,
        }
    }

    /// Invocations that have a clean value.
    fn invocations(&self) -> u32 {
        let mut ids = self.clean_of.to_vec();
        ids.dedup();
        ids.len() as u32
    }
}

/// Why the series stops now, or `None` where it goes on.
pub fn ending(rule: &EndRule, progress: &SeriesProgress<'_>) -> Option<Ending> {
    let clean = progress.clean;
    let (decided, most) = match *rule {
        EndRule::Fixed { samples } => (complete(clean, samples), samples),
        EndRule::Interval { within, min, max, min_long } => {
            let long = progress.sample_s > LONG_S;
            let least = if long { min_long.min(min) } else { min };
            // At `min` samples the width of the interval is itself uncertain by half: a series is given up only at twice as many,
            // unless each lasts seconds.
            let give_up = if long { least } else { 2 * least };
            let limits = Limits { within, least: least as usize, give_up: give_up as usize, max: max as usize };
            let decided = match progress.stage {
                Stage::Alike => narrow(clean, &limits),
                Stage::Within(_) => (clean.len() >= limits.max).then_some(Ending::MaxSamples),
                Stage::Between(spread) => repeatable(progress, spread, &limits),
            };
            (decided, max)
        }
        EndRule::KBest { k, within, min, max, best_counts } => {
            let best = if best_counts { Best::Counts } else { Best::Excluded };
            let enough = clean.len() >= min as usize && progress.invocations() >= progress.least();
            (agreed(clean, k, within, best).filter(|_| enough).or(timeout(clean, max)), max)
        }
    };
    let exhausted = progress.taken >= TAKEN_PER_SAMPLE * most.max(1) as usize;
    decided.or(exhausted.then_some(Ending::Disturbed))
}

/// Whether a cell whose rule is met is still timed while its partners go on. More samples narrow an interval; but of a k-best
/// or a fixed series they would change the number that the rule has accepted.
pub fn is_timed_on(rule: &EndRule) -> bool {
    matches!(rule, EndRule::Interval { .. })
}

/// The final ending of a series that stopped for `noted` and was timed on: after more rounds its interval may have become narrow enough, or too wide
/// again.
pub fn confirmed(rule: &EndRule, clean: &[f64], clean_of: &[u32], noted: Ending) -> Ending {
    let EndRule::Interval { within, .. } = *rule else { return noted };
    let is_narrow = self::half_width(clean, clean_of).is_some_and(|half_width| half_width <= within);
    match noted {
        Ending::Converged | Ending::NoisyStable | Ending::MaxSamples if is_narrow => Ending::Converged,
        Ending::Converged => Ending::NoisyStable,
        _ => noted,
    }
}

fn complete(clean: &[f64], samples: u32) -> Option<Ending> {
    (clean.len() >= samples as usize).then_some(Ending::Complete)
}

fn agreed(clean: &[f64], k: u32, within: f64, best: Best) -> Option<Ending> {
    let found = kbest::k_best(clean, k.max(1) as usize, within, best)?;
    (found.agreement == Agreement::Valid).then_some(Ending::Valid)
}

fn timeout(clean: &[f64], max: u32) -> Option<Ending> {
    (clean.len() >= max as usize).then_some(Ending::Timeout)
}

/// Numbers of samples at which an interval rule first checks, gives up early, and ends.
struct Limits {
    within: f64,
    least: usize,
    give_up: usize,
    max: usize,
}

fn narrow(clean: &[f64], limits: &Limits) -> Option<Ending> {
    let n = clean.len();
    if n < limits.least.min(limits.max) {
        return None;
    }
    let last = n >= limits.max;
    if !last && !(n - limits.least).is_multiple_of(EVERY) {
        return None;
    }
    let width = precision::half_width(clean, CONFIDENCE);
    if width.is_some_and(|h| h <= limits.within) {
        return Some(Ending::Converged);
    }
    if last {
        return Some(Ending::MaxSamples);
    }
    let beyond = |h| precision::samples_needed(n, h, limits.within).is_none_or(|needed| needed > limits.max);
    let out_of_reach = n >= limits.give_up && width.is_some_and(beyond);
    (out_of_reach || plateau(clean, width)).then_some(Ending::NoisyStable)
}

/// The ending of an interval over invocations, checked between two invocations.
fn repeatable(progress: &SeriesProgress<'_>, spread: Spread, limits: &Limits) -> Option<Ending> {
    let (clean, invocations) = (progress.clean.len(), progress.invocations());
    if invocations < spread.least {
        return (clean >= limits.max).then_some(Ending::MaxSamples);
    }
    let found = estimate(progress.clean, progress.clean_of)?;
    if clean >= limits.least && found.half_width().is_some_and(|half| half <= limits.within) {
        return Some(Ending::Converged);
    }
    if invocations >= spread.most || clean >= limits.max {
        return Some(Ending::MaxSamples);
    }
    let each = clean / invocations as usize;
    let best = variances(progress.clean, progress.clean_of)
        .and_then(|v| plan::half_width(v, spread.most as usize, each.max(1), CONFIDENCE));
    (invocations >= GIVE_UP_INVOCATIONS && best.is_some_and(|half| half > limits.within)).then_some(Ending::NoisyStable)
}

/// Whether the interval has stopped shrinking.
fn plateau(clean: &[f64], now: Option<f64>) -> bool {
    if clean.len() < PLATEAU_FROM {
        return false;
    }
    let before = precision::half_width(&clean[..clean.len() - PLATEAU_OVER], CONFIDENCE);
    matches!((before, now), (Some(before), Some(now)) if (now - before).abs() < PLATEAU_CHANGE * before)
}
