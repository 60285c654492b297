//! Drift: do values grow or shrink with the order they were taken in?

use crate::rank::midranks;

/// Two-sided 1 % point of the normal distribution: clean series are flagged once in a hundred.
const FLAG: f64 = 2.576;

/// How values follow the order they were taken in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    /// Spearman's rank correlation of value and order: +1 always growing, -1 always shrinking.
    pub correlation: f64,
    /// The correlation × √(n - 1): standard normal where there is no drift.
    pub z: f64,
    /// Whether |z| passes the two-sided 1 % point.
    pub flagged: bool,
}

/// Tests the values, in the order they were taken, for drift; `None` for fewer than three.
pub fn drift(values: &[f64]) -> Option<Drift> {
    if values.len() < 3 {
        return None;
    }
    let order: Vec<f64> = (1..=values.len()).map(|i| i as f64).collect();
    let correlation = correlation(&order, &midranks(values)?);
    let z = correlation * ((values.len() - 1) as f64).sqrt();
    Some(Drift { correlation, z, flagged: z.abs() > FLAG })
}

/// The correlation of two lists of ranks; 0 where one side is all equal.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let middle = (a.len() + 1) as f64 / 2.0;
    let product = |x: &[f64], y: &[f64]| -> f64 { x.iter().zip(y).map(|(x, y)| (x - middle) * (y - middle)).sum() };
    let scale = (product(a, a) * product(b, b)).sqrt();
    if scale == 0.0 { 0.0 } else { product(a, b) / scale }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlations_agree_with_scipy() {
        let spearman = |a: &[f64], b: &[f64]| correlation(&midranks(a).unwrap(), &midranks(b).unwrap());
        // scipy.stats.spearmanr([1, 2, 3, 4, 5], [5, 6, 7, 8, 7]).statistic, which has a tie.
        let found = spearman(&[1.0, 2.0, 3.0, 4.0, 5.0], &[5.0, 6.0, 7.0, 8.0, 7.0]);
        assert!((found - 0.820_782_681_668_123_3).abs() < 1e-14, "{found}");
        // IQ and hours of television, the example of Wikipedia's page: -29/165.
        let iq = [106.0, 100.0, 86.0, 101.0, 99.0, 103.0, 97.0, 113.0, 112.0, 110.0];
        let hours = [7.0, 27.0, 2.0, 50.0, 28.0, 29.0, 20.0, 12.0, 6.0, 17.0];
        assert!((spearman(&iq, &hours) + 29.0 / 165.0).abs() < 1e-14);
    }

    #[test]
    fn growing_values_drift_up_and_shrinking_ones_down() {
        let growing: Vec<f64> = (0..16).map(|i| 1.0 + f64::from(i) * 0.001).collect();
        let shrinking: Vec<f64> = growing.iter().rev().copied().collect();
        let (up, down) = (drift(&growing).unwrap(), drift(&shrinking).unwrap());
        assert!(up.flagged && down.flagged);
        assert_eq!((up.correlation, down.correlation), (1.0, -1.0));
        assert_eq!(up.z, 15.0f64.sqrt());
    }

    #[test]
    fn equal_values_do_not_drift() {
        assert_eq!(drift(&[2.0; 20]), Some(Drift { correlation: 0.0, z: 0.0, flagged: false }));
    }

    #[test]
    fn too_few_and_nan_are_refused() {
        assert_eq!(drift(&[]), None);
        assert_eq!(drift(&[1.0, 2.0]), None);
        assert_eq!(drift(&[1.0, f64::NAN, 2.0]), None);
    }
}
