//! The clearest cut of a series, and how often chance alone makes one as clear.

use std::collections::HashMap;

use crate::mann_whitney::masses;
use crate::normal;
use crate::rank::midranks;

/// Fewest values on each side of a cut: one alone is a far value, not a level.
pub const SIDE_MIN: usize = 2;

/// Products of both sides up to which the distribution is counted; above, the normal one has the heavier tails.
const COUNTED_UP_TO: usize = 1600;

/// The clearest cut of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cut {
    /// Index of the first value behind it.
    pub first: usize,
    /// How often a series of one level has a cut as clear, at most.
    pub p: f64,
}

/// Distributions of U for the pairs of sides that were asked for: both tails up to each value of U.
#[derive(Debug, Default)]
pub struct Tails(HashMap<(usize, usize), Vec<f64>>);

impl Tails {
    /// The cut with the smallest probability; `None` where the series is too short or holds NaN.
    pub fn clearest(&mut self, values: &[f64]) -> Option<Cut> {
        let n = values.len();
        let ranks = midranks(values)?;
        let middle = (n + 1) as f64 / 2.0;
        // How far the sum of ranks before each cut lies from what one level lets expect.
        let sums = ranks.iter().scan(0.0, |sum, rank| {
            *sum += rank - middle;
            Some(f64::abs(*sum))
        });
        let cuts = sums.enumerate().map(|(i, far)| (i + 1, far));
        let inner = cuts.filter(|(k, _)| *k >= SIDE_MIN && n - k >= SIDE_MIN);
        let judged = inner.map(|(first, far)| (first, self.both_tails(first, n - first, far)));
        let (first, p) = judged.min_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(Cut { first, p: self.of_any(n, p) })
    }

    /// How often U of `k` and `m` values of one level lies as `far` from its middle. Ties narrow the distribution: leaving them out errs to
    /// the safe side.
    fn both_tails(&mut self, k: usize, m: usize, far: f64) -> f64 {
        if k * m > COUNTED_UP_TO {
            let deviation = (k as f64 * m as f64 * (k + m + 1) as f64 / 12.0).sqrt();
            return (2.0 * normal::probability(-far / deviation)).min(1.0);
        }
        let u = ((k * m) as f64 / 2.0 - far).ceil().max(0.0) as usize;
        self.counted(k, m).get(u).copied().unwrap_or(1.0)
    }

    /// How often any cut of `n` values of one level has a probability of `p` or less: the sum over all cuts (Boole), of the probabilities
    /// that each of them can have.
    fn of_any(&mut self, n: usize, p: f64) -> f64 {
        let attained = |k: usize, own: &mut Self| {
            if k * (n - k) > COUNTED_UP_TO {
                return p;
            }
            let tails = own.counted(k, n - k);
            tails.partition_point(|tail| *tail <= p).checked_sub(1).map_or(0.0, |last| tails[last])
        };
        (SIDE_MIN..=n.saturating_sub(SIDE_MIN)).map(|k| attained(k, self)).sum::<f64>().min(1.0)
    }

    fn counted(&mut self, k: usize, m: usize) -> &[f64] {
        let sides = (k.min(m), k.max(m));
        self.0.entry(sides).or_insert_with(|| {
            let mut total = 0.0;
            let add = |mass: f64| {
                total += 2.0 * mass;
                total
            };
            masses(sides.0, sides.1, k * m / 2).into_iter().map(add).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn the_bound_holds_for_shuffled_series_and_is_not_far_off() {
        let mut rng = Rng::new(4);
        let mut tails = Tails::default();
        for n in [12, 30, 70] {
            let mut values: Vec<f64> = (0..n).map(f64::from).collect();
            let series = 4000;
            let alarms = (0..series)
                .filter(|_| {
                    (1..values.len()).for_each(|i| values.swap(i, rng.below(i + 1)));
                    tails.clearest(&values).expect("long enough").p <= 0.05
                })
                .count();
            let share = alarms as f64 / f64::from(series);
            assert!((0.004..=0.055).contains(&share), "{n}: {share}");
        }
    }

    #[test]
    fn the_clearest_cut_lies_between_the_levels() {
        let mut tails = Tails::default();
        let cut = tails.clearest(&[1.3, 1.0, 1.2, 1.1, 5.2, 5.1, 5.0]).unwrap();
        // All of four lie below all of three, one order of 35, and no cut but its mirror image is as clear.
        assert_eq!(cut.first, 4);
        assert!((cut.p - 2.0 * 2.0 / 35.0).abs() < 1e-12, "{}", cut.p);
        assert_eq!(tails.clearest(&[1.0, 2.0, 3.0]), None);
    }
}
