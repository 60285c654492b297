//! Change points: where a series moves to another level and stays there.
//!
//! The statistic is the clearest Mann-Whitney test over all places where the series can be cut (A. N. Pettitt, Applied Statistics 28, 1979;
//! D. M. Hawkins and Q. Deng, *A Nonparametric Change-Point Control Chart*, Journal of Quality Technology 42, 2010): ranks alone count, so
//! that its level needs no distribution, and one far value is no change. Its probability is bounded by the sum of the exact tails of all
//! cuts, which needs no simulation. Ranks take values for independent: a step has to be clear for values that resemble those before them,
//! too. Several changes are found by binary segmentation over seeded intervals (S. Kovács et al., *Seeded Binary Segmentation*,
//! Biometrika 110, 2023), because a spell that ends hides in the whole series.

mod place;
mod scan;
mod seeded;
mod wandering;

use crate::interval::Bounds;
use crate::rng::Rng;
use crate::{comparison, rank};

use place::place;
use scan::{Cut, Tails};

/// Resamples for the interval of a place: the 2.5 % ends rest on ten of them.
const RESAMPLES: usize = 400;

/// Confidence of the interval of a place and of the size of a change.
const CONFIDENCE: f64 = 0.95;

/// Longest series that is looked at to find the fewest values; levels of rates that anybody asks for need far fewer.
const FEWEST_AT_MOST: usize = 1000;

/// Most rounds of moving change points between their neighbours; a second one seldom moves anything.
const ROUNDS: usize = 4;

/// A place from which on a series has another level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// Index of the first value of the new level.
    pub first: usize,
    /// The smallest and the largest index that it may be, with 95 % confidence: by a bootstrap within both levels.
    pub between: (usize, usize),
    /// How often a series of one level has a change as clear as this, at most.
    pub p: f64,
    /// The new level ÷ the old one; `None` where values are not positive.
    pub ratio: Option<f64>,
    /// The 95 % interval of the ratio; `None` for fewer than three values a side.
    pub interval: Option<Bounds>,
}

/// A search for change points in any number of series.
#[derive(Debug)]
pub struct Search {
    /// The largest share of series of one level that show a change.
    alarms: f64,
    /// Distributions that were counted so far.
    tails: Tails,
}

impl Search {
    /// A search that finds any change in a share `alarms` at most of series that have one level and whose neighbours correlate by a half at
    /// most.
    pub fn new(alarms: f64) -> Self {
        Self { alarms, tails: Tails::default() }
    }

    /// The places where `values` change their level, in order. `None` where there is no value or one is NaN.
    pub fn change_points(&mut self, values: &[f64]) -> Option<Vec<ChangePoint>> {
        rank::sorted(values)?;
        let mut cuts = Vec::new();
        self.segment(values, 0, &mut cuts);
        cuts.sort_unstable();
        self.settle(values, &mut cuts);
        let found = (0..cuts.len()).map(|i| {
            let (from, to) = neighbours(&cuts, i, values.len());
            self.described(&values[from..to], from, cuts[i])
        });
        Some(found.collect())
    }

    /// The fewest values of a series in which a change can be found, where it lies in the middle and both levels are clear.
    pub fn fewest(&mut self) -> usize {
        let clear = |n: usize| -> Vec<f64> {
            let shuffled = |i: usize| if 2 * i < n { i * 7 % n } else { n + i * 7 % n };
            (0..n).map(|i| shuffled(i) as f64).collect()
        };
        let mut lengths = 2 * scan::SIDE_MIN..=FEWEST_AT_MOST;
        lengths
            .find(|n| self.tails.clearest(&clear(*n)).is_some_and(|cut| cut.p <= self.alarms))
            .unwrap_or(FEWEST_AT_MOST)
    }

    /// The clearest cut of `values`, where chance makes one as clear less often than allowed, `price` times that.
    fn cut(&mut self, values: &[f64], price: f64) -> Option<Cut> {
        let cut = self.tails.clearest(values)?;
        if price * cut.p > self.alarms {
            return None;
        }
        // Ranks hold whatever the distribution is, and presume that values do not depend on each other; the other test is the reverse.
        let p = price * cut.p.max(wandering::probability(values, place(values, cut.first)));
        (p <= self.alarms).then_some(Cut { p, ..cut })
    }

    /// Adds the clearest cut of `values`, which begin at `offset`, and those of both its parts.
    fn segment(&mut self, values: &[f64], offset: usize, cuts: &mut Vec<usize>) {
        // Half of the share for the whole series, the other half for all its parts.
        let parts = seeded::intervals(values.len());
        let price = if parts.is_empty() { 1.0 } else { 2.0 };
        let each = 2.0 * parts.len() as f64;
        let priced =
            std::iter::once((0, values.len(), price)).chain(parts.into_iter().map(|(from, to)| (from, to, each)));
        let found = priced.filter_map(|(from, to, price)| Some((from, self.cut(&values[from..to], price)?)));
        if let Some((from, cut)) = found.min_by(|(_, a), (_, b)| a.p.total_cmp(&b.p)) {
            let first = from + cut.first;
            cuts.push(offset + first);
            self.segment(&values[..first], offset, cuts);
            self.segment(&values[first..], offset + first, cuts);
        }
    }

