//! Modes: one cluster of values, or two?

use crate::quantile;
use crate::rank::sorted;

/// Ashman's D above which two clusters count as two; one normal cluster cut in the middle has 2.6.
const SEPARATION: f64 = 5.0;

/// Relative distance of the two means below which modes are not reported.
const DISTANCE: f64 = 0.03;

/// Fewest values of a cluster.
const FEWEST: usize = 3;

/// One cluster of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mode {
    /// The median of its values.
    pub center: f64,
    /// How many values it has.
    pub count: usize,
}

/// The best split of values into a lower and an upper cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Modes {
    /// The cluster of small values.
    pub low: Mode,
    /// The cluster of large values.
    pub high: Mode,
    /// Ashman's D of the logarithms: √2 × the distance of the means ÷ √(s₁² + s₂²); huge or infinite where both are points.
    pub separation: f64,
    /// The ratio of the clusters' geometric means.
    pub ratio: f64,
}

/// Both modes of values that have two: D above 5 and means more than 3 % apart. `None` where they have one.
pub fn bimodal(values: &[f64]) -> Option<Modes> {
    let (low, high) = values.iter().fold((f64::INFINITY, 0.0f64), |(low, high), v| (low.min(*v), high.max(*v)));
    // Means lie no further apart than the ends; NaN, which `min` and `max` pass over, has no split.
    if high <= low * (1.0 + DISTANCE) {
        return None;
    }
    split(values).filter(|modes| modes.separation > SEPARATION && modes.ratio > 1.0 + DISTANCE)
}

/// The split of the sorted logarithms with the least sum of squares within the parts, each part at least three values and
/// a tenth of all. `None` for fewer than six values, where one is zero, negative or infinite, or where their ratios
/// overflow.
///
/// D: K. M. Ashman, C. M. Bird and S. E. Zepf, *Detecting Bimodality in Astronomical Datasets*, Astronomical Journal 108 (1994).
pub fn split(values: &[f64]) -> Option<Modes> {
    let sorted = sorted(values)?;
    let n = sorted.len();
    let fewest = FEWEST.max(n.div_ceil(10));
    if n < 2 * fewest || sorted[0] <= 0.0 || !(sorted[n - 1] / sorted[0]).is_finite() {
        return None;
    }
    // Relative to the smallest: logarithms near zero keep their digits.
    let logs: Vec<f64> = sorted.iter().map(|v| (v / sorted[0]).ln()).collect();
    let sums = Sums::of(&logs);
    let within = |cut: usize| sums.squares(0, cut) + sums.squares(cut, n);
    let cut = (fewest..=n - fewest).min_by(|&a, &b| within(a).total_cmp(&within(b)))?;
    let distance = sums.mean(cut, n) - sums.mean(0, cut);
    let spread = (variance(&logs[..cut]) + variance(&logs[cut..])).sqrt();
    let separation = if distance == 0.0 { 0.0 } else { 2f64.sqrt() * distance / spread };
    let mode = |part: &[f64]| Some(Mode { center: quantile::at(part, 0.5)?, count: part.len() });
    Some(Modes { low: mode(&sorted[..cut])?, high: mode(&sorted[cut..])?, separation, ratio: distance.exp() })
}

/// Prefix sums, so that all cuts cost as much as one.
struct Sums(Vec<(f64, f64)>);

impl Sums {
    fn of(values: &[f64]) -> Self {
        let mut sums = vec![(0.0, 0.0)];
        for v in values {
            let (sum, squares) = sums[sums.len() - 1];
            sums.push((sum + v, squares + v * v));
        }
        Self(sums)
    }

    fn mean(&self, from: usize, to: usize) -> f64 {
        (self.0[to].0 - self.0[from].0) / (to - from) as f64
    }

    /// Squared distances from the part's own mean, summed.
    fn squares(&self, from: usize, to: usize) -> f64 {
        let mean = self.mean(from, to);
        self.0[to].1 - self.0[from].1 - (to - from) as f64 * mean * mean
    }
}

fn variance(values: &[f64]) -> f64 {
    crate::sigma::sample(values).map_or(0.0, |s| s * s)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn both_modes_come_with_their_counts() {
        // 0.75 ms × 25 and 4.8 ms × 6, a percent of noise on each.
        let mut rng = Rng::new(3);
        let values: Vec<f64> =
            (0..31).map(|i| if i % 5 == 1 { 4.8e-3 } else { 0.75e-3 } * (1.0 + 0.01 * rng.normal())).collect();
        let found = bimodal(&values).unwrap();
        assert_eq!((found.low.count, found.high.count), (25, 6));
        assert!((found.low.center / 0.75e-3 - 1.0).abs() < 0.01 && (found.high.center / 4.8e-3 - 1.0).abs() < 0.01);
    }

    #[test]
    fn one_cluster_has_one_mode() {
        let flagged = (0..500).filter(|&seed| {
            let mut rng = Rng::new(seed);
            let values: Vec<f64> = (0..31).map(|_| (0.05 * rng.normal()).exp()).collect();
            bimodal(&values).is_some()
        });
        assert!(flagged.count() <= 10, "more than 2 % of single clusters were split");
    }

    #[test]
    fn two_clusters_a_percent_apart_are_left_alone() {
        let mut values = vec![100.0; 16];
        values.extend([101.0; 16]);
        assert_eq!(bimodal(&values), None);
        let split = split(&values).unwrap();
        assert_eq!((split.low.count, split.high.count), (16, 16));
        assert!(split.separation > 1e9 && (split.ratio - 1.01).abs() < 1e-12);
    }

    #[test]
    fn two_stray_values_are_no_mode() {
        let mut values: Vec<f64> = (0..29).map(|i| 100.0 + f64::from(i % 7) * 0.1).collect();
        values.extend([400.0, 410.0]);
        assert_eq!(bimodal(&values), None);
    }

    #[test]
    fn odd_values_are_answered_or_refused() {
        assert_eq!(bimodal(&[5.0; 12]), None);
        for values in [
            &[][..],
            &[1.0; 5],
            &[0.0; 8],
            &[-1.0; 8],
            &[f64::NAN; 8],
            &[f64::INFINITY; 8],
            &[1e-300, 1e-300, 1e-300, 1e300, 1e300, 1e300],
        ] {
            assert_eq!(split(values), None);
        }
    }
}
