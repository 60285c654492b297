//! The Mann-Whitney U test: does one sample tend to larger values than the other?
//!
//! H. B. Mann and D. R. Whitney, Annals of Mathematical Statistics 18 (1947). Its level holds for independent values only:
//! on two series measured one after the other it calls equal programs different in a third to a half of all cases.

use paw_sort::SortNumbers;

use crate::normal;
use crate::rank::midranks;

/// Most values in all for which the distribution is counted exactly; ties prevent it.
const EXACT_UP_TO: usize = 40;

/// How a p-value was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Distribution {
    /// Counted over all orders.
    Exact,
    /// Normal approximation with tie and continuity correction.
    Normal,
}

/// What the test found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MannWhitney {
    /// Pairs in which the value of `a` is the larger one; a tie counts half.
    pub u: f64,
    /// Two-sided p-value: how often equal distributions differ as much.
    pub p: f64,
    /// How `p` was found.
    pub distribution: Distribution,
}

/// Tests two samples against each other; `None` where one is empty or holds NaN.
pub fn mann_whitney(a: &[f64], b: &[f64]) -> Option<MannWhitney> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let all: Vec<f64> = a.iter().chain(b).copied().collect();
    let ranks = midranks(&all)?;
    let (n, m) = (a.len() as f64, b.len() as f64);
    let u = ranks[..a.len()].iter().sum::<f64>() - n * (n + 1.0) / 2.0;
    let ties = tie_sum(&ranks);
    if ties == 0.0
        && let Some(masses) = exact_masses(a.len(), b.len(), u.min(n * m - u) as usize)
    {
        let p = (2.0 * masses.iter().sum::<f64>()).min(1.0);
        return Some(MannWhitney { u, p, distribution: Distribution::Exact });
    }
    let total = n + m;
    let variance = n * m / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)));
    let distance = ((u - n * m / 2.0).abs() - 0.5).max(0.0);
    let p = if variance > 0.0 { 2.0 * normal::probability(-distance / variance.sqrt()) } else { 1.0 };
    Some(MannWhitney { u, p, distribution: Distribution::Normal })
}

/// Σ (t³ - t) over groups of t equal values: their midranks are equal too.
fn tie_sum(ranks: &[f64]) -> f64 {
    let mut ranks = ranks.to_vec();
    ranks.sort_numbers();
    let cube = |t: f64| t * t * t - t;
    ranks.chunk_by(|a, b| a == b).map(|group| cube(group.len() as f64)).sum()
}

/// [`masses`] up to forty values in all, `None` above.
pub(crate) fn exact_masses(n: usize, m: usize, last: usize) -> Option<Vec<f64>> {
    (n + m <= EXACT_UP_TO).then(|| masses(n, m, last))
}

/// P(U = 0), P(U = 1) … P(U = `last`) where n and m values come from one distribution, counted over all orders.
pub(crate) fn masses(n: usize, m: usize, last: usize) -> Vec<f64> {
    // counts[j][u]: orders of the values of a so far among j of b with that U.
    let mut counts = vec![vec![0.0; last + 1]; m + 1];
    for row in &mut counts {
        row[0] = 1.0;
    }
    for _ in 0..n {
        for j in 1..=m {
            // The largest value is b's, which leaves the orders of j - 1, or the new one of a, which beats all j.
            // Downwards, because counts[j] still holds the orders without the new one.
            for u in (0..=last).rev() {
                let beaten = if u >= j { counts[j][u - j] } else { 0.0 };
                counts[j][u] = counts[j - 1][u] + beaten;
            }
        }
    }
    let orders = (1..=n).fold(1.0, |c, i| c * (m + i) as f64 / i as f64);
    counts[m].iter().map(|count| count / orders).collect()
}
