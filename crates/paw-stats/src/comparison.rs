//! Ratios of two programs' times, paired by rounds or not, with an interval.
//!
//! Pairing is what makes a ratio trustworthy: the members of a round share whatever the machine did at that moment.

use paw_sort::SortNumbers;

use crate::hierarchical::{self, Estimate};
use crate::interval::{self, Bounds, Interval};
use crate::mann_whitney::exact_masses;
use crate::rank::sorted;
use crate::verdict::{Doubt, Verdict};
use crate::{mean, normal, quantile, sigma, student};

/// Order statistics kept of each side of an unpaired comparison: a million quotients are quick to sort, and
/// neighbours are a thousandth of the distribution apart.
const SIDE_AT_MOST: usize = 1000;

/// A ratio of times b ÷ a.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// The estimate: above 1 b takes longer.
    pub value: f64,
    /// Its interval, on the scale of the ratio; `None` where there are too few values for the confidence.
    pub interval: Option<Interval>,
    /// Rounds of a paired ratio; values of the smaller side of an unpaired one.
    pub n: usize,
}

impl Ratio {
    /// The verdict on b at a relative margin (0.01 for 1 %): inconclusive where there is no interval.
    pub fn verdict(&self, margin: f64) -> Verdict {
        self.interval.map_or(Verdict::Inconclusive(Doubt::NoInterval), |i| Verdict::of(i.low, i.high, margin))
    }
}

/// About how many rounds in all a verdict takes after `n`, if the ratio `value` stays where it is: the half width of `interval` must
/// shrink to the distance from 1, or to that from the nearest end of the margin, whichever is more, and shrinks with the root of the rounds.
///
/// `None` past a million, where the estimate says no more than "do not wait for it".
pub fn rounds_needed(value: f64, interval: Bounds, n: usize, margin: f64) -> Option<usize> {
    let half = (interval.high.ln() - interval.low.ln()) / 2.0;
    let distance = value.ln().abs();
    let nearest = distance.max(margin.max(0.0).ln_1p() - distance);
    let needed = (n as f64 * (half / nearest).powi(2)).ceil();
    (needed <= 1e6).then_some((needed as usize).max(n + 1))
}

/// The ratio b ÷ a of rounds measured together in several invocations: `a[i]` and `b[i]` are the rounds of one invocation, as in
/// [`paired`]. The value is the median of the invocations' median ratios, with the interval of [`hierarchical::location`].
///
/// `None` as for [`paired`].
pub fn paired_invocations(a: &[&[f64]], b: &[&[f64]], confidence: f64) -> Option<Estimate> {
    if a.len() != b.len() || a.iter().zip(b).any(|(a, b)| a.len() != b.len()) {
        return None;
    }
    let invocation = |(a, b): (&&[f64], &&[f64])| Some(differences(&logs(a)?, &logs(b)?));
    let groups: Vec<Vec<f64>> = a.iter().zip(b).map(invocation).collect::<Option<_>>()?;
    let found = hierarchical::location(&hierarchical::slices(&groups), confidence)?;
    let interval = found.interval.map(|i| Bounds { low: i.low.exp(), high: i.high.exp() });
    Some(Estimate { value: found.value.exp(), interval, ..found })
}

/// The ratio b ÷ a of runs that were not interleaved, one value a run: with five runs a side or more the interval of [`unpaired`] where it
/// exists, with three or more Welch's t on logarithms (B. L. Welch, Biometrika 34, 1947), its degrees of freedom rounded down.
///
/// `None` as for [`unpaired`].
pub fn between_runs(a: &[f64], b: &[f64], confidence: f64) -> Option<(f64, Option<Bounds>)> {
    let ordered = unpaired(a, b, confidence)?;
    let interval = ordered.interval.map(Bounds::from).or_else(|| welch(&logs(a)?, &logs(b)?, confidence));
    Some((ordered.value, interval.map(|i| i.and(Bounds { low: ordered.value, high: ordered.value }))))
}

/// The fewest runs a side that have an interval: two would leave one degree of freedom.
pub const RUNS_MIN: usize = 3;

fn welch(a: &[f64], b: &[f64], confidence: f64) -> Option<Bounds> {
    if a.len().min(b.len()) < RUNS_MIN {
        return None;
    }
    let error = |side: &[f64]| Some(sigma::sample(side)?.powi(2) / side.len() as f64);
    let (of_a, of_b) = (error(a)?, error(b)?);
    let shares = of_a.powi(2) / (a.len() - 1) as f64 + of_b.powi(2) / (b.len() - 1) as f64;
    let freedom = if shares > 0.0 { (of_a + of_b).powi(2) / shares } else { (RUNS_MIN - 1) as f64 };
    let reach = student::quantile(f64::midpoint(1.0, confidence), freedom as usize)? * (of_a + of_b).sqrt();
    let center = mean::arithmetic(b)? - mean::arithmetic(a)?;
    Some(Bounds { low: (center - reach).exp(), high: (center + reach).exp() })
}

