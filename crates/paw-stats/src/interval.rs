//! Exact, distribution-free intervals of the median and of any quantile, from order statistics.
//!
//! The number of values below the p-quantile is binomial, whatever the distribution: two order statistics enclose the
//! quantile with a probability that only n, p and their ranks decide. W. R. Thompson 1936; J.-Y. Le Boudec,
//! *Performance Evaluation of Computer and Communication Systems*, 2010, theorem 2.1 and appendix A.
//! The claim holds for independent values: see [`crate::autocorrelation`] and [`widened`].

use crate::normal;
use crate::rank::sorted;

/// Above this many values the binomial walk gives way to its normal approximation: the ranks differ by one at most there.
const EXACT_UP_TO: usize = 1000;

/// Two order statistics that enclose a quantile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end, one of the values.
    pub low: f64,
    /// The upper end, one of the values.
    pub high: f64,
    /// Ranks of both ends in ascending order, from 1.
    pub ranks: (usize, usize),
    /// The probability that such an interval holds the quantile: at least the confidence asked for.
    pub coverage: f64,
}

impl Interval {
    /// Half the width, relative to `center`.
    pub fn half_width(&self, center: f64) -> f64 {
        Bounds::from(*self).half_width(center)
    }
}

/// The ends of an interval that has no ranks: of a ratio, or of a number that was fitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl From<Interval> for Bounds {
    fn from(interval: Interval) -> Self {
        Self { low: interval.low, high: interval.high }
    }
}

impl Bounds {
    /// Half the width, relative to `center`.
    pub fn half_width(self, center: f64) -> f64 {
        if self.low == self.high { 0.0 } else { (self.high - self.low) / (2.0 * center.abs()) }
    }

