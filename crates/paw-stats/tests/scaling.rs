//! Scaling of the published kind: textbook numbers, and measured runs of a program.

use paw_stats::size_model::{self, Term};
use paw_stats::speedup::{karp_flatt, speedup};
use paw_stats::{amdahl, usl};
use proptest::collection::vec;
use proptest::prelude::*;

/// Run times of a kinematic fit, in microseconds, by version, threads and 2⁰ … 2⁹ variations.
const RUNS: &str = include_str!("fixtures/kinfit_runtimes.csv");

fn runs(version: &str, threads: &str) -> Vec<f64> {
    let line = RUNS.lines().find(|l| l.starts_with(&format!("{version},{threads},"))).unwrap();
    line.split(',').skip(2).map(|t| t.parse().unwrap()).collect()
}

#[test]
fn the_measured_program_has_its_speedups() {
    let (base, sixteen, many) = (runs("original", "1"), runs("runtime", "16"), runs("runtime", "32"));
    assert!((speedup(base[9], sixteen[9]) - 6.753).abs() < 5e-4);
    assert!((speedup(base[9], many[9]) - 7.119).abs() < 5e-4);
    assert!(speedup(base[0], sixteen[0]) < 1.0, "one variation is too little work to share");
    assert_eq!((karp_flatt(1.6, 2.0), karp_flatt(1.6, 1.0)), (Some(0.25), None));
    let serial = karp_flatt(speedup(base[9], sixteen[9]), 16.0).unwrap();
    assert!((serial - 0.0913).abs() < 5e-5);
}

#[test]
fn the_measured_program_is_linear_with_an_offset() {
    let points: Vec<(f64, f64)> = (0..10).map(|e| f64::from(1 << e)).zip(runs("original", "1")).collect();
    let model = size_model::fit(&points).unwrap();
    assert_eq!((model.term, model.tie), (Term { i: 1.0, j: 0 }, false), "{model:?}");
    assert!((1.8e6..2.5e6).contains(&model.c0) && (1.8e6..2.0e6).contains(&model.c1), "{model:?}");
    assert!(model.smape < 0.03);
}

#[test]
fn amdahls_law_gives_the_textbook_numbers() {
    assert!((amdahl::speedup(1.0 - 0.997, 16.0) - 15.31).abs() < 5e-3);
    assert_eq!(amdahl::limit(0.05), Some(20.0));
    assert_eq!(amdahl::limit(0.0), None);
}

#[test]
fn exact_points_of_the_laws_come_back() {
    for serial in [0.0, 0.003, 0.1, 0.9, 1.0] {
        let points: Vec<(f64, f64)> =
            [1.0, 2.0, 3.0, 8.0, 64.0].iter().map(|p| (*p, 1e-3 / amdahl::speedup(serial, *p))).collect();
        let law = amdahl::fit(&points, 0.95).unwrap();
        assert!((law.serial - serial).abs() < 1e-9 && law.rms < 1e-9, "{law:?}");
        assert!((law.time_one - 1e-3).abs() < 1e-12);
    }
    let time = |p: f64| 50.0 * (1.0 + 0.02 * (p - 1.0) + 0.001 * p * (p - 1.0)) / p;
    let points: Vec<(f64, f64)> = [1.0, 4.0, 8.0, 16.0, 32.0].iter().map(|p| (*p, time(*p))).collect();
    let law = usl::fit(&points, 0.95).unwrap();
    assert!((law.sigma - 0.02).abs() < 1e-9 && (law.kappa - 0.001).abs() < 1e-10, "{law:?}");
    assert!((law.peak.unwrap() - (0.98f64 / 0.001).sqrt()).abs() < 1e-6);
    assert!((law.speedup(8.0) - 50.0 / time(8.0)).abs() < 1e-9);
}

#[test]
fn a_program_that_more_workers_only_slow_has_its_peak_at_one() {
    let points: Vec<(f64, f64)> = [1.0f64, 2.0, 4.0, 8.0, 16.0].iter().map(|p| (*p, p.powf(1.5))).collect();
    assert_eq!(usl::fit(&points, 0.95).unwrap().peak, Some(1.0));
    assert_eq!(amdahl::fit(&points, 0.95).unwrap().serial, 1.0);
}

#[test]
fn superlinear_times_have_no_serial_part() {
    let points: Vec<(f64, f64)> = [1.0f64, 2.0, 4.0, 8.0].iter().map(|p| (*p, p.powf(-1.2))).collect();
    let law = amdahl::fit(&points, 0.95).unwrap();
    assert_eq!((law.serial, law.interval.unwrap().low), (0.0, 0.0));
    assert_eq!(usl::fit(&points, 0.95).unwrap().peak, None);
}

