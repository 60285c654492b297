//! How often an interval over invocations holds the median over processes: the table of METHOD's section on intervals.

use paw_stats::hierarchical::{Scope, times};
use paw_stats::quantile;
use paw_stats::rng::Rng;

use crate::noise::quiet;
use crate::share;

const TRIALS: u64 = 2000;

/// Samples of one process, drawn after the process before it.
type Process = fn(&mut Rng, &mut f64) -> Vec<f64>;

/// Eight samples of a quiet machine, in a process that multiplies all of them.
fn process(rng: &mut Rng, factor: f64) -> Vec<f64> {
    (0..8).map(|_| factor * quiet(rng)).collect()
}

fn log_normal(rng: &mut Rng, deviation: f64) -> Vec<f64> {
    let factor = (deviation * rng.normal()).exp();
    process(rng, factor)
}

/// Processes in two modes a tenth apart, a share of them in the lower one.
fn modes(rng: &mut Rng, lower: f64) -> Vec<f64> {
    let mode = if rng.uniform() < lower { 1.0 } else { 1.1 };
    let factor = mode * (0.005 * rng.normal()).exp();
    process(rng, factor)
}

/// An autoregressive factor of 1.5 % with a memory of ten samples; `gap` samples' time passes between two processes.
fn drift(rng: &mut Rng, state: &mut f64, gap: u32) -> Vec<f64> {
    let keep = (-0.1f64).exp();
    let mut step = |rng: &mut Rng| {
        *state = keep * *state + (1.0 - keep * keep).sqrt() * rng.normal();
        (0.015 * *state).exp()
    };
    (0..gap).for_each(|_| _ = step(rng));
    (0..8).map(|_| step(rng) * quiet(rng)).collect()
}

fn spikes(rng: &mut Rng) -> Vec<f64> {
    let spike = |rng: &mut Rng| if rng.uniform() < 0.1 { 1.0 - 0.4 * (1.0 - rng.uniform()).ln() } else { 1.0 };
    log_normal(rng, 0.01).into_iter().map(|time| time * spike(rng)).collect()
}

/// One process in twenty is 30 % slower.
fn slow_process(rng: &mut Rng) -> Vec<f64> {
    let factor = (0.01 * rng.normal()).exp() * if rng.uniform() < 0.05 { 1.3 } else { 1.0 };
    process(rng, factor)
}

fn unequal(rng: &mut Rng) -> Vec<f64> {
    let size = 1 + rng.below(8);
    log_normal(rng, 0.01).split_off(8 - size)
}

const POPULATIONS: [(&str, Process); 12] = [
    ("no difference between processes", |rng, _| process(rng, 1.0)),
    ("deviation between processes 1 %", |rng, _| log_normal(rng, 0.01)),
    ("2 %", |rng, _| log_normal(rng, 0.02)),
    ("4 %", |rng, _| log_normal(rng, 0.04)),
    ("1 %, of 1 to 8 samples", |rng, _| unequal(rng)),
    ("1 %, one sample in ten a spike", |rng, _| spikes(rng)),
    ("1 %, one process in twenty 30 % slower", |rng, _| slow_process(rng)),
    ("2 %, skewed", |rng, _| {
        let factor = (0.02 * rng.normal().exp()).exp();
        process(rng, factor)
    }),
    ("8 of 10 processes in the lower of two modes", |rng, _| modes(rng, 0.8)),
    ("7 of 10", |rng, _| modes(rng, 0.7)),
    ("drift, forgotten from process to process", |rng, state| drift(rng, state, 30)),
    ("drift that outlasts a process", |rng, state| drift(rng, state, 0)),
];

const INVOCATIONS: [usize; 5] = [3, 4, 5, 6, 10];

/// The median over processes, from many of them.
fn truth(draw: Process) -> f64 {
    let (mut rng, mut state) = (Rng::new(99), 0.0);
    let medians: Vec<f64> = (0..40_000).map(|_| quantile::median(&draw(&mut rng, &mut state)).unwrap()).collect();
    quantile::median(&medians).unwrap()
}

fn coverage(draw: Process, invocations: usize, truth: f64) -> f64 {
    share(TRIALS, |rng| {
        let mut state = rng.normal();
        let groups: Vec<Vec<f64>> = (0..invocations).map(|_| draw(rng, &mut state)).collect();
        let slices: Vec<&[f64]> = groups.iter().map(Vec::as_slice).collect();
        let found = times(&slices, 0.95).unwrap();
        assert_eq!(found.scope, Scope::Invocations(invocations));
        found.interval.unwrap().hold(truth)
    })
}

#[test]
fn intervals_over_invocations_hold_the_median_over_processes() {
    let (last, others) = POPULATIONS.split_last().unwrap();
    let row = |draw| {
        let truth = truth(draw);
        INVOCATIONS.map(|invocations| coverage(draw, invocations, truth))
    };
    for (name, draw) in others {
        let found = row(*draw);
        println!("| {name} | {} |", found.map(|share| format!("{:.1}", 100.0 * share)).join(" | "));
        assert!(found.iter().all(|share| (0.92..=0.99).contains(share)), "{name}: {found:?}");
    }
    let found = row(last.1);
    println!("| {} | {} |", last.0, found.map(|share| format!("{:.1}", 100.0 * share)).join(" | "));
    assert!(found.iter().all(|share| (0.72..0.88).contains(share)), "what METHOD says of it: {found:?}");
}

#[test]
fn samples_of_one_process_say_little_about_the_next() {
    let covered = share(TRIALS, |rng| {
        let samples = log_normal(rng, 0.02);
        let found = times(&[&samples], 0.95).unwrap();
        assert_eq!(found.scope, Scope::OneInvocation);
        found.interval.unwrap().hold(1.01)
    });
    assert!((0.45..0.58).contains(&covered), "{covered}");
}
