//! The estimators on simulated times whose truth is known: seeded, so that every machine gets the same values.

use std::rc::Rc;

use paw_data::comparison::{CONFIDENCE, MARGIN};
use paw_stats::comparison;
use paw_stats::hierarchical;
use paw_stats::interval;
use paw_stats::kbest::{self, Best};
use paw_stats::population::{self, POPULATIONS, Population, TRUTH_S};
use paw_stats::rng::Rng;
use paw_stats::verdict::Verdict;

use super::check::{Check, Limits, Row};
use super::machine::Machine;

/// The 95 % interval of a median, within one process.
pub const INTERVAL: Check =
    Check::certain(&[Row::new("simulated: 95 % interval holds", "%", 95.0, Limits::Between(93.0, 99.5), 1)], |_| {
        Ok(vec![interval_holds()])
    });

/// The 95 % interval over processes.
pub const INVOCATIONS: Check =
    Check::certain(&[Row::new("simulated: over processes", "%", 95.0, Limits::Between(92.0, 99.5), 1)], |_| {
        Ok(vec![invocations_hold()])
    });

/// The best of k on a spiky machine.
pub const K_BEST: Check = Check::certain(&[Row::at_least("simulated: best of k within 1.5 %", "%", 99.0, 1)], |_| {
    Ok(vec![k_best_is_right()])
});

/// Verdicts on equal programs and on one that is 5 % slower.
pub const VERDICTS: Check = Check::certain(
    &[Row::at_most("simulated: false verdicts", "%", 1.0, 2), Row::at_least("simulated: +5 % found", "%", 90.0, 1)],
    |_: &Rc<dyn Machine>| Ok(vec![claims(1.0), claims(1.05)]),
);

/// Series of a model.
const SERIES: usize = 1000;

/// Samples of a series.
const SAMPLES: usize = 31;

/// Rounds of a comparison, half of what the default method takes at most.
const ROUNDS: usize = 64;

/// Processes of a measurement, and samples of each.
const PROCESSES: usize = 8;
const PROCESS_SAMPLES: usize = 8;

/// Share in per cent of intervals that hold the median of their process, over all models.
fn interval_holds() -> f64 {
    let mut rng = Rng::new(11);
    let (mut held, mut all) = (0, 0);
    for population in POPULATIONS {
        let truth_s = interval_truth_s(population);
        for _ in 0..SERIES {
            let times: Vec<f64> = (0..SAMPLES).map(|_| TRUTH_S * population.sample_factor(&mut rng)).collect();
            let holds = interval::median(&times, 0.95).is_some_and(|i| i.low <= truth_s && truth_s <= i.high);
            held += usize::from(holds);
            all += 1;
        }
    }
    percent(held, all)
}

/// Share in per cent of intervals over processes that hold the median of all processes.
fn invocations_hold() -> f64 {
    let mut rng = Rng::new(15);
    let (mut held, mut all) = (0, 0);
    for population in POPULATIONS {
        let truth_s = interval_truth_s(population);
        for _ in 0..SERIES / 4 {
            let processes: Vec<Vec<f64>> =
                (0..PROCESSES).map(|_| population.series_s(PROCESS_SAMPLES, &mut rng)).collect();
            let slices: Vec<&[f64]> = processes.iter().map(Vec::as_slice).collect();
            let interval = hierarchical::times(&slices, 0.95).and_then(|estimate| estimate.interval);
            held += usize::from(interval.is_some_and(|interval| interval.hold(truth_s)));
            all += 1;
        }
    }
    percent(held, all)
}

/// The median of a model, from a very long series.
fn interval_truth_s(population: &Population) -> f64 {
    let mut rng = Rng::new(12);
    let mut times: Vec<f64> = (0..20_000).map(|_| TRUTH_S * population.sample_factor(&mut rng)).collect();
    let middle = times.len() / 2;
    *times.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// Share in per cent of series on a spiky machine whose best lies within 1.5 % of the truth.
fn k_best_is_right() -> f64 {
    let Some(spiky) = population::named("spiky") else { return 0.0 };
    let mut rng = Rng::new(13);
    let is_right = |times: &[f64]| {
        let found = kbest::k_best(times, 4, 0.05, Best::Counts);
        found.is_some_and(|found| (found.best / TRUTH_S - 1.0).abs() <= 0.015)
    };
    let right = (0..SERIES).filter(|_| is_right(&spiky.series_s(16, &mut rng))).count();
    percent(right, SERIES)
}

/// Share in per cent of comparisons by rounds, over all models, that call a program slower or faster which takes `factor` times as long.
fn claims(factor: f64) -> f64 {
    let mut rng = Rng::new(14);
    let (mut claims, mut all) = (0, 0);
    // Populations with process effects are left out: one process cannot show them.
    for population in POPULATIONS.iter().filter(|population| population.process == 0.0) {
        for _ in 0..SERIES {
            let mut drift = 1.0;
            let (mut a, mut b) = (Vec::new(), Vec::new());
            for _ in 0..ROUNDS {
                drift = population.drift_factor(drift, &mut rng);
                a.push(TRUTH_S * drift * population.sample_factor(&mut rng));
                b.push(TRUTH_S * drift * factor * population.sample_factor(&mut rng));
            }
            let verdict = comparison::paired(&a, &b, CONFIDENCE).map(|ratio| ratio.verdict(MARGIN));
            claims += usize::from(verdict.is_some_and(Verdict::is_claim));
            all += 1;
        }
    }
    percent(claims, all)
}

fn percent(count: usize, all: usize) -> f64 {
    count as f64 / all as f64 * 100.0
}
