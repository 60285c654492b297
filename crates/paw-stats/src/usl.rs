//! The Universal Scalability Law: contention, and the cost of keeping workers coherent, which makes speed-up fall again.
//!
//! N. J. Gunther, *A General Theory of Computational Scalability Based on Rational Functions*, 2008, and *Guerrilla Capacity
//! Planning*, 2007: S(p) = p ÷ (1 + σ (p - 1) + κ p (p - 1)). With κ = 0 it is Amdahl's law with the serial part σ.

use crate::contention::ContentionCurve;
use crate::interval::Bounds;

/// A peak further out than this many times the largest p measured is not reported: simulated points up to 8 of a curve with its peak
/// at 44 gave peaks from 17 to infinity.
const REACH: f64 = 2.0;

/// The law fitted to measured times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Usl {
    /// Contention σ, not negative.
    pub sigma: f64,
    /// The interval of σ; `None` where every point was needed for the fit, or the points do not bound it.
    pub sigma_interval: Option<Bounds>,
    /// Coherency κ, not negative.
    pub kappa: f64,
    /// The interval of κ; `None` as for σ.
    pub kappa_interval: Option<Bounds>,
    /// The number of workers with the highest speed-up, √((1 - σ) ÷ κ) and at least 1. `None` where the points do not determine it:
    /// it lies past twice the largest p, or past the largest p while κ may be 0.
    pub peak: Option<f64>,
    /// T(1) of the fitted curve, in the unit of the times.
    pub time_one: f64,
    /// The root mean square of the errors of the logarithms: about the relative error of a time.
    pub rms: f64,
}

impl Usl {
    /// The speed-up over one worker at `p` workers.
    pub fn speedup(&self, p: f64) -> f64 {
        p / (1.0 + self.sigma * (p - 1.0) + self.kappa * p * (p - 1.0))
    }
}

/// Fits the law to points (p, time) by least squares of logarithms with T(1), σ and κ free and none of them negative; the
/// intervals are those of the profiles.
///
/// Leave out points with more workers than processors. `None` where there are fewer than four different p (three numbers go
/// through any three points), a p is below 1, or a time is not positive and finite.
pub fn fit(points: &[(f64, f64)], confidence: f64) -> Option<Usl> {
    let curve = ContentionCurve::new(points, 4)?;
    let (others, pairs) = (curve.column(|p| p - 1.0), curve.column(|p| p * (p - 1.0)));
    let best = curve.fit(&[curve.column(|_| 1.0), others.clone(), pairs.clone()])?;
    let (sigma, kappa) = (best.factors[1] / best.factors[0], best.factors[2] / best.factors[0]);
    if !(sigma.is_finite() && kappa.is_finite()) {
        return None;
    }
    let with_sigma = |s: f64| Some(curve.fit(&[curve.column(|p| 1.0 + s * (p - 1.0)), pairs.clone()])?.squares);
    let with_kappa = |k: f64| Some(curve.fit(&[curve.column(|p| 1.0 + k * p * (p - 1.0)), others.clone()])?.squares);
    let kappa_interval = curve.profile((kappa, best.squares), 3, f64::INFINITY, confidence, with_kappa);
    let largest = curve.workers.iter().copied().fold(1.0, f64::max);
    Some(Usl {
        sigma,
        sigma_interval: curve.profile((sigma, best.squares), 3, f64::INFINITY, confidence, with_sigma),
        kappa,
        kappa_interval,
        peak: peak(sigma, kappa, largest, kappa_interval),
        time_one: curve.time_one(&best)?,
        rms: curve.rms(&best),
    })
}

fn peak(sigma: f64, kappa: f64, largest: f64, kappa_interval: Option<Bounds>) -> Option<f64> {
    let peak = ((1.0 - sigma).max(0.0) / kappa).sqrt().max(1.0);
    let falls = kappa_interval.is_some_and(|k| k.low > 0.0);
    (kappa > 0.0 && (peak <= largest || falls && peak <= REACH * largest)).then_some(peak)
}
