//! Scaling laws recovered from simulated times.

use paw_stats::rng::Rng;
use paw_stats::size_model::{self, Term};
use paw_stats::speedup::Estimator;
use paw_stats::{amdahl, mean, sigma, usl};

use crate::share;

/// As many data sets as the evidence of METHOD.md has.
const SETS: u64 = 300;

const TO_16: [f64; 5] = [1.0, 2.0, 4.0, 8.0, 16.0];
const TO_64: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

/// Points of a curve with 1 % of log-normal noise.
fn noisy(at: &[f64], rng: &mut Rng, time: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    at.iter().map(|x| (*x, time(*x) * (0.01 * rng.normal()).exp())).collect()
}

/// T(p) of σ = 0.03 and κ = 0.0005, whose peak is at 44.
fn gunther(p: f64) -> f64 {
    7.0 * (1.0 + 0.03 * (p - 1.0) + 0.0005 * p * (p - 1.0)) / p
}

fn tenth(p: f64) -> f64 {
    3.0 / amdahl::speedup(0.1, p)
}

#[test]
fn a_serial_part_of_a_tenth_comes_back() {
    let mut found = Vec::new();
    for seed in 0..SETS {
        let points = noisy(&TO_16, &mut Rng::new(seed), tenth);
        let law = amdahl::fit(&points, 0.95).unwrap();
        assert!((law.serial - 0.1).abs() < 0.02, "{}", law.serial);
        assert!(law.rms < 0.03 && (law.time_one - 3.0).abs() < 0.15);
        found.push(law.serial);
    }
    assert!((mean::arithmetic(&found).unwrap() - 0.1).abs() < 0.001);
}

#[test]
fn the_interval_of_the_serial_part_covers_what_it_claims() {
    for points in [&TO_16[..3], &TO_16, &TO_64] {
        let covered =
            share(1000, |rng| amdahl::fit(&noisy(points, rng, tenth), 0.95).unwrap().interval.unwrap().hold(0.1));
        assert!((0.92..=0.98).contains(&covered), "{} points: {covered}", points.len());
    }
}

#[test]
fn samples_give_an_interval_that_covers_too() {
    for estimator in [Estimator::Best, Estimator::Median] {
        let covered = share(40, |rng| {
            let mut sample = |p: f64| tenth(p) * (1.0 + 0.02 * rng.normal().abs());
            let series: Vec<Vec<f64>> = TO_16.iter().map(|p| (0..12).map(|_| sample(*p)).collect()).collect();
            let points: Vec<(f64, &[f64])> = TO_16.iter().copied().zip(series.iter().map(Vec::as_slice)).collect();
            let law = amdahl::fit_samples(&points, estimator, 0.95, 7).unwrap();
            assert!((law.serial - 0.1).abs() < 0.01 && law.interval.unwrap().hold(law.serial));
            law.interval.unwrap().hold(0.1)
        });
        assert!(covered >= 0.9, "{estimator:?}: {covered}");
    }
}

#[test]
fn points_to_64_tell_contention_coherency_and_the_peak() {
    let (mut sigmas, mut kappas, mut peaks) = (Vec::new(), Vec::new(), Vec::new());
    for seed in 0..SETS {
        let law = usl::fit(&noisy(&TO_64, &mut Rng::new(seed), gunther), 0.95).unwrap();
        sigmas.push(law.sigma);
        kappas.push(law.kappa);
        peaks.push(law.peak.unwrap());
    }
    let close = |values: &[f64], center: f64, deviation: f64| {
        let (mean, spread) = (mean::arithmetic(values).unwrap(), sigma::sample(values).unwrap());
        assert!((mean - center).abs() < deviation / 3.0 && spread < 1.3 * deviation, "{mean} ± {spread}");
    };
    close(&sigmas, 0.0301, 0.0022);
    close(&kappas, 0.0005, 0.000_03);
    assert!(peaks.iter().all(|p| (41.0..48.0).contains(p)), "{peaks:?}");
}

