//! The curve behind Amdahl's law and the Universal Scalability Law: p T(p) = A + B (p - 1) + C p (p - 1), fitted to logarithms.
//!
//! With C = 0 this is Amdahl's law, s = B ÷ A; with C it is Gunther's, σ = B ÷ A and κ = C ÷ A. Logarithms make an error of 1 % weigh
//! the same at one worker and at a thousand.

use paw_sort::SortNumbers;

use crate::interval::Bounds;
use crate::least_squares;
use crate::student;

/// Most steps of a fit: it converges within ten, or changes only in its last digits.
const STEPS_MAX: usize = 100;

/// Most halvings of a step: thirty leave a billionth of it.
const HALVINGS_MAX: usize = 30;

/// Measured times by numbers of workers.
#[derive(Debug, Clone)]
pub(crate) struct ContentionCurve {
    /// Numbers of workers.
    pub workers: Vec<f64>,
    /// ln(p T(p)), less its mean.
    logs: Vec<f64>,
    /// The mean taken from the logarithms.
    mean: f64,
}

/// Factors of columns, and the sum of squared errors of the logarithms.
#[derive(Debug, Clone)]
pub(crate) struct ContentionFit {
    pub factors: Vec<f64>,
    pub squares: f64,
}

impl ContentionCurve {
    /// `None` where a number of workers is below 1, a time is not positive and finite, or fewer than `least` different
    /// numbers of workers are there.
    pub fn new(points: &[(f64, f64)], least: usize) -> Option<Self> {
        let sound = |&(p, time): &(f64, f64)| p >= 1.0 && p.is_finite() && time > 0.0 && time.is_finite();
        let workers: Vec<f64> = points.iter().map(|(p, _)| *p).collect();
        if !points.iter().all(sound) || different(&workers) < least {
            return None;
        }
        let logs: Vec<f64> = points.iter().map(|(p, time)| p.ln() + time.ln()).collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        Some(Self { workers, logs: logs.iter().map(|l| l - mean).collect(), mean })
    }

    /// A column of a function of the number of workers.
    pub fn column(&self, of: impl Fn(f64) -> f64) -> Vec<f64> {
        self.workers.iter().map(|p| of(*p)).collect()
    }

    /// T(1) of a fit, in the unit of the times; `None` where it overflows.
    pub fn time_one(&self, fit: &ContentionFit) -> Option<f64> {
        Some(fit.factors[0] * self.mean.exp()).filter(|t| t.is_finite())
    }

    /// The root of the mean square of the logarithms' errors.
    pub fn rms(&self, fit: &ContentionFit) -> f64 {
        (fit.squares / self.logs.len() as f64).sqrt()
    }

    /// The factors, the first positive and the others not negative, whose sum of columns has the closest logarithms:
    /// Gauss-Newton, each step a least-squares problem with those bounds, halved until it makes the errors smaller.
    pub fn fit(&self, columns: &[Vec<f64>]) -> Option<ContentionFit> {
        let target: Vec<f64> = self.logs.iter().map(|l| l.exp()).collect();
        let mut best = self.judged(columns, step(columns, &target, &vec![1.0; target.len()])?)?;
        for _ in 0..STEPS_MAX {
            let model = sum(columns, &best.factors);
            let errors: Vec<f64> = self.logs.iter().zip(&model).map(|(log, m)| 1.0 + log - m.ln()).collect();
            let Some(better) = self.shortened(columns, &best, &step(columns, &model, &errors)?) else { break };
            let settled = best.squares - better.squares <= 1e-13 * best.squares;
            best = better;
            if settled {
                break;
            }
        }
        Some(best)
    }

    /// The first of the whole step, its half, its quarter … that makes the errors smaller.
    fn shortened(&self, columns: &[Vec<f64>], from: &ContentionFit, to: &[f64]) -> Option<ContentionFit> {
        (0..HALVINGS_MAX).find_map(|halvings| {
            let share = 0.5f64.powi(halvings as i32);
            let factors = from.factors.iter().zip(to).map(|(a, b)| a + share * (b - a)).collect();
            self.judged(columns, factors).filter(|fit| fit.squares < from.squares)
        })
    }

