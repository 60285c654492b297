//! Values that others published or computed: the tables of METHOD.md, statrs, and SciPy 1.17.

use paw_stats::interval::{self, ranks};
use paw_stats::mann_whitney::{Distribution, mann_whitney};
use paw_stats::{comparison, normal, quantile, sigma};
use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, Normal};
use statrs::statistics::Statistics;

fn close(found: f64, expected: f64, relative: f64) {
    assert!((found - expected).abs() <= relative * expected.abs(), "{found} is not {expected}");
}

#[test]
fn the_ranks_of_the_medians_interval_are_those_of_the_table() {
    // 2 * scipy.stats.binom.cdf(k - 1, n, 0.5) <= 0.05 < 2 * scipy.stats.binom.cdf(k, n, 0.5)
    for (n, low, high, coverage) in [
        (6, 1, 6, 0.96875),
        (8, 1, 8, 0.992_187_5),
        (10, 2, 9, 0.978_515_625),
        (16, 4, 13, 0.978_729_248_046_875),
        (20, 6, 15, 0.958_610_534_667_968_8),
        (31, 10, 22, 0.970_550_626_516_342_2),
        (32, 10, 23, 0.979_938_392_993_062_7),
        (51, 19, 33, 0.951_126_107_681_729_7),
        (64, 24, 41, 0.967_234_240_901_176_8),
        (100, 40, 61, 0.964_799_799_782_295_1),
        (1000, 469, 532, 0.953_708_802_639_501_9),
    ] {
        let found = ranks(n, 0.5, 0.95).unwrap();
        assert_eq!((found.low, found.high), (low, high), "n = {n}");
        close(found.coverage, coverage, 1e-12);
    }
}

#[test]
fn below_six_values_there_is_no_interval_at_95_percent() {
    for n in 0..6 {
        assert_eq!(ranks(n, 0.5, 0.95), None, "n = {n}");
    }
    assert!(ranks(5, 0.5, 0.9).is_some());
    assert_eq!(interval::median(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.95), None);
}

#[test]
fn the_ranks_of_any_quantile_are_those_of_scipy() {
    // The largest l with binom.cdf(l - 1, n, p) <= a and the smallest u with binom.sf(u - 1, n, p) <= a, a = (1 - c) / 2.
    for (n, p, confidence, low, high, coverage) in [
        (100, 0.9, 0.95, 84, 96, 0.955_690_107_191_223),
        (31, 0.25, 0.95, 3, 14, 0.980_029_191_995_967_7),
        (60, 0.95, 0.9, 54, 60, 0.924_236_099_058_164_6),
        (1000, 0.99, 0.95, 983, 997, 0.976_094_763_497_977),
        (500, 0.5, 0.99, 221, 280, 0.991_738_578_183_017_5),
        (45, 0.9, 0.95, 36, 45, 0.979_241_851_757_324_6),
    ] {
        let found = ranks(n, p, confidence).unwrap();
        assert_eq!((found.low, found.high), (low, high), "n = {n}, p = {p}");
        close(found.coverage, coverage, 1e-11);
    }
    // Of 20 values none lies above the 90 % quantile with enough certainty.
    assert_eq!(ranks(20, 0.9, 0.95), None);
}

#[test]
fn the_coverage_is_what_the_binomial_distribution_of_statrs_says() {
    for n in [6u64, 7, 13, 31, 77, 128, 501, 1000] {
        for p in [0.1, 0.25, 0.5, 0.75, 0.9] {
            let Some(found) = ranks(n as usize, p, 0.95) else { continue };
            let count = Binomial::new(p, n).unwrap();
            let below = count.cdf(found.low as u64 - 1);
            let above = 1.0 - count.cdf(found.high as u64 - 1);
            assert!((found.coverage - (1.0 - below - above)).abs() < 1e-9, "n = {n}, p = {p}: {found:?}");
            assert!(below <= 0.025 + 1e-9 && above <= 0.025 + 1e-9);
        }
    }
}

