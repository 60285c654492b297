//! Intervals by their definitions, computed a second time in the plainest way.

use paw_stats::amdahl;
use paw_stats::comparison::{rounds_needed, unpaired};
use paw_stats::interval::Bounds;
use paw_stats::speedup::Estimator;
use paw_stats::usl;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

#[track_caller]
fn close(found: f64, expected: f64, relative: f64) {
    assert!((found - expected).abs() <= relative * expected.abs(), "{found} is not {expected}");
}

/// A fifth of noise, the same every time.
fn wavering(n: u32) -> Vec<f64> {
    (0..n).map(|i| 1.0 + 0.2 * f64::from(i * 37 % 101) / 101.0).collect()
}

#[test]
fn an_unpaired_interval_goes_from_rank_to_rank_of_all_quotients() {
    let (a, b) = (wavering(30), wavering(25).iter().map(|t| 1.1 * t).collect::<Vec<_>>());
    let mut quotients: Vec<f64> = a.iter().flat_map(|a| b.iter().map(move |b| b / a)).collect();
    quotients.sort_by(f64::total_cmp);
    let (n, m, normal) = (30.0, 25.0, Normal::standard());
    let (middle, sigma) = (n * m / 2.0, f64::sqrt(n * m * (n + m + 1.0) / 12.0));
    for confidence in [0.95, 0.5] {
        let rank = (middle + normal.inverse_cdf((1.0 - confidence) / 2.0) * sigma).floor();
        let found = unpaired(&a, &b, confidence).unwrap();
        let interval = found.interval.unwrap();
        assert_eq!((interval.ranks, found.n), ((rank as usize, 751 - rank as usize), 25));
        close(interval.low, quotients[rank as usize - 1], 1e-12);
        close(interval.high, quotients[750 - rank as usize], 1e-12);
        close(interval.coverage, 1.0 - 2.0 * normal.cdf((rank - 0.5 - middle) / sigma), 1e-6);
    }
}

#[test]
fn a_small_unpaired_interval_is_exact() {
    // Of the 252 orders of five and five values, 1, 1 and 2 have U = 0, 1 and 2: ranks 3 and 23 leave 4/252 on each side.
    let interval = unpaired(&wavering(5), &wavering(5), 0.95).unwrap().interval.unwrap();
    assert_eq!(interval.ranks, (3, 23));
    close(interval.coverage, 1.0 - 8.0 / 252.0, 1e-12);
    for confidence in [0.0, 1.0, 1.5, -0.5, f64::NAN] {
        assert_eq!(unpaired(&wavering(5), &wavering(5), confidence).unwrap().interval, None, "{confidence}");
    }
}

#[test]
fn long_series_are_thinned_around_their_middle() {
    let a: Vec<f64> = (0..3000).map(|i| (f64::from(i) * 1e-3).exp()).collect();
    close(unpaired(&a, &[1.0; 9], 0.95).unwrap().value, (-1.4995f64).exp(), 1e-9);
}

#[test]
fn the_rounds_that_a_verdict_takes_follow_from_the_half_width() {
    let of = |low: f64, value: f64, high: f64| rounds_needed(value, Bounds { low, high }, 16, 0.01).unwrap();
    let half = (1.05f64.ln() - 0.98f64.ln()) / 2.0;
    assert_eq!(of(0.98, 1.02, 1.05), (16.0 * (half / 1.02f64.ln()).powi(2)).ceil() as usize);
    assert_eq!(of(0.98, 1.002, 1.05), (16.0 * (half / (1.01f64.ln() - 1.002f64.ln())).powi(2)).ceil() as usize);
    assert_eq!(of(0.999, 1.02, 1.021), 17, "narrow enough, and open all the same: one more at least");
}

const AMDAHL: [(f64, f64); 6] = [(1.0, 10.1), (2.0, 5.3), (4.0, 3.4), (8.0, 2.0), (16.0, 1.6), (32.0, 1.25)];

