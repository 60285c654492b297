//! Quantiles and the median.

use crate::rank::sorted;

/// The `p`-quantile by linear interpolation between order statistics: type 7 of R. J. Hyndman and Y. Fan,
/// *Sample Quantiles in Statistical Packages*, The American Statistician 50 (1996), as R, NumPy and Excel have it.
///
/// `None` where `p` lies outside 0 … 1.
pub fn quantile(values: &[f64], p: f64) -> Option<f64> {
    at(&sorted(values)?, p)
}

/// The median.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// The `p`-quantile (type 7) of values that are in ascending order already.
pub fn at(sorted: &[f64], p: f64) -> Option<f64> {
    if sorted.is_empty() || !(0.0..=1.0).contains(&p) {
        return None;
    }
    let place = p * (sorted.len() - 1) as f64;
    let below = place.floor();
    let (low, high) = (sorted[below as usize], sorted[place.ceil() as usize]);
    if low == high {
        return Some(low);
    }
    // Between infinities of both signs the quantile is undefined.
    Some(low + (place - below) * (high - low)).filter(|v| !v.is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_seven_interpolates_between_order_statistics() {
        // numpy.quantile([15, 20, 35, 40, 50], p) with its default method, "linear", which is type 7.
        let values = [50.0, 15.0, 40.0, 20.0, 35.0];
        for (p, expected) in
            [(0.0, 15.0), (0.05, 16.0), (0.25, 20.0), (0.3, 23.0), (0.4, 29.0), (0.5, 35.0), (1.0, 50.0)]
        {
            assert!((quantile(&values, p).unwrap() - expected).abs() < 1e-12, "p = {p}");
        }
    }

    #[test]
    fn the_median_of_31_is_the_sixteenth() {
        let values: Vec<f64> = (1..=31).rev().map(f64::from).collect();
        assert_eq!(median(&values), Some(16.0));
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
    }

    #[test]
    fn infinite_values_keep_the_quantiles_below_them() {
        let values = [1.0, 2.0, 3.0, f64::INFINITY, f64::INFINITY];
        assert_eq!(median(&values), Some(3.0));
        assert_eq!(quantile(&values, 0.9), Some(f64::INFINITY));
        assert_eq!(median(&[f64::NEG_INFINITY, f64::INFINITY]), None);
    }

    #[test]
    fn what_is_no_quantile_is_refused() {
        for (values, p) in [(&[][..], 0.5), (&[f64::NAN], 0.5), (&[1.0], -0.1), (&[1.0], 1.1), (&[1.0], f64::NAN)] {
            assert_eq!(quantile(values, p), None);
        }
    }
}