#[test]
fn beyond_a_thousand_values_the_ranks_are_those_of_the_normal_distribution() {
    // floor(n / 2 - 0.98 √n): 750.00 - 37.96 for n = 1500.
    let found = ranks(1500, 0.5, 0.95).unwrap();
    assert_eq!((found.low, found.high), (712, 789));
    for n in [1001u64, 4000, 100_000] {
        let found = ranks(n as usize, 0.5, 0.95).unwrap();
        let count = Binomial::new(0.5, n).unwrap();
        let exact = count.cdf(found.high as u64 - 1) - count.cdf(found.low as u64 - 1);
        assert!((found.coverage - exact).abs() < 1e-3, "n = {n}");
        assert!((0.949..0.96).contains(&exact), "n = {n}: {exact}");
    }
    assert_eq!(ranks(1001, 0.0005, 0.95), None, "no order statistic lies below that quantile");
}

#[test]
fn what_is_no_probability_has_no_ranks() {
    for (p, confidence) in [(0.0, 0.95), (1.0, 0.95), (f64::NAN, 0.95), (0.5, 0.0), (0.5, 1.0), (0.5, f64::NAN)] {
        assert_eq!(ranks(100, p, confidence), None);
    }
    assert_eq!(interval::median(&[f64::NAN; 10], 0.95), None);
    assert_eq!(interval::median(&[], 0.95), None);
}

/// Hettmansperger and Sheather 1986: I = (γd - γ) ÷ (γd - γd+1) and λ = (n - d) I ÷ (d + (n - 2d) I), worked out by hand with the
/// coverages γ of binomial tables.
#[test]
fn interpolated_ends_lie_where_the_formula_puts_them() {
    for (n, (outer, inner), d) in [(8, (0.992_187_5, 0.929_687_5), 1), (10, (0.978_515_625, 0.890_625), 2)] {
        let values: Vec<f64> = (1..=n).map(f64::from).collect();
        let part = (outer - 0.95) / (outer - inner);
        let (n, d) = (f64::from(n), f64::from(d));
        let weight = (n - d) * part / (d + (n - 2.0 * d) * part);
        let found = interval::interpolated(&values, 0.95).unwrap();
        assert!((found.low - (d + weight)).abs() < 1e-9, "{found:?}");
        assert!((found.high - (n + 1.0 - d - weight)).abs() < 1e-9, "{found:?}");
    }
}

#[test]
fn an_interval_of_dependent_values_widens_to_their_effective_number() {
    let values: Vec<f64> = (1..=100).map(f64::from).collect();
    let plain = interval::median(&values, 0.95).unwrap();
    assert_eq!((plain.low, plain.high), (40.0, 61.0));
    assert_eq!(interval::widened(&values, 100.0, 0.95), Some(plain));
    // Ranks 6 and 15 of 20 stretch to 6 * 101 / 21 = 28 of 100 and its mirror.
    assert_eq!(interval::widened(&values, 20.7, 0.95).unwrap().ranks, (28, 73));
    // 6 * 61 / 21 = 17.4 of 60.
    assert_eq!(interval::widened(&values[..60], 20.7, 0.95).unwrap().ranks, (17, 44));
    // 6 * 63 / 21 = 18 of 62.
    assert_eq!(interval::widened(&values[..62], 20.7, 0.95).unwrap().ranks, (18, 45));
    assert_eq!(interval::widened(&values, f64::NAN, 0.95), Some(plain));
    assert_eq!(interval::widened(&values, 5.9, 0.95), None);
}

