//! Bounds for the next value of a population, from values seen before.
//!
//! G. J. Hahn and W. Q. Meeker, *Statistical Intervals*, Wiley 1991: without a distribution chapter 5.4, of a normal one chapter 4.7.

use crate::rank::sorted;
use crate::student;

/// The fewest values whose smallest is a bound that the next value lies below with probability `p` at most: 19 for 5 %.
pub fn fewest(p: f64) -> usize {
    // The next value is as likely to have any of the n + 1 ranks.
    if p > 0.0 { (1.0 / p - 1.0 - 1e-9).ceil().max(1.0) as usize } else { usize::MAX }
}

/// The largest of the values that the next one lies below with probability `p` at most, whatever their distribution.
/// `None` where there are fewer values than [`fewest`].
pub fn below(values: &[f64], p: f64) -> Option<f64> {
    let rank = (p * (values.len() + 1) as f64 + 1e-9).floor() as usize;
    let sorted = sorted(values)?;
    (rank > 0).then(|| sorted.get(rank - 1).copied())?
}

/// The smallest of the values that the next one lies above with probability `p` at most.
pub fn above(values: &[f64], p: f64) -> Option<f64> {
    let mirrored: Vec<f64> = values.iter().map(|value| -value).collect();
    below(&mirrored, p).map(|bound| -bound)
}

/// How many sample deviations from the mean of `n` values the bound lies that the next value of a normal population is beyond with
/// probability `p`, on one side. `None` for fewer than two values.
pub fn reach(n: usize, p: f64) -> Option<f64> {
    let t = student::quantile(1.0 - p, n.checked_sub(1)?)?;
    Some(t * (1.0 + 1.0 / n as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::{mean, sigma};

    #[test]
    fn nineteen_values_have_a_bound_at_five_percent() {
        assert_eq!([0.05, 0.1, 0.01, 0.5, 0.2].map(fewest), [19, 9, 99, 1, 4]);
        let values: Vec<f64> = (1..=19).map(f64::from).collect();
        assert_eq!((below(&values, 0.05), above(&values, 0.05)), (Some(1.0), Some(19.0)));
        assert_eq!(below(&values[1..], 0.05), None);
        assert_eq!(below(&values, 0.1), Some(2.0));
        assert_eq!(below(&[f64::NAN; 30], 0.1), None);
    }

    #[test]
    fn the_next_value_is_beyond_as_often_as_promised() {
        let mut rng = Rng::new(7);
        let (mut by_rank, mut by_reach) = (0, 0);
        for _ in 0..20_000 {
            let values: Vec<f64> = (0..19).map(|_| rng.normal()).collect();
            by_rank += u32::from(rng.normal() < below(&values, 0.05).unwrap());
            let few = &values[..4];
            let bound = mean::arithmetic(few).unwrap() - reach(4, 0.05).unwrap() * sigma::sample(few).unwrap();
            by_reach += u32::from(rng.normal() < bound);
        }
        assert!((900..1100).contains(&by_rank) && (900..1100).contains(&by_reach), "{by_rank} {by_reach} of 1000");
    }

    #[test]
    fn one_value_has_no_deviation() {
        assert_eq!((reach(0, 0.05), reach(1, 0.05)), (None, None));
        // Student's t at three degrees of freedom, times the root of 1.25.
        assert!((reach(4, 0.05).unwrap() - 2.353_363 * 1.25f64.sqrt()).abs() < 1e-5);
    }
}
