//! How often the flags of one series go up when they should, and when they should not.

use paw_stats::rng::Rng;
use paw_stats::{autocorrelation, drift, modes, warmup};

use crate::noise::quiet;
use crate::share;

const TRIALS: u64 = 3000;

/// 31 samples of a steady machine with 1 % noise, the `i`-th multiplied by `shape(i)`.
fn series(rng: &mut Rng, shape: impl Fn(usize) -> f64) -> Vec<f64> {
    (0..31).map(|i| shape(i) * (1.0 + 0.01 * rng.normal())).collect()
}

#[test]
fn drift_is_found_and_seldom_imagined() {
    let alarms = share(TRIALS, |rng| drift::drift(&series(rng, |_| 1.0)).unwrap().flagged);
    assert!((0.002..0.02).contains(&alarms), "{alarms}");
    let found = share(TRIALS, |rng| drift::drift(&series(rng, |i| 1.0 + 0.05 * i as f64 / 30.0)).unwrap().flagged);
    assert!(found > 0.82, "{found}");
}

#[test]
fn autocorrelation_is_found_and_seldom_imagined() {
    let flagged = |values: &[f64]| autocorrelation::autocorrelation(values).unwrap().flagged;
    let alarms = share(TRIALS, |rng| flagged(&series(rng, |_| 1.0)));
    assert!((0.002..0.02).contains(&alarms), "{alarms}");
    let found = share(TRIALS, |rng| flagged(&series(rng, |i| if i < 15 { 1.0 } else { 1.03 })));
    assert!(found > 0.93, "{found}");
}

#[test]
fn warm_up_is_found_and_seldom_imagined() {
    let alarms = share(TRIALS, |rng| warmup::leading(&series(rng, |_| 1.0)) != Some(0));
    assert!((0.005..0.08).contains(&alarms), "{alarms}");
    let found = share(TRIALS, |rng| warmup::leading(&series(rng, |i| if i < 3 { 1.3 } else { 1.0 })) >= Some(3));
    assert!(found > 0.995, "{found}");
}

#[test]
fn two_modes_are_found_and_seldom_imagined() {
    for alarms in [
        share(TRIALS, |rng| modes::bimodal(&series(rng, |_| 1.0)).is_some()),
        share(TRIALS, |rng| modes::bimodal(&(0..31).map(|_| quiet(rng)).collect::<Vec<f64>>()).is_some()),
    ] {
        assert!(alarms <= 0.05, "{alarms}");
    }
    let found = share(TRIALS, |rng| modes::bimodal(&series(rng, |i| if i % 3 == 0 { 1.2 } else { 1.0 })).is_some());
    assert!(found > 0.99, "{found}");
}
