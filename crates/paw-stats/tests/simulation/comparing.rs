//! Equal programs called different, and different programs told apart.

use paw_stats::comparison::{between_runs, paired, paired_invocations};
use paw_stats::mann_whitney::mann_whitney;
use paw_stats::rng::Rng;
use paw_stats::verdict::Verdict;

use crate::noise::{Drifting, Jumping, quiet};
use crate::share;

const TRIALS: u64 = 1500;

/// Times of a and b, b `ratio` times as long, in the order AAAA…BBBB.
fn sequential(n: usize, ratio: f64, mut machine: impl FnMut() -> f64) -> (Vec<f64>, Vec<f64>) {
    let a = (0..n).map(|_| machine()).collect();
    (a, (0..n).map(|_| ratio * machine()).collect())
}

/// Times of a and b, b `ratio` times as long, in the order ABBA, ABBA …
fn interleaved(n: usize, ratio: f64, mut machine: impl FnMut() -> f64) -> (Vec<f64>, Vec<f64>) {
    let round = |i| {
        let (first, second) = (machine(), machine());
        if i % 2 == 0 { (first, ratio * second) } else { (second, ratio * first) }
    };
    (0..n).map(round).unzip()
}

fn drifting(rng: &mut Rng) -> impl FnMut() -> f64 {
    let mut machine = Drifting::new(rng);
    move || machine.time(rng)
}

fn jumping(rng: &mut Rng) -> impl FnMut() -> f64 {
    let mut machine = Jumping::new(rng);
    move || machine.time(rng)
}

/// Whether the interval of the paired ratio leaves out 1.
fn told_apart((a, b): &(Vec<f64>, Vec<f64>)) -> bool {
    let found = paired(a, b, 0.95).unwrap().interval.unwrap();
    found.low > 1.0 || found.high < 1.0
}

/// Whether Mann and Whitney's test calls them different at 5 %.
fn rejected((a, b): &(Vec<f64>, Vec<f64>)) -> bool {
    mann_whitney(a, b).unwrap().p < 0.05
}

#[test]
fn on_a_steady_machine_either_order_and_test_keeps_its_level() {
    let one = share(TRIALS, |rng| rejected(&sequential(16, 1.0, || quiet(rng))));
    let other = share(TRIALS, |rng| told_apart(&interleaved(16, 1.0, || quiet(rng))));
    assert!((0.03..0.07).contains(&one), "{one}");
    assert!(other < 0.04, "{other}: ranks 4 and 13 of 16 leave out 2.1 %");
}

#[test]
fn under_drift_equal_programs_one_after_the_other_are_called_different() {
    let found = share(TRIALS, |rng| rejected(&sequential(16, 1.0, drifting(rng))));
    assert!((0.33..0.65).contains(&found), "{found}");
    let found = share(TRIALS, |rng| rejected(&sequential(16, 1.0, jumping(rng))));
    assert!((0.3..0.7).contains(&found), "{found}");
}

#[test]
fn under_drift_equal_programs_in_rounds_are_not_called_different() {
    for (name, found) in [
        ("drifting", share(TRIALS, |rng| told_apart(&interleaved(16, 1.0, drifting(rng))))),
        ("jumping", share(TRIALS, |rng| told_apart(&interleaved(16, 1.0, jumping(rng))))),
    ] {
        assert!(found <= 0.06, "{name}: {found}");
    }
}

#[test]
fn at_99_percent_equal_programs_in_rounds_are_called_different_once_in_a_hundred() {
    for rounds in [8, 16, 32] {
        let wrong = share(TRIALS, |rng| {
            let (a, b) = interleaved(rounds, 1.0, drifting(rng));
            paired(&a, &b, 0.99).unwrap().verdict(0.01).is_claim()
        });
        assert!(wrong <= 0.01, "{rounds}: {wrong}");
    }
}

#[test]
fn two_percent_are_found_in_rounds_under_drift() {
    let found = share(TRIALS, |rng| {
        let (a, b) = interleaved(32, 1.02, drifting(rng));
        let verdict = paired(&a, &b, 0.99).unwrap().verdict(0.01);
        assert!(!matches!(verdict, Verdict::Faster(_) | Verdict::Same), "{verdict:?}");
        verdict.is_claim()
    });
    assert!(found >= 0.9, "{found}");
}

/// Which effect a process has on all its samples.
type Effect = fn(&mut Rng) -> f64;

const EFFECTS: [(&str, Effect); 5] = [
    ("none", |_| 1.0),
    ("1 %", |rng| (0.01 * rng.normal()).exp()),
    ("4 %", |rng| (0.04 * rng.normal()).exp()),
    ("one in twenty is 30 % slower", |rng| if rng.uniform() < 0.05 { 1.3 } else { (0.01 * rng.normal()).exp() }),
    ("7 of 10 in the lower mode", |rng| (if rng.uniform() < 0.7 { 1.0 } else { 1.1 }) * (0.005 * rng.normal()).exp()),
];

/// Rounds of two programs in processes of their own; b takes `ratio` times as long.
fn invocation(rng: &mut Rng, effect: Effect, ratio: f64) -> (Vec<f64>, Vec<f64>) {
    let (a, b) = (effect(rng), ratio * effect(rng));
    (0..8).map(|_| (a * quiet(rng), b * quiet(rng))).unzip()
}

/// The verdict over so many invocations.
fn over(rng: &mut Rng, invocations: usize, effect: Effect, ratio: f64) -> Verdict {
    let sides: Vec<_> = (0..invocations).map(|_| invocation(rng, effect, ratio)).collect();
    let a: Vec<&[f64]> = sides.iter().map(|side| side.0.as_slice()).collect();
    let b: Vec<&[f64]> = sides.iter().map(|side| side.1.as_slice()).collect();
    let interval = paired_invocations(&a, &b, 0.99).unwrap().interval.unwrap();
    Verdict::of(interval.low, interval.high, 0.01)
}

#[test]
fn equal_programs_are_called_different_over_invocations_once_in_a_hundred() {
    for (name, effect) in EFFECTS {
        for invocations in [3, 4, 5, 6, 8, 10] {
            let claims = share(4000, |rng| over(rng, invocations, effect, 1.0).is_claim());
            println!("{name}, {invocations} invocations: {claims}");
            // Three processes a side all in opposite modes happen in 1.9 % of trials, and look like a difference.
            let allowed = if name.starts_with('7') && invocations == 3 { 0.025 } else { 0.014 };
            assert!(claims <= allowed, "{name}, {invocations} invocations: {claims}");
        }
    }
}

#[test]
fn two_percent_are_found_over_five_invocations_of_a_steady_program() {
    let slower = |effect: Effect| share(1000, |rng| over(rng, 5, effect, 1.02).word() == "SLOWER");
    assert!(slower(EFFECTS[0].1) > 0.9, "{}", slower(EFFECTS[0].1));
    assert!(slower(EFFECTS[2].1) < 0.05, "4 % between processes hide it");
}

#[test]
fn equal_runs_are_called_different_once_in_a_hundred() {
    for (name, effect) in EFFECTS {
        for runs in [3, 4, 5, 6, 10] {
            let claims = share(4000, |rng| {
                let mut side = || (0..runs).map(|_| effect(rng) * quiet(rng)).collect::<Vec<f64>>();
                let interval = between_runs(&side(), &side(), 0.99).unwrap().1.unwrap();
                Verdict::of(interval.low, interval.high, 0.01).is_claim()
            });
            println!("{name}, {runs} runs a side: {claims}");
            assert!(claims <= 0.014, "{name}, {runs} runs a side: {claims}");
        }
    }
}
