//! How often a level that wanders, because each value resembles the one before, looks like a step.
//!
//! Student's test of both means, with the variance that means of an autoregressive series of first order have (H. J. Thiébaux and
//! F. W. Zwiers, *The Interpretation and Estimation of Effective Sample Size*, Journal of Climate and Applied Meteorology 23, 1984; M. Robbins
//! et al., *Mean shift testing in correlated data*, Journal of Time Series Analysis 32, 2011). Few values cannot tell how much they resemble
//! each other: a correlation of a half is presumed until the series shows that it has less.

use crate::{quantile, student};

/// The correlation of neighbours that is presumed where a series does not exclude it.
const PRESUMED: f64 = 0.5;

/// Standard errors above the estimate that exclude a correlation: the one-sided 0.5 % point of the normal distribution.
const EXCLUDED: f64 = 2.576;

/// Largest correlation: a mean of values that resemble each other more has no variance worth the name.
const LARGEST: f64 = 0.95;

/// Robust deviations that a value counts for at most, so that one slow run hides no change.
const FAR: f64 = 3.0;

/// Standard deviations in a median absolute deviation of normal values.
const NORMAL: f64 = 1.4826;

/// How often wandering values of one level have a step as clear as that at `first`, of all places where it could be.
pub fn probability(values: &[f64], first: usize) -> f64 {
    let n = values.len() as f64;
    let Some((step, residuals)) = step(values, first) else { return 1.0 };
    let squares: f64 = residuals.iter().map(|r| r * r).sum();
    if squares == 0.0 {
        return if step == 0.0 { 1.0 } else { 0.0 };
    }
    let rho = correlation(&residuals, first, squares);
    let sides = [first as f64, n - first as f64];
    let inflated = sides.map(|side| inflation(side, rho));
    // Values about their own mean vary the less, the more they resemble each other.
    let variance = squares / (n - inflated[0] - inflated[1]).max(f64::MIN_POSITIVE);
    let of_step = variance * (inflated[0] / sides[0] + inflated[1] / sides[1]);
    let freedom = (n - 2.0) * (1.0 - rho * rho) / (1.0 + rho * rho);
    let beyond = student::probability(-step / of_step.sqrt(), (freedom as usize).max(1)).unwrap_or(1.0);
    // Neighbouring places share their values: √n of them count as independent.
    (2.0 * beyond * n.sqrt()).min(1.0)
}

/// The size of the step at `first` and what is left of both levels, with far values drawn in; of logarithms, because noise is relative.
fn step(values: &[f64], first: usize) -> Option<(f64, Vec<f64>)> {
    let is_positive = values.iter().all(|value| *value > 0.0);
    let scaled: Vec<f64> = values.iter().map(|value| if is_positive { value.ln() } else { *value }).collect();
    let (old, new) = scaled.split_at(first);
    let middles = [quantile::median(old)?, quantile::median(new)?];
    let middle = |i: usize| middles[usize::from(i >= first)];
    let mut residuals: Vec<f64> = scaled.iter().enumerate().map(|(i, value)| value - middle(i)).collect();
    let sizes: Vec<f64> = residuals.iter().map(|r| r.abs()).collect();
    let far = FAR * NORMAL * quantile::median(&sizes)?;
    if far > 0.0 {
        residuals.iter_mut().for_each(|r| *r = r.clamp(-far, far));
    }
    let mean = |side: &[f64]| side.iter().sum::<f64>() / side.len() as f64;
    let means = [mean(&residuals[..first]), mean(&residuals[first..])];
    residuals.iter_mut().enumerate().for_each(|(i, r)| *r -= means[usize::from(i >= first)]);
    Some(((middles[0] + means[0] - middles[1] - means[1]).abs(), residuals))
}

/// The correlation of neighbours to reckon with: the largest that the residuals do not exclude, up to the presumed one or the estimate.
fn correlation(residuals: &[f64], first: usize, squares: f64) -> f64 {
    let n = residuals.len() as f64;
    let products = |side: &[f64]| side.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>();
    let raw = (products(&residuals[..first]) + products(&residuals[first..])) / squares;
    // Each mean that is taken away costs about (1 + 3ρ) ÷ n of a series (F. H. C. Marriott and J. A. Pope, Biometrika 41, 1954).
    let estimate = raw + 2.0 * (1.0 + 3.0 * raw.max(0.0)) / n;
    let error = ((1.0 - estimate * estimate).max(0.1) / n).sqrt();
    (estimate + EXCLUDED * error).min(PRESUMED).max(estimate).clamp(0.0, LARGEST)
}

/// How many times the variance of a mean of `n` values is that of independent ones: 1 + 2 Σ (1 - j ÷ n) ρ^j.
fn inflation(n: f64, rho: f64) -> f64 {
    // The sum in closed form.
    1.0 + 2.0 * rho / (1.0 - rho) * (1.0 - (1.0 - rho.powf(n)) / (n * (1.0 - rho)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn the_variance_of_a_mean_is_the_sum_of_all_covariances() {
        for (n, rho) in [(2, 0.5), (7, 0.3), (50, 0.9), (9, 0.0)] {
            let covariance = |i: i32, j: i32| f64::powi(rho, (i - j).abs());
            let sum: f64 = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| covariance(i, j)).sum();
            let found = inflation(f64::from(n), rho);
            assert!((found - sum / f64::from(n)).abs() < 1e-9, "{n} {rho}: {found}");
        }
    }

    #[test]
    fn a_step_of_independent_values_stands_out_and_a_wandering_level_does_not() {
        let mut rng = Rng::new(5);
        let mut state = 0.0;
        let wandering: Vec<f64> = (0..40)
            .map(|_| {
                state = 0.8 * state + 0.006 * rng.normal();
                1.0 + state
            })
            .collect();
        assert!((2..39).all(|first| probability(&wandering, first) > 1e-3));
        let level = |i: usize| if i < 20 { 1.0 } else { 1.05 };
        let mut step: Vec<f64> = (0..40).map(|i| level(i) * (0.01 * rng.normal()).exp()).collect();
        assert!(probability(&step, 20) < 1e-6);
        step[3] = 7.0;
        assert!(probability(&step, 20) < 1e-4, "one far value hides no step");
    }

    #[test]
    fn equal_values_have_a_step_or_none() {
        assert_eq!(probability(&[1.0; 20], 10), 1.0);
        assert_eq!(probability(&[vec![1.0; 10], vec![2.0; 10]].concat(), 10), 0.0);
        assert!(probability(&[-1.0, -1.1, -1.0, -1.1, -5.0, -5.1, -5.0, -5.1], 4) < 1e-2);
    }
}
