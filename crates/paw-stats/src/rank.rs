//! Order: sorted values and their ranks.

use paw_sort::SortNumbers;

/// The values in ascending order; `None` where there is none or one is NaN.
pub fn sorted(values: &[f64]) -> Option<Vec<f64>> {
    if values.is_empty() || values.iter().any(|v| v.is_nan()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_numbers();
    Some(sorted)
}

/// The smallest value.
pub fn min(values: &[f64]) -> Option<f64> {
    fold(values, f64::min)
}

/// The largest value.
pub fn max(values: &[f64]) -> Option<f64> {
    fold(values, f64::max)
}

fn fold(values: &[f64], pick: fn(f64, f64) -> f64) -> Option<f64> {
    if values.iter().any(|v| v.is_nan()) {
        return None;
    }
    values.iter().copied().reduce(pick)
}

/// The rank of every value from 1, in the order given; equal values share the mean of their ranks (midranks).
pub fn midranks(values: &[f64]) -> Option<Vec<f64>> {
    if values.is_empty() || values.iter().any(|v| v.is_nan()) {
        return None;
    }
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&i, &j| values[i].total_cmp(&values[j]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    while first < order.len() {
        let value = values[order[first]];
        let last = first + order[first..].iter().take_while(|&&i| values[i] == value).count();
        for &i in &order[first..last] {
            ranks[i] = (first + 1 + last) as f64 / 2.0;
        }
        first = last;
    }
    Some(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_the_mean_of_their_ranks() {
        assert_eq!(midranks(&[3.0, 1.0, 3.0, 2.0, 3.0]), Some(vec![4.0, 1.0, 4.0, 2.0, 4.0]));
        assert_eq!(midranks(&[0.0, -0.0]), Some(vec![1.5, 1.5]));
    }

    #[test]
    fn infinite_values_stand_at_their_end() {
        let values = [1.0, f64::INFINITY, f64::NEG_INFINITY];
        assert_eq!(sorted(&values), Some(vec![f64::NEG_INFINITY, 1.0, f64::INFINITY]));
        assert_eq!((min(&values), max(&values)), (Some(f64::NEG_INFINITY), Some(f64::INFINITY)));
    }

    #[test]
    fn nothing_and_nan_have_no_order() {
        for values in [&[][..], &[1.0, f64::NAN]] {
            assert_eq!(sorted(values), None);
            assert_eq!(midranks(values), None);
            assert_eq!((min(values), max(values)), (None, None));
        }
    }
}
