//! Which of several things that should be alike lies apart from the others.

use paw_sort::OrderBy;

use crate::quantile::{median, quantile};

/// By how much a thing has to differ from the middle of its likes.
pub const APART: f64 = 0.1;

/// Fewest values of a half: three quarters of one or two are all of them.
const HALF_MIN: usize = 2;

/// The things that lie apart from the others, with their middle ÷ that of all, the farthest first: three quarters of the
/// values lie more than [`APART`] to one side of the median of all middles, among those of the first half, in their order, and again
/// among those of the second. Fewer than three things are never told apart, nor is one by fewer than four values.
///
/// Things without values are left out, and so are those with a value that is not a number.
pub fn apart(things: &[Vec<f64>]) -> Vec<(usize, f64)> {
    let half = |values: &Vec<f64>, is_first: bool| {
        let (first, second) = values.split_at(values.len() / 2);
        let half = if is_first { first } else { second };
        if first.len() < HALF_MIN && !values.is_empty() { Vec::new() } else { half.to_vec() }
    };
    let halves = [true, false].map(|is_first| once(&things.iter().map(|of| half(of, is_first)).collect::<Vec<_>>()));
    let repeats = |(at, ratio): &(usize, f64)| {
        let is_again = |(other, again): &(usize, f64)| other == at && (*again > 1.0) == (*ratio > 1.0);
        halves.iter().all(|half| half.iter().any(is_again))
    };
    once(things).into_iter().filter(repeats).collect()
}

/// Whether three things or more have four values each, and middles within [`APART`] of the median of all. Things that are not alike need
/// not lie [`apart`]: too few values, or some that move, tell neither.
pub fn are_alike(things: &[Vec<f64>]) -> bool {
    let known = things.iter().filter(|values| values.len() >= 2 * HALF_MIN).filter_map(|values| median(values));
    let middles: Vec<f64> = known.collect();
    let is_near = |all: f64| middles.iter().all(|middle| (middle / all - 1.0).abs() <= APART);
    middles.len() > 2 && middles.len() == things.len() && median(&middles).is_some_and(is_near)
}

/// As [`apart`], of all values together.
fn once(things: &[Vec<f64>]) -> Vec<(usize, f64)> {
    let middles: Vec<Option<f64>> = things.iter().map(|values| median(values)).collect();
    // Of all, the thing itself among them: of three, the middle of two others would lie between a slow one and a usual one.
    let all: Vec<f64> = middles.iter().filter_map(|middle| *middle).collect();
    let ratio = |at: usize| {
        let middle = median(&all).filter(|middle| all.len() > 2 && *middle > 0.0)?;
        let (low, high) = (quantile(&things[at], 0.25)?, quantile(&things[at], 0.75)?);
        let is_apart = low > middle * (1.0 + APART) || high * (1.0 + APART) < middle;
        is_apart.then_some(middles[at]? / middle)
    };
    let mut found: Vec<(usize, f64)> = (0..things.len()).filter_map(|at| Some((at, ratio(at)?))).collect();
    found.order_by(|a, b| b.1.ln().abs().total_cmp(&a.1.ln().abs()));
    found
}

#[cfg(test)]
mod tests {
    use super::{apart, are_alike};

    fn around(middle: f64) -> Vec<f64> {
        [0.97, 1.0, 1.01, 1.04].map(|share| share * middle).to_vec()
    }

    #[test]
    fn what_is_alike_is_not_told_apart() {
        assert_eq!(apart(&[around(1.0), around(1.02), around(0.98), around(1.05)]), []);
    }

    #[test]
    fn what_too_few_or_moving_values_show_is_neither_alike_nor_apart() {
        assert!(are_alike(&[around(1.0), around(1.02), around(0.98)]));
        let few = [1.0, 1.0, 4.0].map(|value| vec![value; 3]);
        let moving = [vec![1.0; 8], vec![1.0; 8], [vec![4.0; 5], vec![1.0; 3]].concat()];
        for things in [&few[..], &moving, &[around(1.0), around(1.0)], &[around(1.0), around(1.0), Vec::new()]] {
            assert!(!are_alike(things) && apart(things).is_empty(), "{things:?}");
        }
    }

    #[test]
    fn the_farthest_comes_first_with_its_ratio() {
        let found = apart(&[around(1.0), around(0.5), around(1.0), around(4.0), around(1.0)]);
        assert_eq!(found.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [3, 1]);
        assert!((found[0].1 - 4.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn one_of_three_does_not_set_the_others_apart() {
        let found = apart(&[around(1.0), around(4.0), around(1.0)]);
        assert_eq!(found.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [1]);
        assert!((found[0].1 - 4.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn a_few_late_samples_set_nothing_apart() {
        assert_eq!(apart(&[around(1.0), around(1.0), vec![1.0, 1.0, 1.02, 9.0]]), []);
    }

    #[test]
    fn what_was_slow_for_half_the_time_does_not_lie_apart() {
        let steady = vec![1.0; 16];
        let beside = |slow: std::ops::Range<usize>| {
            let mut values = steady.clone();
            values[slow].fill(3.0);
            apart(&[steady.clone(), steady.clone(), steady.clone(), values])
        };
        assert_eq!(beside(1..16), [(3, 3.0)]);
        // Thirteen of sixteen values are slow, but only five of the first eight.
        assert_eq!(beside(3..16), []);
        assert_eq!(beside(8..16), []);
    }

    #[test]
    fn three_values_do_not_repeat_anything() {
        let of = |count: usize| apart(&[1.0, 1.0, 1.0, 4.0].map(|value| vec![value; count]));
        assert_eq!(of(3), []);
        assert_eq!(of(4), [(3, 4.0)]);
    }

    #[test]
    fn two_things_have_no_middle_to_lie_apart_from() {
        assert_eq!(apart(&[around(1.0), around(3.0)]), []);
        assert_eq!(apart(&[around(1.0), Vec::new(), around(3.0)]), []);
    }
}
