//! How a time grows with the size: T(n) = c₀ + c₁ nⁱ log₂ʲ n, with the exponents chosen from a small set.
//!
//! The performance model normal form with one term: A. Calotoiu, T. Hoefler, M. Poke and F. Wolf, *Using automated performance
//! modeling to find scalability bugs in complex codes*, SC 2013.

use paw_sort::{OrderBy, SortNumbers};

use crate::contention::different;
use crate::least_squares;

/// Exponents of real programs: roots of surfaces and cubes, scans, sweeps, and matrix products.
const POWERS: [f64; 12] = [0.0, 0.25, 1.0 / 3.0, 0.5, 2.0 / 3.0, 0.75, 1.0, 4.0 / 3.0, 1.5, 2.0, 2.5, 3.0];

/// The largest power of the logarithm.
const LOG_POWER_MAX: i32 = 2;

/// Two coefficients and two exponents go through any four sizes.
const SIZES_MIN: usize = 5;

/// Errors up to this much larger than the best do not separate two terms: with five sizes within a factor of 16 and 1 % of noise
/// a wrong term stood alone in 34 data sets of a hundred at 1.1, in 11 at 1.5, in 4 at 2.
const TIE: f64 = 2.0;

/// A constant has one number fewer, which is worth a tenth of the error.
const CONSTANT: f64 = 1.1;

/// Growth over all sizes within this many mean errors is noise: of 35 terms one follows the noise of a constant that far in a
/// few data sets of a hundred.
const NOISE: f64 = 4.0;

/// An error below this is rounding.
const EXACT: f64 = 1e-9;

/// How a time grows: nⁱ log₂ʲ n.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    /// The power of n.
    pub i: f64,
    /// The power of log₂ n.
    pub j: i32,
}

/// A model of a time by size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SizeModel {
    /// What does not grow, in the unit of the times; the whole time where the term is constant.
    pub c0: f64,
    /// The factor of the term, above 0; 0 where the term is constant.
    pub c1: f64,
    /// How the time grows.
    pub term: Term,
    /// The mean symmetric relative error of times predicted from the other sizes, 2 |a - b| ÷ (|a| + |b|): 0.01 for 1 %.
    pub smape: f64,
    /// The best model with another term.
    pub runner_up: Option<RunnerUp>,
    /// Whether the sizes do not separate the runner-up from the best: its error is at most twice the best's, or both are exact.
    pub tie: bool,
}

/// The second best term.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunnerUp {
    /// How the time grows with it.
    pub term: Term,
    /// Its error.
    pub smape: f64,
}

impl Term {
    /// No growth.
    pub const CONSTANT: Self = Self { i: 0.0, j: 0 };

    /// The term at size `n`.
    pub fn at(self, n: f64) -> f64 {
        n.powf(self.i) * n.log2().powi(self.j)
    }
}

impl SizeModel {
    /// The model's time at size `n`.
    pub fn at(&self, n: f64) -> f64 {
        if self.term == Term::CONSTANT { self.c0 } else { self.c0 + self.c1 * self.term.at(n) }
    }

    /// How much longer the largest of these ascending sizes takes than the smallest.
    fn growth(&self, sizes: &[f64]) -> f64 {
        let times = sizes.first().zip(sizes.last()).map(|(first, last)| self.at(*last) - self.at(*first));
        times.unwrap_or_default()
    }
}

/// The model whose predictions of left-out sizes are best, of points (size, time).
///
/// Coefficients minimise relative errors, because times span decades; c₁ is positive. Where a constant is within 10 % of the
/// best, or the best grows by no more than four of its errors, it is the constant. `None` where there are fewer than five
/// different sizes, one is below 1, or a time is not positive and finite.
pub fn fit(points: &[(f64, f64)]) -> Option<SizeModel> {
    let sound = |&(n, time): &(f64, f64)| n >= 1.0 && n.is_finite() && time > 0.0 && time.is_finite();
    let mut sizes: Vec<f64> = points.iter().map(|(n, _)| *n).collect();
    if !points.iter().all(sound) || different(&sizes) < SIZES_MIN {
        return None;
    }
    sizes.sort_numbers();
    sizes.dedup();
    let terms = POWERS.iter().flat_map(|i| (0..=LOG_POWER_MAX).map(|j| Term { i: *i, j }));
    let mut models: Vec<SizeModel> = terms.filter_map(|term| model(points, &sizes, term)).collect();
    models.order_by(|a, b| a.smape.total_cmp(&b.smape));
    let best = models.first()?;
    let grows = best.growth(&sizes) > NOISE * best.smape * best.at(sizes[0]).abs();
    let constant = models.iter().position(|m| m.term == Term::CONSTANT);
    if let Some(constant) = constant.filter(|c| !grows || alike(best.smape, models[*c].smape, CONSTANT)) {
        models[..=constant].rotate_right(1);
    }
    let runner_up = models.get(1).map(|m| RunnerUp { term: m.term, smape: m.smape });
    let tie = runner_up.is_some_and(|second| alike(models[0].smape, second.smape, TIE));
    Some(SizeModel { runner_up, tie, ..models[0] })
}

fn alike(best: f64, other: f64, times: f64) -> bool {
    other <= times * best || (best < EXACT && other < EXACT)
}

/// The model with a given term, and its error; `None` where the term does not grow over these sizes, or the time does not with it.
fn model(points: &[(f64, f64)], sizes: &[f64], term: Term) -> Option<SizeModel> {
    let (c0, c1) = coefficients(points, term)?;
    let model = SizeModel { c0, c1, term, smape: 0.0, runner_up: None, tie: false };
    let largest = points.iter().map(|p| p.1).fold(0.0, f64::max);
    if term != Term::CONSTANT && !(c1 > 0.0 && model.growth(sizes) > EXACT * largest) {
        return None;
    }
    let mut errors = Vec::with_capacity(points.len());
    for left_out in sizes {
        let (out, others): (Vec<(f64, f64)>, Vec<_>) = points.iter().partition(|(n, _)| n == left_out);
        let (c0, c1) = coefficients(&others, term)?;
        let predicted = SizeModel { c0, c1, ..model }.at(*left_out);
        errors.extend(out.iter().map(|(_, time)| 2.0 * (predicted - time).abs() / (predicted.abs() + time)));
    }
    let smape = errors.iter().sum::<f64>() / errors.len() as f64;
    smape.is_finite().then_some(SizeModel { smape, ..model })
}

/// c₀ and c₁ with the smallest relative errors.
fn coefficients(points: &[(f64, f64)], term: Term) -> Option<(f64, f64)> {
    // Both columns are near 1 somewhere, so that sizes and times of any magnitude stay within reach.
    let fastest = points.iter().map(|p| p.1).fold(f64::INFINITY, f64::min);
    let fixed: Vec<f64> = points.iter().map(|(_, time)| fastest / time).collect();
    let ones = vec![1.0; points.len()];
    if term == Term::CONSTANT {
        return Some((least_squares::solve(&[&fixed], &ones)?[0] * fastest, 0.0));
    }
    let largest = points.iter().map(|(n, time)| term.at(*n) / time).fold(0.0, f64::max);
    let growing: Vec<f64> = points.iter().map(|(n, time)| term.at(*n) / time / largest).collect();
    let found = least_squares::solve(&[&fixed, &growing], &ones)?;
    let (c0, c1) = (found[0] * fastest, found[1] / largest);
    (c0.is_finite() && c1.is_finite()).then_some((c0, c1))
}