/// Sum of the squared errors of logarithms where the time at one worker is free: it takes their mean.
fn squares(points: &[(f64, f64)], slowdown: impl Fn(f64) -> f64) -> f64 {
    let errors: Vec<f64> = points.iter().map(|&(p, time)| time.ln() - slowdown(p).ln()).collect();
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    errors.iter().map(|error| (error - mean).powi(2)).sum()
}

/// S (1 + t² / freedom).
fn limit(least: f64, confidence: f64, freedom: f64) -> f64 {
    let t = StudentsT::new(0.0, 1.0, freedom).unwrap().inverse_cdf(f64::midpoint(1.0, confidence));
    least * (1.0 + t * t / freedom)
}

#[test]
fn the_interval_of_a_serial_part_ends_where_the_squares_reach_their_limit() {
    let of = |s: f64| squares(&AMDAHL, |p| s + (1.0 - s) / p);
    for confidence in [0.95, 0.6] {
        let found = amdahl::fit(&AMDAHL, confidence).unwrap();
        let interval = found.interval.unwrap();
        assert!(interval.low > 0.0 && interval.low < found.serial && found.serial < interval.high);
        let limit = limit(of(found.serial), confidence, 4.0);
        close(of(interval.low), limit, 1e-6);
        close(of(interval.high), limit, 1e-6);
        close(found.rms, (of(found.serial) / 6.0).sqrt(), 1e-9);
        let logs = AMDAHL.iter().map(|&(p, time)| time.ln() - (found.serial + (1.0 - found.serial) / p).ln());
        close(found.time_one, (logs.sum::<f64>() / 6.0).exp(), 1e-9);
        assert!(of(found.serial) <= of(found.serial * 1.001) && of(found.serial) <= of(found.serial * 0.999));
    }
    for confidence in [0.0, 1.0, 1.5, -0.5, f64::NAN] {
        assert_eq!(amdahl::fit(&AMDAHL, confidence).unwrap().interval, None, "{confidence}");
    }
}

/// The least that `of` has between 0 and 1.
fn least(of: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if of(a) < of(b) { high = b } else { low = a }
    }
    of(low)
}

#[test]
fn the_intervals_of_contention_and_coherency_end_where_the_squares_reach_their_limit() {
    let points = [(1.0, 10.1), (2.0, 5.5), (4.0, 3.2), (8.0, 2.35), (16.0, 2.3), (32.0, 3.1)];
    let of = |sigma: f64, kappa: f64| squares(&points, |p| (1.0 + sigma * (p - 1.0) + kappa * p * (p - 1.0)) / p);
    let found = usl::fit(&points, 0.95).unwrap();
    let limit = limit(of(found.sigma, found.kappa), 0.95, 3.0);
    let (sigma, kappa) = (found.sigma_interval.unwrap(), found.kappa_interval.unwrap());
    assert!(sigma.low > 0.0 && kappa.low > 0.0, "{found:?}");
    for end in [sigma.low, sigma.high] {
        close(least(|kappa| of(end, kappa)), limit, 1e-4);
    }
    for end in [kappa.low, kappa.high] {
        close(least(|sigma| of(sigma, end)), limit, 1e-4);
    }
    close(found.peak.unwrap(), ((1.0 - found.sigma) / found.kappa).sqrt(), 1e-12);
}

#[test]
fn resampling_bounds_a_serial_part_by_the_quantiles_of_its_resamples() {
    // Of two samples the better is drawn three times out of four; two points leave no error to see.
    let points: [(f64, &[f64]); 2] = [(1.0, &[10.0]), (2.0, &[6.0, 7.0])];
    let serial = |time: f64| 2.0 * time / 10.0 - 1.0;
    for (confidence, high) in [(0.95, 7.0), (0.6, 7.0), (0.4, 6.0)] {
        let found = amdahl::fit_samples(&points, Estimator::Best, confidence, 1).unwrap();
        let Bounds { low, high: end } = found.interval.unwrap();
        close(low, serial(6.0), 1e-9);
        close(end, serial(high), 1e-9);
    }
    let single = amdahl::fit_samples(&[(1.0, &[10.0]), (2.0, &[6.0])], Estimator::Best, 0.95, 1).unwrap();
    assert_eq!(single.interval, None, "a sample each tells nothing of their spread");
}
