//! Autocorrelation: does a value predict the next one?
//!
//! Neighbours that resemble each other make every interval of one series too narrow.

use crate::rank::midranks;

/// One-sided 1 % point of the normal distribution: independent series are flagged once in a hundred.
const FLAG: f64 = 2.326;

/// How values resemble their neighbours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Autocorrelation {
    /// The rank version of von Neumann's ratio: 2 where values are independent, towards 0 where neighbours resemble each other.
    pub ratio: f64,
    /// (2 - ratio) ÷ its standard deviation: standard normal where values are independent.
    pub z: f64,
    /// Whether z passes the one-sided 1 % point.
    pub flagged: bool,
    /// The correlation of the ranks of neighbours.
    pub lag_one: f64,
    /// How many independent values these are worth: n (1 - ρ) ÷ (1 + ρ) for a positive ρ of neighbours, else n.
    pub effective_n: f64,
}

/// Tests the values, in the order they were taken, for autocorrelation; `None` for fewer than four.
///
/// R. Bartels, *The Rank Version of von Neumann's Ratio Test for Randomness*, JASA 77 (1982).
/// On ranks, because one wild value would hide the correlation of all others.
pub fn autocorrelation(values: &[f64]) -> Option<Autocorrelation> {
    if values.len() < 4 {
        return None;
    }
    let ranks = midranks(values)?;
    let n = ranks.len() as f64;
    let middle = (n + 1.0) / 2.0;
    let squares: f64 = ranks.iter().map(|r| (r - middle).powi(2)).sum();
    if squares == 0.0 {
        // Equal values predict nothing about each other.
        return Some(Autocorrelation { ratio: 2.0, z: 0.0, flagged: false, lag_one: 0.0, effective_n: n });
    }
    let steps: f64 = ranks.windows(2).map(|w| (w[1] - w[0]).powi(2)).sum();
    let products: f64 = ranks.windows(2).map(|w| (w[0] - middle) * (w[1] - middle)).sum();
    let ratio = steps / squares;
    let z = (2.0 - ratio) / deviation(n);
    let lag_one = products / squares;
    Some(Autocorrelation { ratio, z, flagged: z > FLAG, lag_one, effective_n: effective(n, lag_one) })
}

/// The ratio's standard deviation where `n` values are independent.
fn deviation(n: f64) -> f64 {
    (4.0 * (n - 2.0) * (5.0 * n * n - 2.0 * n - 9.0) / (5.0 * n * (n + 1.0) * (n - 1.0).powi(2))).sqrt()
}

fn effective(n: f64, rho: f64) -> f64 {
    if rho > 0.0 { (n * (1.0 - rho) / (1.0 + rho)).max(1.0) } else { n }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_of_a_permutation_counts_the_steps_of_its_ranks() {
        // Ranks 2 1 4 3 5: steps 1 + 9 + 1 + 4 = 15 over squares 10.
        let found = autocorrelation(&[20.0, 10.0, 40.0, 30.0, 50.0]).unwrap();
        assert_eq!(found.ratio, 1.5);
        // sqrt(4 * 3 * (125 - 10 - 9) / (5 * 5 * 6 * 16)) = sqrt(0.53)
        assert!((found.z - 0.5 / 0.53f64.sqrt()).abs() < 1e-14);
        // Products: (-1)(-2) + (-2)(1) + (1)(0) + (0)(2) = 0.
        assert_eq!((found.lag_one, found.effective_n), (0.0, 5.0));
    }

    #[test]
    fn a_step_in_the_middle_is_flagged_and_shrinks_the_effective_number() {
        let values: Vec<f64> = (0..32).map(|i| if i < 16 { 1.0 } else { 1.1 } + f64::from(i * 7 % 5) * 1e-3).collect();
        let found = autocorrelation(&values).unwrap();
        assert!(found.flagged, "{found:?}");
        assert!(found.effective_n < 16.0, "{found:?}");
    }

    #[test]
    fn values_that_alternate_are_worth_their_number() {
        let values: Vec<f64> = (0..20).map(|i| f64::from(i % 2)).collect();
        let found = autocorrelation(&values).unwrap();
        assert!(!found.flagged && found.lag_one < -0.9);
        assert_eq!(found.effective_n, 20.0);
    }

    #[test]
    fn odd_values_are_answered_or_refused() {
        assert_eq!(autocorrelation(&[3.0; 9]).unwrap().effective_n, 9.0);
        assert!(autocorrelation(&[1.0, f64::INFINITY, 2.0, 3.0]).is_some());
        for values in [&[][..], &[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0, f64::NAN]] {
            assert_eq!(autocorrelation(values), None);
        }
    }
}
