//! Events during a series that move the headline by more than its ±.

use paw_stats::modes::Modes;
use paw_stats::{mean, quantile};

use super::{CONTENDED, Reason};
use crate::method::Estimator;
use crate::summary::{Basis, Summary};

/// Share of the smaller mode from which the median may flip between both.
const FLIPS: f64 = 0.25;

/// Disturbances, drift, modes and warm-up of `times`; changes of less than `notable` do not count.
pub fn circumstances(summary: &Summary, times: &[f64], notable: f64) -> Vec<Reason> {
    let share = summary.disturbed_share();
    let disturbed = share > CONTENDED || summary.basis == Basis::All;
    let disturbed = disturbed.then_some(Reason::Disturbed { share, basis: summary.basis });
    let drift = summary.drift.filter(|d| d.flagged).and_then(|_| shift(times)).filter(|s| s.abs() > notable);
    let drift = drift.map(|shift| Reason::Drift { shift });
    let modes = summary.modes.filter(flips).filter(|m| m.high.center / m.low.center - 1.0 > notable);
    let modes = modes
        .filter(|_| summary.estimator != Estimator::Min)
        .map(|m| Reason::TwoModes { fast: (m.low.center, m.low.count), slow: (m.high.center, m.high.count) });
    let slow = slow_start(summary, times).filter(|change| *change > notable);
    let slow = slow.map(|_| Reason::SlowStart { samples: summary.slow_start });
    disturbed.into_iter().chain(drift).chain(modes).chain(slow).collect()
}

fn flips(modes: &Modes) -> bool {
    let (low, high) = (modes.low.count as f64, modes.high.count as f64);
    low.min(high) >= FLIPS * (low + high)
}

/// Median of the second half ÷ median of the first, less one.
fn shift(times: &[f64]) -> Option<f64> {
    let (first, second) = times.split_at(times.len() / 2);
    Some(quantile::median(second)? / quantile::median(first)? - 1.0)
}

/// How much of itself the leading samples that look like warm-up add to the headline.
fn slow_start(summary: &Summary, times: &[f64]) -> Option<f64> {
    let rest = times.get(summary.slow_start..).filter(|_| summary.slow_start > 0)?;
    let settled = match summary.estimator {
        Estimator::Min => return None,
        Estimator::Median => quantile::median(rest)?,
        Estimator::Mean => mean::arithmetic(rest)?,
    };
    Some(summary.headline_s() / settled - 1.0)
}