    fn judged(&self, columns: &[Vec<f64>], factors: Vec<f64>) -> Option<ContentionFit> {
        let model = sum(columns, &factors);
        let squares: f64 = self.logs.iter().zip(&model).map(|(log, m)| (log - m.ln()).powi(2)).sum();
        squares.is_finite().then_some(ContentionFit { factors, squares })
    }

    /// The interval of a parameter by its profile: the values at which the other parameters, fitted anew (`squares`), leave a sum
    /// of squares of at most S (1 + t² ÷ ν). D. Bates and D. Watts, *Nonlinear Regression Analysis*, 1988, chapter 6.
    ///
    /// `unknowns` counts the parameters of the whole fit, T(1) among them. The parameter lies between 0 and `most`. `None`
    /// where no point is left over to estimate the errors from, or the points bound the parameter nowhere.
    pub fn profile(
        &self,
        best: (f64, f64),
        unknowns: usize,
        most: f64,
        confidence: f64,
        squares: impl Fn(f64) -> Option<f64>,
    ) -> Option<Bounds> {
        let (estimate, least) = best;
        let freedom = self.logs.len().checked_sub(unknowns)?;
        if !(confidence > 0.0 && confidence < 1.0) {
            return None;
        }
        let t = student::quantile(0.5 + confidence / 2.0, freedom)?;
        let limit = least * (1.0 + t * t / freedom as f64);
        let inside = |x: f64| squares(x).is_some_and(|s| s <= limit);
        let low = if inside(0.0) { 0.0 } else { border(estimate, 0.0, inside) };
        let (mut known, mut outside) = (estimate, (2.0 * estimate).max(1e-9).min(most));
        while inside(outside) {
            if outside >= most {
                return most.is_finite().then_some(Bounds { low, high: most });
            }
            // Past a billion a share of contention means nothing.
            if outside > 1e9 {
                return None;
            }
            (known, outside) = (outside, (8.0 * outside).min(most));
        }
        Some(Bounds { low, high: border(known, outside, inside) })
    }
}

/// Where `inside` ends between a value that is inside and one that is not.
fn border(mut known: f64, mut outside: f64, inside: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..60 {
        let middle = f64::midpoint(known, outside);
        if inside(middle) { known = middle } else { outside = middle }
    }
    known
}

/// How many different numbers there are.
pub(crate) fn different(values: &[f64]) -> usize {
    let mut sorted = values.to_vec();
    sorted.sort_numbers();
    sorted.dedup();
    sorted.len()
}

fn sum(columns: &[Vec<f64>], factors: &[f64]) -> Vec<f64> {
    let rows = columns.first().map_or(0, Vec::len);
    (0..rows).map(|row| columns.iter().zip(factors).map(|(c, f)| c[row] * f).sum()).collect()
}

/// The factors whose sum, row by row relative to `scale`, comes closest to `target`; the first positive, the others not
/// negative. With so few columns every choice of those that are not 0 is tried.
fn step(columns: &[Vec<f64>], scale: &[f64], target: &[f64]) -> Option<Vec<f64>> {
    let scaled: Vec<Vec<f64>> = columns.iter().map(|c| c.iter().zip(scale).map(|(x, s)| x / s).collect()).collect();
    let choices = (0..1usize << (columns.len() - 1)).filter_map(|choice| {
        let used: Vec<usize> = (0..columns.len()).filter(|k| *k == 0 || choice >> (k - 1) & 1 == 1).collect();
        let chosen: Vec<&[f64]> = used.iter().map(|k| scaled[*k].as_slice()).collect();
        let found = least_squares::solve(&chosen, target)?;
        let mut factors = vec![0.0; columns.len()];
        used.iter().zip(found).for_each(|(k, factor)| factors[*k] = factor);
        let sound = factors[0] > 0.0 && factors.iter().all(|f| *f >= 0.0);
        let squares: f64 = sum(&scaled, &factors).iter().zip(target).map(|(a, b)| (a - b).powi(2)).sum();
        sound.then_some((squares, factors))
    });
    choices.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, factors)| factors)
}