    /// The narrowest bounds that hold both.
    pub fn and(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Whether the value lies between the ends, or on one.
    pub fn hold(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// Ranks of an interval and its coverage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranks {
    /// Rank of the lower end in ascending order, from 1.
    pub low: usize,
    /// Rank of the upper end in ascending order, from 1.
    pub high: usize,
    /// The probability that the quantile lies between both.
    pub coverage: f64,
}

/// The interval of the median; `None` where no two of the values reach the confidence: fewer than 6 at 95 %.
pub fn median(values: &[f64], confidence: f64) -> Option<Interval> {
    quantile(values, 0.5, confidence)
}

/// The fewest values whose median has an interval at this confidence: 6 at 95 %, 8 at 99 %.
pub fn fewest(confidence: f64) -> usize {
    // Both tails are 2⁻ⁿ each at least, which falls below any positive `f64` at 1100.
    (1..1100).find(|n| ranks(*n, 0.5, confidence).is_some()).unwrap_or(usize::MAX)
}

/// The interval of the `p`-quantile; `None` where no two of the values reach the confidence.
pub fn quantile(values: &[f64], p: f64, confidence: f64) -> Option<Interval> {
    let ranks = ranks(values.len(), p, confidence)?;
    Some(between(&sorted(values)?, ranks))
}

/// The interval of the median interpolated between order statistics, so that it covers about what is asked and not the next
/// possible share above: of eight values 95 % where whole ranks have 99.2 %.
///
/// T. P. Hettmansperger and S. J. Sheather, Statistics and Probability Letters 4 (1986). `None` where [`median`] has none.
pub fn interpolated(values: &[f64], confidence: f64) -> Option<Bounds> {
    let (n, outer) = (values.len(), ranks(values.len(), 0.5, confidence)?);
    if n > EXACT_UP_TO {
        return median(values, confidence).map(Bounds::from);
    }
    let sorted = sorted(values)?;
    let each = (1.0 - confidence) / 2.0;
    // Each tail without and with the next rank; the weight of the inner value grows with what is left between both.
    let (below, d) = ((1.0 - outer.coverage) / 2.0, outer.low);
    let next = (1..=d).fold(0.5f64.powi(n as i32), |mass, i| mass * (n + 1 - i) as f64 / i as f64);
    let part = ((each - below) / next).clamp(0.0, 1.0);
    let weight = (n - d) as f64 * part / (d as f64 + (n - 2 * d) as f64 * part);
    let toward = |outer: f64, inner: f64| if outer == inner { outer } else { outer + weight * (inner - outer) };
    Some(Bounds { low: toward(sorted[d - 1], sorted[d]), high: toward(sorted[n - d], sorted[n - d - 1]) })
}

/// The median's interval for correlated values, worth `effective` independent ones
/// (see [`crate::autocorrelation::Autocorrelation::effective_n`]): the ranks of that many, stretched over all.
pub fn widened(values: &[f64], effective: f64, confidence: f64) -> Option<Interval> {
    let n = values.len();
    if effective.is_nan() || effective >= n as f64 {
        return median(values, confidence);
    }
    let few = effective.max(0.0) as usize;
    let narrow = ranks(few, 0.5, confidence)?;
    let low = (narrow.low * (n + 1) / (few + 1)).max(1);
    Some(between(&sorted(values)?, Ranks { low, high: n + 1 - low, coverage: narrow.coverage }))
}

/// The innermost ranks whose interval holds the `p`-quantile of `n` values with the confidence asked for, each tail at
/// most half of what is left; `None` where there are none, or `p` or `confidence` lies outside 0 … 1.
pub fn ranks(n: usize, p: f64, confidence: f64) -> Option<Ranks> {
    if !(p > 0.0 && p < 1.0 && confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    let each = (1.0 - confidence) / 2.0;
    if n > EXACT_UP_TO { normal_ranks(n as f64, p, each) } else { binomial_ranks(n, p, each) }
}

fn binomial_ranks(n: usize, p: f64, each: f64) -> Option<Ranks> {
    let masses = binomial_masses(n, p);
    let (low, below) = reach(masses.iter(), each);
    let (from_top, above) = reach(masses.iter().rev(), each);
    (low > 0 && from_top > 0).then(|| Ranks { low, high: n + 1 - from_top, coverage: 1.0 - below - above })
}

/// How many leading masses fit into `limit`, and their sum.
pub(crate) fn reach<'a>(masses: impl Iterator<Item = &'a f64>, limit: f64) -> (usize, f64) {
    // A tail equal to the limit fits, whatever the rounding of the sum.
    let limit = limit * (1.0 + 1e-10);
    let (mut count, mut sum) = (0, 0.0);
    for mass in masses {
        if sum + mass > limit {
            break;
        }
        sum += mass;
        count += 1;
    }
    (count, sum)
}

/// P(B = i) for i = 0 … n and B binomial(n, p).
fn binomial_masses(n: usize, p: f64) -> Vec<f64> {
    // From the side where the first mass is at least 2⁻ⁿ: with n up to a thousand that does not underflow.
    if p > 0.5 {
        let mut mirrored = binomial_masses(n, 1.0 - p);
        mirrored.reverse();
        return mirrored;
    }
    let odds = p / (1.0 - p);
    let first = (1.0 - p).powi(n as i32);
    let step = |mass: &mut f64, i: usize| {
        let this = *mass;
        *mass *= odds * (n - i) as f64 / (i + 1) as f64;
        Some(this)
    };
    (0..=n).scan(first, step).collect()
}

fn normal_ranks(n: f64, p: f64, each: f64) -> Option<Ranks> {
    let (mean, sigma) = (n * p, (n * p * (1.0 - p)).sqrt());
    let reach = -normal::quantile(each) * sigma;
    let (low, high) = ((mean - reach).floor(), n + 1.0 - (n - mean - reach).floor());
    if low < 1.0 || high > n {
        return None;
    }
    // P(low <= B <= high - 1), half a count of continuity correction on each side.
    let up_to = |count: f64| normal::probability((count + 0.5 - mean) / sigma);
    Some(Ranks { low: low as usize, high: high as usize, coverage: up_to(high - 1.0) - up_to(low - 1.0) })
}

fn between(sorted: &[f64], ranks: Ranks) -> Interval {
    Interval {
        low: sorted[ranks.low - 1],
        high: sorted[ranks.high - 1],
        ranks: (ranks.low, ranks.high),
        coverage: ranks.coverage,
    }
}
