//! Derived rows of a kernel's cells: ticks, core cycles, speed-up, accuracy, stability, ties.

use super::derived::{Derived, tie_groups};
use crate::matrix::{BuildTiming, Matrix, MatrixRow};
use crate::run::{Record, Run};
use crate::sensitivity::Sensitivity;

/// Hands `add` the derived numbers of each record.
pub(super) fn derive(run: &Run, add: &mut impl FnMut(&Record, Vec<Derived>)) {
    if let Some(matrix) = Matrix::of(run) {
        let rows = matrix.panels.iter().flat_map(|panel| panel.rows.iter().chain(&panel.residency));
        rows.for_each(|row| add(row.record, of_row(row)));
    }
    if let Some(sensitivity) = Sensitivity::of(run) {
        let spots = sensitivity.curves.iter().flat_map(|curve| &curve.spots);
        spots.for_each(|spot| add(spot.record, spot.timing.iter().flat_map(timed).collect()));
    }
}

fn derived(quantity: &str, unit: &str, statistic: &'static str, value: f64, samples: usize) -> Derived {
    Derived { quantity: quantity.to_owned(), unit: unit.to_owned(), statistic, value, ends: None, samples }
}

fn timed(timing: &BuildTiming) -> Vec<Derived> {
    let n = timing.counted;
    let ticks = timing.ticks().map(|ticks| Derived {
        ends: ticks.low.zip(ticks.high),
        ..derived("ticks_per_iteration", "TSC ticks", "median", ticks.value, n)
    });
    let cycles = timing.cycles.map(|cycles| Derived {
        ends: cycles.median.low.zip(cycles.median.high),
        ..derived("core_cycles_per_iteration", "cycles", "median", cycles.median.value, n)
    });
    let stability = timing.stability.map(|s| derived("stability", "", "median_above_min", s.spread, n));
    ticks.into_iter().chain(cycles).chain(stability).collect()
}

fn of_row(row: &MatrixRow<'_>) -> Vec<Derived> {
    let n = row.timing.map_or(0, |timing| timing.counted);
    let speedup = row
        .speedup
        .map(|s| Derived { ends: s.interval.map(|i| (i.low, i.high)), ..derived("speedup", "", "median", s.value, n) });
    let accuracy = row.accuracy().map(|a| {
        let elements = usize::try_from(a.elements).unwrap_or(usize::MAX);
        [
            derived("relative_error", "", "max", a.relative_max, elements),
            derived("ulp", "", "max", a.ulp_max as f64, elements),
        ]
    });
    let ties = tie_groups(&row.letters, n);
    let timing = row.timing.iter().flat_map(timed);
    timing.chain(speedup).chain(accuracy.into_iter().flatten()).chain(ties).collect()
}