#[test]
fn the_normal_distribution_is_that_of_scipy() {
    // scipy.stats.norm.cdf(x)
    for (x, expected) in [
        (-20.0, 2.753_624_118_606_155_6e-89),
        (-8.0, 6.220_960_574_271_74e-16),
        (-5.0, 2.866_515_718_791_933e-7),
        (-3.5, 0.000_232_629_079_035_525_02),
        (-3.0, 0.001_349_898_031_630_093_3),
        (-1.96, 0.024_997_895_148_220_435),
        (0.0, 0.5),
        (0.3, 0.617_911_422_188_952_6),
        (3.1, 0.999_032_396_786_781_7),
    ] {
        close(normal::probability(x), expected, 1e-12);
    }
    // scipy.stats.norm.ppf(p)
    for (p, expected) in [
        (1e-300, -37.047_096_299_361_2),
        (1e-20, -9.262_340_089_798_409),
        (0.001, -3.090_232_306_167_813),
        (0.025, -1.959_963_984_540_054_5),
        (0.75, 0.674_489_750_196_081_7),
        (0.99999, 4.264_890_793_923_841),
    ] {
        close(normal::quantile(p), expected, 1e-10);
    }
    assert_eq!((normal::quantile(0.0), normal::quantile(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
    assert_eq!((normal::probability(f64::NEG_INFINITY), normal::probability(f64::INFINITY)), (0.0, 1.0));
    assert!(normal::quantile(1.5).is_nan() && normal::probability(f64::NAN).is_nan());
}

#[test]
fn the_normal_distribution_is_that_of_statrs() {
    let other = Normal::new(0.0, 1.0).unwrap();
    for i in -60..=60 {
        let x = f64::from(i) / 10.0;
        assert!((normal::probability(x) - other.cdf(x)).abs() < 1e-10, "x = {x}");
    }
}

#[test]
fn deviations_are_those_of_statrs() {
    let values: Vec<f64> = (0..50).map(|i| 1e3 + f64::from(i * 37 % 11) * 0.013).collect();
    close(sigma::sample(&values).unwrap(), values.as_slice().std_dev(), 1e-9);
    close(sigma::population(&values).unwrap(), values.as_slice().population_std_dev(), 1e-9);
}

#[test]
// One of the scores happens to be 3.14.
#[allow(clippy::approx_constant)]
fn mann_whitney_is_that_of_scipy() {
    // The example of scipy.stats.mannwhitneyu's page: U1 = 17, p = 0.111 (method="exact").
    let (men, women) = ([19.0, 22.0, 16.0, 29.0, 24.0], [20.0, 11.0, 17.0, 12.0]);
    let found = mann_whitney(&men, &women).unwrap();
    assert_eq!((found.u, found.distribution), (17.0, Distribution::Exact));
    close(found.p, 0.111_111_111_111_111_1, 1e-12);
    assert_eq!(mann_whitney(&women, &men).unwrap().u, 3.0);

    // mannwhitneyu(range(0, 40, 2), [x + 5.5 for x in range(0, 40, 2)], method="exact")
    let a: Vec<f64> = (0..20).map(|i| f64::from(2 * i)).collect();
    let b: Vec<f64> = a.iter().map(|x| x + 5.5).collect();
    let found = mann_whitney(&a, &b).unwrap();
    assert_eq!((found.u, found.distribution), (153.0, Distribution::Exact));
    close(found.p, 0.210_964_327_248_120_78, 1e-12);

    // Ties: Hamilton depression scores of R's wilcox.test page, mannwhitneyu(x, y, method="asymptotic")
    let x = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
    let y = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
    let found = mann_whitney(&x, &y).unwrap();
    assert_eq!((found.u, found.distribution), (58.0, Distribution::Normal));
    close(found.p, 0.132_919_458_185_318_92, 1e-10);
}

#[test]
fn equal_values_are_no_evidence_against_equality() {
    assert_eq!(mann_whitney(&[2.0; 8], &[2.0; 9]).unwrap().p, 1.0);
    assert_eq!(mann_whitney(&[], &[1.0]), None);
    assert_eq!(mann_whitney(&[f64::NAN], &[1.0]), None);
}

#[test]
fn the_shift_of_the_textbook_comes_out() {
    // R, wilcox.test(c(0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46), c(1.15, 0.88, 0.90, 0.74, 1.21),
    // conf.int = TRUE): difference in location 0.305 (Hollander and Wolfe 1973, table 4.1). As logarithms: the same shift.
    let x = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46].map(f64::exp);
    let y = [1.15, 0.88, 0.90, 0.74, 1.21].map(f64::exp);
    let found = comparison::unpaired(&y, &x, 0.95).unwrap();
    close(found.value.ln(), 0.305, 1e-9);
    // R's interval, from the exact distribution, is -0.15 … 0.76: ranks 9 and 42 of 50.
    let interval = found.interval.unwrap();
    close(interval.low.ln(), -0.15, 1e-9);
    close(interval.high.ln(), 0.76, 1e-9);
}

#[test]
fn type_seven_quantiles_of_ten_values_are_numpys() {
    // numpy.quantile([0.0, 1, 4, 9, 16, 25, 36, 49, 64, 81], p)
    let squares: Vec<f64> = (0..10).map(|i| f64::from(i * i)).collect();
    for (p, expected) in [(0.1, 0.9), (0.25, 5.25), (0.5, 20.5), (0.75, 45.75), (0.9, 65.7)] {
        close(quantile::quantile(&squares, p).unwrap(), expected, 1e-12);
    }
}
