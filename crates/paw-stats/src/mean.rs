//! Means: arithmetic for times, harmonic for rates.
//!
//! T. Hoefler and R. Belli, *Scientific Benchmarking of Parallel Computing Systems*, SC15, rules 3 and 4.

/// The arithmetic mean.
pub fn arithmetic(values: &[f64]) -> Option<f64> {
    average(values.iter().copied())
}

/// The harmonic mean; `None` where a value is zero or negative.
pub fn harmonic(values: &[f64]) -> Option<f64> {
    let positive = values.iter().all(|v| *v > 0.0);
    average(values.iter().map(|v| v.recip())).filter(|_| positive).map(f64::recip)
}

fn average(values: impl ExactSizeIterator<Item = f64>) -> Option<f64> {
    let n = values.len();
    let sum: f64 = values.sum();
    // The sum is NaN if a value is, or with infinities of both signs.
    (n > 0 && !sum.is_nan()).then(|| sum / n as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(mean: Option<f64>, expected: f64) {
        let mean = mean.unwrap();
        assert!((mean - expected).abs() <= 1e-14 * expected, "{mean} is not {expected}");
    }

    #[test]
    fn textbook_values() {
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        check(arithmetic(&values), 5.0);
        // scipy 1.17: stats.hmean(values)
        check(harmonic(&values), 4.201_750_729_470_613);
        check(harmonic(&[40.0, 60.0]), 48.0);
    }

    #[test]
    fn one_value_is_every_mean() {
        for mean in [arithmetic, harmonic] {
            check(mean(&[7.0]), 7.0);
        }
    }

    #[test]
    fn nothing_and_nan_have_no_mean() {
        for mean in [arithmetic, harmonic] {
            assert_eq!(mean(&[]), None);
            assert_eq!(mean(&[1.0, f64::NAN]), None);
        }
    }

    #[test]
    fn what_is_not_above_zero_has_no_harmonic_mean() {
        assert_eq!([harmonic(&[0.0, 1.0]), harmonic(&[-1.0, 1.0])], [None, None]);
    }

    #[test]
    fn an_infinite_value_makes_the_arithmetic_mean_infinite_and_the_harmonic_one_finite() {
        assert_eq!(arithmetic(&[1.0, f64::INFINITY]), Some(f64::INFINITY));
        assert_eq!(harmonic(&[1.0, f64::INFINITY]), Some(2.0));
    }

    #[test]
    fn infinities_of_both_signs_have_no_mean() {
        assert_eq!(arithmetic(&[f64::NEG_INFINITY, f64::INFINITY]), None);
    }
}