    /// Moves each cut to its best place between its neighbours, and removes those that are none there.
    fn settle(&mut self, values: &[f64], cuts: &mut Vec<usize>) {
        for _ in 0..ROUNDS {
            let before = cuts.clone();
            let mut i = 0;
            while i < cuts.len() {
                let (from, to) = neighbours(cuts, i, values.len());
                match self.cut(&values[from..to], 1.0) {
                    Some(cut) => {
                        cuts[i] = from + place(&values[from..to], cut.first);
                        i += 1;
                    }
                    None => {
                        cuts.remove(i);
                    }
                }
            }
            if *cuts == before {
                return;
            }
        }
    }

    /// The change at `first`, of two levels that begin at `from`.
    fn described(&mut self, levels: &[f64], from: usize, first: usize) -> ChangePoint {
        let (old, new) = levels.split_at(first - from);
        let p = self.cut(levels, 1.0).map_or(1.0, |cut| cut.p);
        let size = comparison::between_runs(old, new, CONFIDENCE);
        let (low, high) = interval_of_place(old, new);
        ChangePoint {
            first,
            between: (from + low, from + high),
            p,
            ratio: size.map(|(ratio, _)| ratio),
            interval: size.and_then(|(_, interval)| interval),
        }
    }
}

/// Where the levels on both sides of a cut begin and end.
fn neighbours(cuts: &[usize], i: usize, len: usize) -> (usize, usize) {
    (if i == 0 { 0 } else { cuts[i - 1] }, cuts.get(i + 1).copied().unwrap_or(len))
}

/// The interval of the cut between `old` and `new`: where it is found in series resampled within both.
fn interval_of_place(old: &[f64], new: &[f64]) -> (usize, usize) {
    let mut rng = Rng::new((old.len() * 1_000_003 + new.len()) as u64);
    let mut places: Vec<usize> = (0..RESAMPLES)
        .map(|_| {
            let again =
                |side: &[f64], rng: &mut Rng| (0..side.len()).map(|_| side[rng.below(side.len())]).collect::<Vec<_>>();
            let series = [again(old, &mut rng), again(new, &mut rng)].concat();
            place(&series, old.len())
        })
        .collect();
    places.sort_unstable();
    let tail = ((1.0 - CONFIDENCE) / 2.0 * places.len() as f64) as usize;
    let found = old.len();
    match (places.get(tail), places.iter().rev().nth(tail)) {
        (Some(low), Some(high)) => (found.min(*low), found.max(*high)),
        _ => (found, found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thousandth: the rate of false alarms that histories use.
    const ALARMS: f64 = 1e-3;

    fn noise(n: usize, seed: u64) -> Vec<f64> {
        let mut rng = Rng::new(seed);
        (0..n).map(|_| (0.01 * rng.normal()).exp()).collect()
    }

    fn firsts(values: &[f64]) -> Vec<usize> {
        Search::new(ALARMS).change_points(values).expect("numbers").iter().map(|found| found.first).collect()
    }

    #[test]
    fn a_step_is_found_with_its_size_and_place() {
        let mut values = noise(40, 1);
        values[25..].iter_mut().for_each(|value| *value *= 1.1);
        let [found] = Search::new(ALARMS).change_points(&values).unwrap()[..] else { panic!("one change") };
        assert_eq!(found.first, 25);
        assert!(found.between.0 <= 25 && found.between.1 >= 25 && found.between.1 - found.between.0 <= 2, "{found:?}");
        assert!(found.interval.is_some_and(|i| i.low < 1.1 && i.high > 1.1 && i.low > 1.08), "{found:?}");
    }

    #[test]
    fn a_spell_that_ends_has_two_changes() {
        let mut values = noise(36, 2);
        values[12..24].iter_mut().for_each(|value| *value *= 1.1);
        assert_eq!(firsts(&values), [12, 24]);
    }

    #[test]
    fn far_values_and_equal_ones_are_no_change() {
        let mut values = noise(60, 3);
        for at in [7, 30, 59] {
            values[at] = 50.0;
        }
        assert!(firsts(&values).is_empty());
        assert!(firsts(&[1.0; 50]).is_empty());
        assert!(firsts(&[1.0]).is_empty());
    }

    #[test]
    fn what_is_no_number_is_refused() {
        assert_eq!(Search::new(ALARMS).change_points(&[]), None);
        assert_eq!(Search::new(ALARMS).change_points(&[1.0, f64::NAN]), None);
    }

    #[test]
    fn the_fewest_values_are_those_of_the_exact_test() {
        // Both levels of seven: 2 / C(14, 7) = 0.00058, and of seven and six 4 / C(13, 6) = 0.0023.
        assert_eq!(Search::new(ALARMS).fewest(), 14);
        let clear = |n: usize| {
            (0..n).map(|i| (i * 5 % 7) as f64 * 1e-3 + if 2 * i < n { 1.0 } else { 2.0 }).collect::<Vec<_>>()
        };
        assert_eq!(firsts(&clear(14)), [7]);
        assert!(firsts(&clear(13)).is_empty());
        assert!(Search::new(1e-5).fewest() > Search::new(1e-4).fewest());
    }
}