#[test]
fn the_intervals_of_contention_and_coherency_cover_what_they_claim() {
    let law = |rng: &mut Rng| usl::fit(&noisy(&TO_64, rng, gunther), 0.95).unwrap();
    let sigma = share(SETS, |rng| law(rng).sigma_interval.unwrap().hold(0.03));
    let kappa = share(SETS, |rng| law(rng).kappa_interval.unwrap().hold(0.0005));
    for covered in [sigma, kappa] {
        assert!((0.91..=0.985).contains(&covered), "{sigma} {kappa}");
    }
}

#[test]
fn points_to_8_do_not_tell_the_peak() {
    let points = |rng: &mut Rng| noisy(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], rng, gunther);
    let told = share(SETS, |rng| usl::fit(&points(rng), 0.95).unwrap().peak.is_some());
    assert!(told < 0.02, "{told}");
    let told = share(SETS, |rng| usl::fit(&noisy(&TO_64[..4], rng, gunther), 0.95).unwrap().peak.is_some());
    assert!(told < 0.02, "{told}");
}

/// A name, its term, and its time by size.
type Growth = (&'static str, Term, fn(f64) -> f64);

const GROWTHS: [Growth; 5] = [
    ("n", Term { i: 1.0, j: 0 }, |n| 5.0 + 0.3 * n),
    ("n log n", Term { i: 1.0, j: 1 }, |n| 2.0 + 0.01 * n * n.log2()),
    ("n²", Term { i: 2.0, j: 0 }, |n| 0.002 * n * n),
    ("√n", Term { i: 0.5, j: 0 }, |n| 1.0 + 0.4 * n.sqrt()),
    ("log n", Term { i: 0.0, j: 1 }, |n| 1.0 + 0.5 * n.log2()),
];

fn sizes() -> Vec<f64> {
    (4..16).map(|e| f64::from(1 << e)).collect()
}

#[test]
fn exact_times_tell_their_growth() {
    for (name, term, time) in GROWTHS {
        let points: Vec<(f64, f64)> = sizes().iter().map(|n| (*n, time(*n))).collect();
        let model = size_model::fit(&points).unwrap();
        assert_eq!((model.term, model.tie), (term, false), "{name}");
        assert!(model.smape < 1e-10 && (model.at(1e6) / time(1e6) - 1.0).abs() < 1e-9, "{name}");
    }
}

/// How often the term found is the right one, and how often another one without a tie, which is a wrong claim.
fn claims(sizes: &[f64], term: Term, time: fn(f64) -> f64) -> (f64, f64) {
    let models: Vec<_> =
        (0..SETS).map(|seed| size_model::fit(&noisy(sizes, &mut Rng::new(seed), time)).unwrap()).collect();
    let share = |count: usize| count as f64 / SETS as f64;
    let right = models.iter().filter(|m| m.term == term).count();
    let claimed = models.iter().filter(|m| m.term != term && !m.tie).count();
    (share(right), share(claimed))
}

#[test]
fn noisy_times_tell_their_growth_where_sizes_span_decades() {
    for (name, term, time) in GROWTHS {
        let (right, wrong) = claims(&sizes(), term, time);
        assert!(right > 0.98 && wrong < 0.01, "{name}: {right} right, {wrong} wrong");
    }
}

#[test]
fn sizes_too_close_or_too_few_end_in_a_tie_rather_than_in_a_wrong_claim() {
    for (name, term, time) in GROWTHS {
        for sizes in [[100.0, 200.0, 400.0, 800.0, 1600.0].as_slice(), &[100.0, 120.0, 140.0, 160.0, 180.0, 200.0]] {
            let (_, wrong) = claims(sizes, term, time);
            assert!(wrong < 0.06, "{name}: {wrong}");
        }
    }
}

#[test]
fn times_that_do_not_grow_are_constant() {
    let constant = share(SETS, |rng| size_model::fit(&noisy(&sizes(), rng, |_| 2.0)).unwrap().term == Term::CONSTANT);
    assert!(constant > 0.95, "{constant}");
}
