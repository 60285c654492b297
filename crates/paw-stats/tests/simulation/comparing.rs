//! Equal programs called different, and different programs told apart.

use paw_stats::comparison::paired;
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
fn with_a_margin_of_a_percent_no_wrong_verdict_is_left() {
    let wrong = share(TRIALS, |rng| {
        let (a, b) = interleaved(32, 1.0, drifting(rng));
        matches!(paired(&a, &b, 0.95).unwrap().verdict(0.01), Verdict::Faster | Verdict::Slower)
    });
    assert!(wrong <= 0.005, "{wrong}");
}

#[test]
fn two_percent_are_found_in_rounds_under_drift() {
    let found = share(TRIALS, |rng| told_apart(&interleaved(32, 1.02, drifting(rng))));
    assert!(found >= 0.95, "{found}");
    let wrong = share(TRIALS, |rng| {
        let (a, b) = interleaved(32, 1.02, drifting(rng));
        matches!(paired(&a, &b, 0.95).unwrap().verdict(0.01), Verdict::Faster | Verdict::Same)
    });
    assert!(wrong <= 0.01, "{wrong}");
}
