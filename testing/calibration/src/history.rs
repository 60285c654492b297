//! Histories of known truth: series of runs that have one level or two, and how often change points are found in them.

use paw_stats::change_point::{ChangePoint, Search};
use paw_stats::rng::Rng;

use crate::proportion::Proportion;

/// Share of series of one level that `paw history` lets show a change.
pub const ALARMS: f64 = 1e-3;

/// How the numbers of runs scatter about their level, in standard deviations (or scales, where there is none).
#[derive(Debug, Clone, Copy)]
pub struct Scatter {
    /// Its name in tables.
    pub name: &'static str,
    /// One more number.
    draw: fn(&mut Rng) -> f64,
    /// Correlation with the run before: an autoregressive series of first order.
    pub correlation: f64,
}

const fn independent(name: &'static str, draw: fn(&mut Rng) -> f64) -> Scatter {
    Scatter { name, draw, correlation: 0.0 }
}

const fn correlated(name: &'static str, correlation: f64) -> Scatter {
    Scatter { name, draw: Rng::normal, correlation }
}

fn exponential(rng: &mut Rng) -> f64 {
    -(1.0 - rng.uniform()).ln() - 1.0
}

/// Student's t with two degrees of freedom, whose variance is infinite: `z / √(e)`, e exponential with mean 1.
fn heavy(rng: &mut Rng) -> f64 {
    let square = -(1.0 - rng.uniform()).ln();
    rng.normal() / square.sqrt()
}

/// One run in five is a third slower, as on a machine that others use: two modes.
fn two_modes(rng: &mut Rng) -> f64 {
    rng.normal() + if rng.uniform() < 0.2 { 10.0 } else { 0.0 }
}

/// Numbers that do not depend on each other.
pub const INDEPENDENT: &[Scatter] = &[
    independent("normal", Rng::normal),
    independent("skewed (exponential)", exponential),
    independent("heavy tails (t, 2 degrees)", heavy),
    independent("two modes", two_modes),
];

/// Numbers that resemble those of the run before.
pub const CORRELATED: &[Scatter] = &[
    correlated("autocorrelation 0.1", 0.1),
    correlated("autocorrelation 0.2", 0.2),
    correlated("autocorrelation 0.3", 0.3),
    correlated("autocorrelation 0.5", 0.5),
];

/// Times of `runs` runs with a relative noise, about 1 before and about `factor` from the run `from` on.
pub fn series(scatter: &Scatter, runs: usize, noise: f64, step: (usize, f64), rng: &mut Rng) -> Vec<f64> {
    let (from, factor) = step;
    let own = (1.0 - scatter.correlation.powi(2)).sqrt();
    let mut state = (scatter.draw)(rng);
    (0..runs)
        .map(|i| {
            if i > 0 {
                state = scatter.correlation * state + own * (scatter.draw)(rng);
            }
            (noise * state).exp() * if i < from { 1.0 } else { factor }
        })
        .collect()
}

/// How many of `count` series of one level show a change.
pub fn false_alarms(scatter: &Scatter, runs: usize, count: u64) -> Proportion {
    let mut search = Search::new(ALARMS);
    let mut found = Proportion::default();
    for seed in 0..count {
        let mut rng = Rng::new(seed.wrapping_mul(1_000_003).wrapping_add(runs as u64));
        let values = series(scatter, runs, 0.02, (runs, 1.0), &mut rng);
        found.add(search.change_points(&values).is_some_and(|changes| !changes.is_empty()));
    }
    found
}

/// What is found of a step.
#[derive(Debug, Clone, Copy, Default)]
pub struct Power {
    /// Series with a change within three runs of the true one.
    pub found: Proportion,
    /// Of these, those whose interval of the place holds the true one.
    pub placed: Proportion,
    /// Of these, those whose interval of the size holds the true one.
    pub sized: Proportion,
    /// Series with a change elsewhere.
    pub elsewhere: Proportion,
}

/// How often a step by `factor`, `after` runs before the last, is found among `runs` runs with a relative noise.
pub fn power(scatter: &Scatter, runs: usize, noise: f64, (after, factor): (usize, f64), count: u64) -> Power {
    let mut search = Search::new(ALARMS);
    let mut power = Power::default();
    let first = runs - after;
    for seed in 0..count {
        let mut rng = Rng::new(seed.wrapping_mul(7_368_787).wrapping_add((runs * 1000 + after) as u64));
        let values = series(scatter, runs, noise, (first, factor), &mut rng);
        let changes = search.change_points(&values).unwrap_or_default();
        let (near, far): (Vec<ChangePoint>, Vec<ChangePoint>) =
            changes.into_iter().partition(|change| change.first.abs_diff(first) <= 3);
        power.found.add(!near.is_empty());
        power.elsewhere.add(!far.is_empty());
        if let Some(change) = near.first() {
            power.placed.add((change.between.0..=change.between.1).contains(&first));
            if let Some(interval) = change.interval {
                power.sized.add(interval.low <= factor && factor <= interval.high);
            }
        }
    }
    power
}
