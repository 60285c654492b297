//! What the formulas do to simulated measurements: coverage, false alarms, bias. Seeded: every run sees the same numbers.

mod comparing;
mod coverage;
mod estimators;
mod flags;
mod hierarchical;
mod noise;
mod scaling;

/// The share of `trials` seeded trials in which `event` happens.
fn share(trials: u64, mut event: impl FnMut(&mut paw_stats::rng::Rng) -> bool) -> f64 {
    let happened = (0..trials).filter(|&seed| event(&mut paw_stats::rng::Rng::new(seed))).count();
    happened as f64 / trials as f64
}

/// Three standard errors of a share `p` counted in `trials` trials.
fn three_errors(p: f64, trials: u64) -> f64 {
    3.0 * (p * (1.0 - p) / trials as f64).sqrt()
}
