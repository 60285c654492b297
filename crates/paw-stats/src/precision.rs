//! Precision: how narrow the median's interval is, and how many samples a narrower one takes.

use crate::interval;
use crate::quantile;

/// Half the width of the median's interval, relative to the median; `None` where there is no interval or the median is 0.
pub fn half_width(values: &[f64], confidence: f64) -> Option<f64> {
    let median = quantile::median(values)?;
    let width = interval::median(values, confidence)?.half_width(median);
    width.is_finite().then_some(width)
}

/// About how many samples in all bring the half width from `half_width` at `n` samples to `wanted`: n (half_width ÷ wanted)².
///
/// Widths shrink with the root of n. `n` itself where that is narrow enough; `None` where `wanted` is not above zero.
pub fn samples_needed(n: usize, half_width: f64, wanted: f64) -> Option<usize> {
    if half_width <= wanted {
        return Some(n);
    }
    let needed = (n as f64 * (half_width / wanted).powi(2)).ceil();
    (wanted > 0.0 && needed < usize::MAX as f64).then_some(needed as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_of_samples_makes_an_interval_a_point() {
        assert_eq!([samples_needed(10, 0.02, 0.02), samples_needed(10, 0.02, 0.01)], [Some(10), Some(40)]);
        assert_eq!([samples_needed(10, 0.02, 0.0), samples_needed(10, 0.02, -0.01)], [None, None]);
    }

    /// 16 values, the interval of whose median (ranks 4 and 13) is 98 … 102.
    fn values() -> Vec<f64> {
        let mut values = vec![90.0, 91.0, 92.0, 98.0];
        values.extend([100.0; 8]);
        values.extend([102.0, 110.0, 111.0, 112.0]);
        values
    }

    #[test]
    fn half_the_interval_over_the_median() {
        assert_eq!(half_width(&values(), 0.95), Some(0.02));
        assert_eq!(half_width(&[1.0; 16], 0.95), Some(0.0));
        assert_eq!(half_width(&[1.0; 5], 0.95), None);
        assert_eq!(half_width(&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0], 0.95), None);
    }

    #[test]
    fn half_the_width_takes_four_times_the_samples() {
        assert_eq!(samples_needed(16, 0.02, 0.01), Some(64));
        assert_eq!(samples_needed(16, 0.03, 0.02), Some(36));
    }
}