/// The ratio b ÷ a of rounds measured together: the median of the rounds' ratios, with the sign interval of METHOD's section
/// on comparing. `a[i]` and `b[i]` are of the same round.
///
/// `None` where the lengths differ, there is no round, or a time is not a positive finite number.
pub fn paired(a: &[f64], b: &[f64], confidence: f64) -> Option<Ratio> {
    if a.len() != b.len() {
        return None;
    }
    let differences = differences(&logs(a)?, &logs(b)?);
    let value = quantile::median(&differences)?.exp();
    let interval = interval::median(&differences, confidence).map(exponential);
    Some(Ratio { value, interval, n: differences.len() })
}

/// The ratio b ÷ a of values that are not paired: the median of all quotients (Hodges and Lehmann on logarithms) with the
/// interval that belongs to the Mann-Whitney test: exact up to forty values in all, then ranks
/// ⌊nm/2 - z √(nm(n+m+1)/12)⌋ from both ends.
///
/// J. L. Hodges and E. L. Lehmann, Annals of Mathematical Statistics 34 (1963). It cannot see what changed between the two
/// series: call it indicative unless each side has several runs. `None` as for [`paired`], but lengths may differ.
pub fn unpaired(a: &[f64], b: &[f64], confidence: f64) -> Option<Ratio> {
    let (n, m) = (a.len(), b.len());
    let (a, b) = (thinned(&logs(a)?)?, thinned(&logs(b)?)?);
    let mut differences: Vec<f64> = b.iter().flat_map(|b| a.iter().map(move |a| b - a)).collect();
    differences.sort_numbers();
    let value = quantile::at(&differences, 0.5)?.exp();
    let interval = shift_interval(&differences, n, m, confidence).map(exponential);
    Some(Ratio { value, interval, n: n.min(m) })
}

/// The confidence each of `alternatives` - 1 comparisons with the best needs, so that all hold together (Bonferroni).
pub fn bonferroni(confidence: f64, alternatives: usize) -> f64 {
    1.0 - (1.0 - confidence) / alternatives.saturating_sub(1).max(1) as f64
}

fn shift_interval(sorted: &[f64], n: usize, m: usize, confidence: f64) -> Option<Interval> {
    if !(confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    let (rank, coverage) = shift_rank(n, m, (1.0 - confidence) / 2.0)?;
    // The rank among the differences kept, which are fewer than n m after thinning.
    let low = ((rank * sorted.len() as f64 / (n as f64 * m as f64)) as usize).clamp(1, sorted.len());
    let high = sorted.len() + 1 - low;
    Some(Interval { low: sorted[low - 1], high: sorted[high - 1], ranks: (low, high), coverage })
}

/// The rank of the lower end among n m differences, with at most `each` of the probability below it, and the coverage.
fn shift_rank(n: usize, m: usize, each: f64) -> Option<(f64, f64)> {
    if let Some(masses) = exact_masses(n, m, n * m / 2) {
        let (rank, below) = interval::reach(masses.iter(), each);
        return (rank > 0).then_some((rank as f64, 1.0 - 2.0 * below));
    }
    let (n, m) = (n as f64, m as f64);
    let (middle, sigma) = (n * m / 2.0, (n * m * (n + m + 1.0) / 12.0).sqrt());
    let rank = (middle + normal::quantile(each) * sigma).floor();
    (rank >= 1.0).then(|| (rank, 1.0 - 2.0 * normal::probability((rank - 0.5 - middle) / sigma)))
}

/// At most [`SIDE_AT_MOST`] evenly spaced order statistics: the number of quotients is the product of both sides.
fn thinned(values: &[f64]) -> Option<Vec<f64>> {
    let sorted = sorted(values)?;
    if sorted.len() <= SIDE_AT_MOST {
        return Some(sorted);
    }
    let share = |i: usize| (i as f64 + 0.5) / SIDE_AT_MOST as f64;
    (0..SIDE_AT_MOST).map(|i| quantile::at(&sorted, share(i))).collect()
}

/// The elements of `b` less those of `a`.
fn differences(a: &[f64], b: &[f64]) -> Vec<f64> {
    b.iter().zip(a).map(|(b, a)| b - a).collect()
}

fn logs(values: &[f64]) -> Option<Vec<f64>> {
    values.iter().map(|v| (*v > 0.0 && v.is_finite()).then(|| v.ln())).collect()
}

fn exponential(interval: Interval) -> Interval {
    Interval { low: interval.low.exp(), high: interval.high.exp(), ..interval }
}
