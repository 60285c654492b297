//! The k-best rule: the best value counts when k values agree with it.
//!
//! R. E. Bryant and D. R. O'Hallaron, *Computer Systems: A Programmer's Perspective*, 1st edition, section 9.4.2 (k = 3, 1 %).
//! A good estimator and a poor certificate: with 4, 5 % and 16 samples it accepts almost anything, so look at `spread_k` too.

use crate::mean;
use crate::rank::sorted;

/// Whether the best value itself is one of the k.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Best {
    /// k values including the best agree.
    Counts,
    /// k values besides the best agree with it.
    Excluded,
}

/// The outcome of the k-best rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Agreement {
    /// k values agreed with the best, which is accepted.
    Valid,
    /// Fewer than k values agreed with the best.
    Unconverged,
}

/// The result of the k-best rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KBest {
    /// The smallest value, V₁.
    pub best: f64,
    /// Vₖ ÷ V₁ - 1, where Vₖ is the last value that must agree; `None` where there are too few values.
    pub spread_k: Option<f64>,
    /// The mean of the best and the values that must agree with it, or of all where there are too few.
    pub mean_of_k: f64,
    /// How many values lie within the tolerance of the best, the best included.
    pub agreeing: usize,
    /// Whether k values agreed.
    pub agreement: Agreement,
    /// Whether the best lies further than the tolerance below values that agree with each other: a lucky minimum.
    pub lone_minimum: bool,
}

/// Applies the rule to `values` (smaller is better): k of them within `within` (relative) of the best.
///
/// `None` where a value is negative or `k` is 0.
pub fn k_best(values: &[f64], k: usize, within: f64, best: Best) -> Option<KBest> {
    let sorted = sorted(values)?;
    if sorted[0] < 0.0 || k == 0 {
        return None;
    }
    let last = match best {
        Best::Counts => k,
        Best::Excluded => k + 1,
    };
    let limit = (1.0 + within) * sorted[0];
    let agreeing = sorted.partition_point(|v| *v <= limit);
    Some(KBest {
        best: sorted[0],
        spread_k: sorted.get(last - 1).map(|v| spread(sorted[0], *v)),
        mean_of_k: mean::arithmetic(&sorted[..last.min(sorted.len())])?,
        agreeing,
        agreement: if agreeing >= last { Agreement::Valid } else { Agreement::Unconverged },
        lone_minimum: agreeing == 1 && next_agree(&sorted[1..], last - 1, within),
    })
}

/// Whether the first `k` of these agree with each other, and are more than one.
fn next_agree(rest: &[f64], k: usize, within: f64) -> bool {
    k > 1 && rest.len() >= k && rest[k - 1] <= (1.0 + within) * rest[0]
}

fn spread(best: f64, other: f64) -> f64 {
    if best == other { 0.0 } else { other / best - 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minimum_is_lone_where_as_many_others_as_must_just_agree() {
        let is_lone = |values: &[f64], k| k_best(values, k, 0.5, Best::Excluded).unwrap().lone_minimum;
        assert!(is_lone(&[1.0, 2.0, 3.0], 2), "3 is at the limit of 2");
        assert!(!is_lone(&[1.0, 2.0, 3.1], 2) && !is_lone(&[1.0, 2.0], 2));
        assert!(!is_lone(&[1.0, 2.0], 1), "one value agrees with nobody");
    }

    fn check(values: &[f64], k: usize, within: f64, best: Best, expected: (f64, Agreement)) {
        let found = k_best(values, k, within, best).unwrap();
        assert_eq!((found.best, found.agreement), expected, "{values:?}");
    }

    #[test]
    fn the_fourth_value_must_lie_within_five_percent_of_the_best() {
        let mut values = vec![105.0, 100.0, 105.01, 104.0, 180.0];
        check(&values, 4, 0.05, Best::Counts, (100.0, Agreement::Unconverged));
        assert_eq!(k_best(&values, 4, 0.05, Best::Counts).unwrap().agreeing, 3);
        values.push(103.0);
        check(&values, 4, 0.05, Best::Counts, (100.0, Agreement::Valid));
        check(&values, 4, 0.05, Best::Excluded, (100.0, Agreement::Unconverged));
        values.push(101.0);
        check(&values, 4, 0.05, Best::Excluded, (100.0, Agreement::Valid));
    }

    #[test]
    fn the_spread_is_that_of_the_last_value_that_must_agree() {
        let found = k_best(&[8.0, 9.0, 10.0, 16.0], 3, 0.01, Best::Counts).unwrap();
        assert_eq!((found.spread_k, found.mean_of_k), (Some(0.25), 9.0));
        let found = k_best(&[8.0, 9.0, 10.0, 16.0], 3, 0.01, Best::Excluded).unwrap();
        assert_eq!((found.spread_k, found.mean_of_k), (Some(1.0), 10.75));
    }

    #[test]
    fn too_few_values_cannot_agree() {
        let found = k_best(&[3.0, 3.0], 4, 0.05, Best::Counts).unwrap();
        assert_eq!((found.spread_k, found.mean_of_k, found.agreement), (None, 3.0, Agreement::Unconverged));
        assert!(!found.lone_minimum);
    }

    #[test]
    fn a_best_far_below_values_that_agree_is_a_lucky_minimum() {
        let lone = |values: &[f64]| k_best(values, 4, 0.05, Best::Counts).unwrap().lone_minimum;
        assert!(lone(&[92.0, 100.0, 100.5, 101.0, 102.0]));
        assert!(!lone(&[99.0, 100.0, 100.5, 101.0]), "within the tolerance");
        assert!(!lone(&[92.0, 100.0, 120.0, 150.0]), "the others do not agree either");
    }

    #[test]
    fn odd_values_are_answered_or_refused() {
        check(&[0.0, 0.0, 0.0], 3, 0.05, Best::Counts, (0.0, Agreement::Valid));
        assert_eq!(k_best(&[0.0, 0.0], 2, 0.05, Best::Counts).unwrap().spread_k, Some(0.0));
        check(&[1.0, f64::INFINITY], 2, 0.05, Best::Counts, (1.0, Agreement::Unconverged));
        check(&[1.0], 1, 0.05, Best::Counts, (1.0, Agreement::Valid));
        for values in [&[][..], &[f64::NAN, 1.0], &[-1.0, 1.0]] {
            assert_eq!(k_best(values, 4, 0.05, Best::Counts), None);
        }
        assert_eq!(k_best(&[1.0], 0, 0.05, Best::Counts), None);
    }
}