#[test]
fn too_few_points_are_refused_or_have_no_interval() {
    let points = [(1.0, 10.0), (2.0, 6.0), (4.0, 4.0), (8.0, 3.0)];
    assert_eq!(amdahl::fit(&points[..1], 0.95), None);
    assert_eq!(amdahl::fit(&[(2.0, 6.0), (2.0, 6.1)], 0.95), None, "the same number of workers twice");
    assert_eq!(amdahl::fit(&points[..2], 0.95).unwrap().interval, None);
    assert!(amdahl::fit(&points[..3], 0.95).unwrap().interval.is_some());
    assert_eq!(usl::fit(&points[..3], 0.95), None);
    assert!(usl::fit(&points, 0.95).is_some());
    for wrong in [(0.5, 1.0), (2.0, 0.0), (2.0, f64::NAN), (f64::INFINITY, 1.0)] {
        let mut points = points.to_vec();
        points.push(wrong);
        assert_eq!((amdahl::fit(&points, 0.95), usl::fit(&points, 0.95)), (None, None));
        points.extend([(16.0, 2.0), (32.0, 2.0)]);
        assert_eq!(size_model::fit(&points), None);
    }
    assert_eq!(size_model::fit(&points), None, "four sizes");
}

#[test]
fn sizes_that_hardly_differ_tell_no_growth() {
    let points: Vec<(f64, f64)> =
        [1000.0, 1001.0, 1002.0, 1003.0, 1004.0, 1005.0].iter().map(|n| (*n, 2.0 * n + (n % 2.0))).collect();
    let model = size_model::fit(&points).unwrap();
    assert!(model.tie, "{model:?}");
    assert!(model.runner_up.unwrap().term != model.term);
}

#[test]
fn equal_times_are_constant() {
    let points: Vec<(f64, f64)> = (1..9).map(|n| (f64::from(n), 4.0)).collect();
    let model = size_model::fit(&points).unwrap();
    assert_eq!((model.term, model.tie, model.runner_up), (Term::CONSTANT, false, None));
    assert!((model.at(1e9) - 4.0).abs() < 1e-12);
}

fn times() -> impl Strategy<Value = f64> {
    prop_oneof![1e-9..1e9f64, 0.9..1.1f64, Just(1.0), (-300..300i32).prop_map(|e| 10f64.powi(e))]
}

proptest! {
    #[test]
    fn every_answer_is_finite(points in vec((prop_oneof![1.0..9.0f64, (0..40u32).prop_map(|e| 2f64.powi(e as i32))], times()), 0..10)) {
        if let Some(law) = amdahl::fit(&points, 0.95) {
            prop_assert!((0.0..=1.0).contains(&law.serial) && law.rms.is_finite() && law.time_one.is_finite());
            if let Some(interval) = law.interval {
                prop_assert!(0.0 <= interval.low && interval.high <= 1.0 && interval.hold(law.serial));
            }
        }
        if let Some(law) = usl::fit(&points, 0.95) {
            prop_assert!(law.sigma >= 0.0 && law.kappa >= 0.0 && law.rms.is_finite() && law.time_one.is_finite());
            for (value, interval) in [(law.sigma, law.sigma_interval), (law.kappa, law.kappa_interval)] {
                prop_assert!(value.is_finite() && interval.is_none_or(|i| i.hold(value) && i.high.is_finite()));
            }
            prop_assert!(law.peak.is_none_or(|p| p >= 1.0 && p.is_finite()));
        }
        if let Some(model) = size_model::fit(&points) {
            prop_assert!([model.c0, model.c1, model.smape].iter().all(|v| v.is_finite()) && model.c1 >= 0.0);
        }
    }

    #[test]
    fn another_unit_of_time_changes_no_law(points in vec((1.0..99.0f64, 1e-3..1e3f64), 5..9)) {
        let scaled: Vec<(f64, f64)> = points.iter().map(|(p, t)| (*p, t * 1024.0)).collect();
        let serial = |points: &[(f64, f64)]| amdahl::fit(points, 0.95).map(|l| l.serial);
        if let (Some(a), Some(b)) = (serial(&points), serial(&scaled)) {
            prop_assert!((a - b).abs() < 1e-3, "{a} {b}");
        }
        let model = |points: &[(f64, f64)]| size_model::fit(points).map(|m| (m.term, m.smape));
        prop_assert_eq!(model(&points), model(&scaled));
    }
}
