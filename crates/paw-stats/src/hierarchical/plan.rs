//! Plans invocations, and samples in each, that make an interval narrow enough within a budget.

use std::f64::consts::FRAC_PI_2;
use std::ops::RangeInclusive;

use super::{INVOCATIONS_MIN, Variances};
use crate::student;

/// Costs of measuring, the budget in the same unit, and the precision wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Effort {
    /// The cost of an invocation before its first sample: start and warm-up.
    pub start: f64,
    /// The cost of a sample.
    pub sample: f64,
    /// What all invocations together may cost.
    pub budget: f64,
    /// The half width wanted, on the scale of the variances: relative for those of logarithms.
    pub half_width: f64,
    /// The confidence of the interval.
    pub confidence: f64,
    /// The samples an invocation may have.
    pub samples: RangeInclusive<usize>,
    /// The most invocations.
    pub invocations_max: usize,
}

/// A plan of invocations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// Invocations: at least three, or one where the budget does not hold three.
    pub invocations: usize,
    /// Samples of each.
    pub samples: usize,
    /// The half width to expect; `None` for one invocation, which has no interval over invocations.
    pub half_width: Option<f64>,
}

/// The cheapest plan that reaches the half width, or else the one that comes closest to it within the budget.
///
/// Samples of an invocation are √(start ÷ sample · variance of a median's sample ÷ variance between), formula 3 of Kalibera and
/// Jones, within the limits; invocations follow from the half width.
pub fn plan(variances: Variances, effort: &Effort) -> Plan {
    let (fewest, most) = (*effort.samples.start(), *effort.samples.end());
    let fits = |share: f64| ((share - effort.start) / effort.sample).max(0.0) as usize;
    let affordable = fits(effort.budget / INVOCATIONS_MIN as f64);
    if affordable < fewest || effort.invocations_max < INVOCATIONS_MIN {
        return Plan { invocations: 1, samples: fits(effort.budget).clamp(fewest, most), half_width: None };
    }
    let ideal = (effort.start / effort.sample * FRAC_PI_2 * variances.within / variances.between).sqrt();
    // Without variance the quotient is NaN, which max reads as the fewest; without variance between, infinite.
    let samples = (ideal.ceil().max(fewest as f64) as usize).min(most).min(affordable);
    let cost = effort.start + samples as f64 * effort.sample;
    let last = ((effort.budget / cost) as usize).clamp(INVOCATIONS_MIN, effort.invocations_max);
    let expected = |k| half_width(variances, k, samples, effort.confidence);
    let enough = |k: &usize| expected(*k).is_some_and(|half| half <= effort.half_width);
    let invocations = (INVOCATIONS_MIN..=last).find(enough).unwrap_or(last);
    Plan { invocations, samples, half_width: expected(invocations) }
}

/// The half width to expect of `invocations` with `samples` each: Student's t over their medians up to five, and from six on that
/// of a median, which needs √(π/2) times as much. `None` for fewer than three.
pub fn half_width(variances: Variances, invocations: usize, samples: usize, confidence: f64) -> Option<f64> {
    if invocations < INVOCATIONS_MIN {
        return None;
    }
    let k = invocations as f64;
    let reach = student::quantile(f64::midpoint(1.0, confidence), invocations - 1)?;
    let ordered = if crate::interval::ranks(invocations, 0.5, confidence).is_some() { FRAC_PI_2.sqrt() } else { 1.0 };
    let variance = variances.between + median_variance(variances.within, samples as f64);
    Some(reach * ordered * (variance / k).sqrt())
}

/// The variance of the median of `n` normal values: that of one value for up to two of them, π/2 times that of the mean for many.
pub(super) fn median_variance(within: f64, n: f64) -> f64 {
    let factor = if n <= 2.0 { 1.0 } else { FRAC_PI_2 - (FRAC_PI_2 - 1.0) * 2.0 / n };
    within * factor / n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variance_of_a_median_falls_from_that_of_two_values_to_that_of_many() {
        assert_eq!(median_variance(3.0, 1.0), 3.0);
        assert_eq!(median_variance(3.0, 2.0), 1.5);
        assert!((median_variance(3.0, 2.0 + 1e-9) - 1.5).abs() < 1e-6);
        assert!((median_variance(3.0, 1e6) * 1e6 / 3.0 - FRAC_PI_2).abs() < 1e-5);
    }

    fn effort() -> Effort {
        Effort {
            start: 1.0,
            sample: 0.01,
            budget: 100.0,
            half_width: 0.02,
            confidence: 0.95,
            samples: 6..=64,
            invocations_max: 20,
        }
    }

    fn planned(within: f64, between: f64, effort: &Effort) -> (usize, usize) {
        let found = plan(Variances { within: within * within, between: between * between }, effort);
        (found.invocations, found.samples)
    }

    #[test]
    fn samples_follow_the_costs_and_both_variances() {
        // √(100 · π/2 · (0.02/0.02)²) = 12.5; with half the noise half as many.
        assert_eq!(planned(0.02, 0.02, &effort()).1, 13);
        assert_eq!(planned(0.01, 0.02, &effort()).1, 7);
        assert_eq!(planned(0.001, 0.02, &effort()).1, 6);
        assert_eq!(planned(0.02, 0.0, &effort()).1, 64);
        assert_eq!(planned(0.0, 0.0, &effort()), (3, 6));
    }

    #[test]
    fn invocations_follow_the_half_width() {
        assert_eq!(planned(0.005, 0.005, &effort()).0, 3);
        assert_eq!(planned(0.005, 0.01, &effort()).0, 4);
        // Half widths of 8, 9, 10 invocations: 2.2, 2.03 and 1.9 %.
        assert_eq!(planned(0.02, 0.02, &effort()).0, 10);
        assert_eq!(planned(0.02, 0.5, &effort()).0, 20);
    }

    #[test]
    fn the_budget_bounds_invocations_then_samples_then_leaves_one() {
        let within = |budget| planned(0.02, 0.02, &Effort { budget, ..effort() });
        assert_eq!(within(5.7), (5, 13));
        assert_eq!(within(3.3), (3, 9));
        assert_eq!(within(3.0), (1, 64));
        assert_eq!(within(1.2), (1, 19));
        assert_eq!(within(0.0), (1, 6), "a measurement has its fewest samples");
        assert_eq!(plan(Variances { within: 1.0, between: 1.0 }, &Effort { budget: 1.2, ..effort() }).half_width, None);
    }

    #[test]
    fn the_expected_half_width_is_that_of_simulated_medians() {
        let mut rng = crate::rng::Rng::new(4);
        for (k, n) in [(3, 5), (5, 9), (6, 3), (10, 16)] {
            let mut widths = vec![];
            for _ in 0..1500 {
                let group = |rng: &mut crate::rng::Rng| {
                    let center = 0.01 * rng.normal();
                    (0..n).map(|_| 10.0 + center + 0.02 * rng.normal()).collect::<Vec<f64>>()
                };
                let groups: Vec<Vec<f64>> = (0..k).map(|_| group(&mut rng)).collect();
                let slices: Vec<&[f64]> = groups.iter().map(Vec::as_slice).collect();
                let found = crate::hierarchical::location(&slices, 0.95).unwrap().interval.unwrap();
                widths.push((found.high - found.low) / 2.0);
            }
            let expected = half_width(Variances { within: 4e-4, between: 1e-4 }, k, n, 0.95).unwrap();
            let found = crate::mean::arithmetic(&widths).unwrap();
            assert!((0.75..1.15).contains(&(found / expected)), "{k} x {n}: {found} against {expected}");
        }
    }
}
