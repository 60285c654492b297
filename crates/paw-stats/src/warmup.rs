//! Warm-up that slipped into a series: slow values at its beginning.

use crate::outliers::Fences;

/// How many leading values lie above the upper mild fence (Q3 + 1.5 IQR) of the second half; `None` for fewer than eight.
///
/// The count is for a caveat: no value is removed. The second half sets the fence, because warm-up is over by then.
pub fn leading(values: &[f64]) -> Option<usize> {
    if values.len() < 8 || values.iter().any(|v| v.is_nan()) {
        return None;
    }
    let (first, second) = values.split_at(values.len() / 2);
    let fences = Fences::of(second)?;
    Some(first.iter().take_while(|v| **v > fences.mild.1).count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn three_slow_starts_are_counted() {
        let mut rng = Rng::new(11);
        let mut values: Vec<f64> = (0..31).map(|_| 1.0 + 0.01 * rng.normal()).collect();
        for v in &mut values[..3] {
            *v *= 1.3;
        }
        assert_eq!(leading(&values), Some(3));
    }

    #[test]
    fn steady_values_have_no_warm_up_in_nine_of_ten_series() {
        let flagged = (0..500).filter(|&seed| {
            let mut rng = Rng::new(seed);
            let values: Vec<f64> = (0..31).map(|_| 1.0 + 0.01 * rng.normal()).collect();
            leading(&values) != Some(0)
        });
        assert!(flagged.count() <= 50, "more than 10 % of steady series were flagged");
    }

    #[test]
    fn a_slow_value_in_the_middle_is_no_warm_up() {
        let mut values = vec![1.0; 16];
        values[5] = 9.0;
        assert_eq!(leading(&values), Some(0));
    }

    #[test]
    fn a_series_that_never_settles_is_flagged_for_its_first_half_at_most() {
        let values: Vec<f64> = (0..16).rev().map(|i| 10f64.powi(i)).collect();
        assert!(leading(&values).unwrap() <= 8);
    }

    #[test]
    fn too_few_and_nan_are_refused() {
        assert_eq!(leading(&[1.0; 7]), None);
        assert_eq!(leading(&[1.0, 1.0, 1.0, f64::NAN, 1.0, 1.0, 1.0, 1.0]), None);
    }
}
