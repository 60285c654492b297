//! The bootstrap: an interval for a statistic that has none of its own.
//!
//! For fits, speed-up curves and geometric means. The median needs none: its exact interval is narrower work and covers better.

use crate::quantile;
use crate::rank::sorted;
use crate::rng::Rng;

/// Resamples: 2000 place the 2.5 % points to about a twentieth of the statistic's deviation.
pub const RESAMPLES: usize = 2000;

/// A statistic with its bootstrap interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bootstrap {
    /// The statistic of the values themselves.
    pub estimate: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The percentile interval of `statistic` over `resamples` draws with replacement; the same seed gives the same interval.
///
/// B. Efron and R. Tibshirani, *An Introduction to the Bootstrap*, 1993, chapter 13. `None` where there are fewer than two
/// values, the statistic of any resample is none or NaN, or the confidence lies outside 0 … 1.
pub fn percentile(
    values: &[f64],
    statistic: impl Fn(&[f64]) -> Option<f64>,
    resamples: usize,
    confidence: f64,
    seed: u64,
) -> Option<Bootstrap> {
    if values.len() < 2 || values.iter().any(|v| v.is_nan()) || !(confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    let mut rng = Rng::new(seed);
    let mut draw = vec![0.0; values.len()];
    let mut found = Vec::with_capacity(resamples);
    for _ in 0..resamples {
        draw.fill_with(|| values[rng.below(values.len())]);
        found.push(statistic(&draw)?);
    }
    let found = sorted(&found)?;
    let each = (1.0 - confidence) / 2.0;
    Some(Bootstrap {
        estimate: statistic(values)?,
        low: quantile::at(&found, each)?,
        high: quantile::at(&found, 1.0 - each)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{mean, sigma};

    #[test]
    fn the_interval_of_a_mean_is_that_of_the_normal_distribution() {
        let mut rng = Rng::new(5);
        let values: Vec<f64> = (0..400).map(|_| 10.0 + rng.normal()).collect();
        let found = percentile(&values, mean::arithmetic, RESAMPLES, 0.95, 1).unwrap();
        let error = sigma::sample(&values).unwrap() / 20.0;
        assert_eq!(Some(found.estimate), mean::arithmetic(&values));
        for (end, sign) in [(found.low, -1.0), (found.high, 1.0)] {
            let expected = found.estimate + sign * 1.96 * error;
            assert!((end - expected).abs() < 0.3 * error, "{end} is not near {expected}");
        }
    }

    #[test]
    fn the_seed_decides_the_interval() {
        let values = [1.0, 2.0, 4.0, 8.0, 16.0];
        let interval = |seed| percentile(&values, mean::geometric, 200, 0.9, seed).unwrap();
        assert_eq!(interval(1), interval(1));
        assert_ne!(interval(1), interval(2));
    }

    #[test]
    fn equal_values_have_a_point() {
        let found = percentile(&[3.0; 6], quantile::median, 100, 0.95, 1).unwrap();
        assert_eq!((found.estimate, found.low, found.high), (3.0, 3.0, 3.0));
    }

    #[test]
    fn what_has_no_interval_is_refused() {
        let attempt =
            |values: &[f64], resamples, confidence| percentile(values, mean::harmonic, resamples, confidence, 1);
        assert_eq!(attempt(&[], 10, 0.95), None);
        assert_eq!(attempt(&[1.0], 10, 0.95), None);
        assert_eq!(attempt(&[1.0, f64::NAN], 10, 0.95), None);
        assert_eq!(attempt(&[1.0, 0.0], 10, 0.95), None, "no harmonic mean");
        assert_eq!(attempt(&[1.0, 2.0], 0, 0.95), None);
        assert_eq!(attempt(&[1.0, 2.0], 10, 1.0), None);
    }
}
