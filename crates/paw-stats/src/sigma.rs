//! Standard deviation: of the sample, which estimates, and of the population, which PAW's files hold.

use crate::mean;

/// The sample standard deviation, divided by n - 1; `None` for fewer than two values.
pub fn sample(values: &[f64]) -> Option<f64> {
    let squares = squares(values)?;
    (values.len() > 1).then(|| (squares / (values.len() - 1) as f64).sqrt())
}

/// The population standard deviation, divided by n.
pub fn population(values: &[f64]) -> Option<f64> {
    Some((squares(values)? / values.len() as f64).sqrt())
}

/// The sum of squared distances from the mean, in two passes so that a large mean does not swallow small distances.
fn squares(values: &[f64]) -> Option<f64> {
    let mean = mean::arithmetic(values)?;
    let sum: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    // An infinite value has no distance to an infinite mean.
    (!sum.is_nan()).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textbook_values() {
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert_eq!(population(&values), Some(2.0));
        assert_eq!(sample(&values), Some((32.0f64 / 7.0).sqrt()));
    }

    #[test]
    fn a_large_mean_does_not_swallow_small_distances() {
        // The data set NumAcc4 of NIST's Statistical Reference Datasets: its certified sample deviation is 0.1.
        let mut values = vec![10_000_000.2];
        values.extend([10_000_000.1, 10_000_000.3].repeat(500));
        assert!((sample(&values).unwrap() - 0.1).abs() < 1e-8);
    }

    #[test]
    fn one_value_has_a_population_but_no_sample_deviation() {
        assert_eq!((population(&[3.0]), sample(&[3.0])), (Some(0.0), None));
    }

    #[test]
    fn nothing_nan_and_infinity_have_none() {
        for values in [&[][..], &[1.0, f64::NAN], &[1.0, f64::INFINITY]] {
            assert_eq!((population(values), sample(values)), (None, None));
        }
    }
}
