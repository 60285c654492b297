//! The place of a change: where two levels fit best. Ranks find that there is one, and would draw its place to the middle.

use super::scan::SIDE_MIN;
use crate::quantile;

/// Most rounds of levels and place in turns; it seldom takes more than two.
const ROUNDS: usize = 8;

/// The first index of the new level, beginning with a guess: levels are medians, and absolute deviations are summed, so that far values
/// count little.
pub fn place(values: &[f64], guess: usize) -> usize {
    let mut first = guess;
    for _ in 0..ROUNDS {
        let (Some(old), Some(new)) = (quantile::median(&values[..first]), quantile::median(&values[first..])) else {
            return first;
        };
        let next = between(values, old, new).unwrap_or(first);
        if next == first {
            break;
        }
        first = next;
    }
    first
}

/// Where values stop to lie nearer to `old` than to `new`, by the sum of all.
fn between(values: &[f64], old: f64, new: f64) -> Option<usize> {
    let mut sum = 0.0;
    let costs = values.iter().map(|value| {
        sum += (value - old).abs() - (value - new).abs();
        sum
    });
    let inner = costs
        .enumerate()
        .map(|(i, cost)| (i + 1, cost))
        .filter(|(k, _)| *k >= SIDE_MIN && values.len() - k >= SIDE_MIN);
    Some(inner.min_by(|a, b| a.1.total_cmp(&b.1))?.0)
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn a_far_value_does_not_move_the_place() {
        let mut values = [1.0, 1.1, 0.9, 1.05, 0.95, 1.0, 2.0, 2.1, 1.9, 2.05];
        assert_eq!(place(&values, 3), 6);
        values[2] = 90.0;
        assert_eq!(place(&values, 3), 6);
    }
}
