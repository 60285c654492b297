//! Amdahl's law: the part of the work that more workers do not make shorter.
//!
//! G. M. Amdahl, *Validity of the single processor approach to achieving large scale computing capabilities*, AFIPS 1967:
//! T(p) = T(1) (s + (1 - s) ÷ p).

use crate::contention::{ContentionCurve, ContentionFit};
use crate::interval::Bounds;
use crate::quantile;
use crate::rank::sorted;
use crate::rng::Rng;
use crate::speedup::Estimator;

/// Resamples that settle the 2.5 % points to about a twentieth of the statistic's deviation.
const RESAMPLES: usize = 2000;

/// Amdahl's law fitted to measured times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Amdahl {
    /// The serial part s, 0 … 1.
    pub serial: f64,
    /// The interval of s; `None` where every point was needed for the fit.
    pub interval: Option<Bounds>,
    /// T(1) of the fitted curve, in the unit of the times.
    pub time_one: f64,
    /// The root mean square of the errors of the logarithms: about the relative error of a time.
    pub rms: f64,
}

/// The speed-up over one worker that a serial part leaves to `p` workers.
pub fn speedup(serial: f64, p: f64) -> f64 {
    1.0 / (serial + (1.0 - serial) / p)
}

/// The speed-up that no number of workers exceeds, 1 ÷ s; `None` where the serial part is 0.
pub fn limit(serial: f64) -> Option<f64> {
    (serial > 0.0).then(|| 1.0 / serial)
}

/// Fits T(p) = T(1) (s + (1 - s) ÷ p) to points (p, time) by least squares of logarithms; T(1) is fitted too, so that no point
/// is trusted more than another. s is kept within 0 … 1; its interval is that of its profile.
///
/// Leave out points with more workers than processors: the law does not know of taking turns. `None` where there are fewer than
/// two different p, a p is below 1, or a time is not positive and finite.
pub fn fit(points: &[(f64, f64)], confidence: f64) -> Option<Amdahl> {
    let curve = ContentionCurve::new(points, 2)?;
    let (serial, fit) = serial(&curve)?;
    let squares = |s: f64| at(&curve, s).map(|fit| fit.squares);
    let interval = curve.profile((serial, fit.squares), 2, 1.0, confidence, squares);
    Some(Amdahl { serial, interval, time_one: curve.time_one(&fit)?, rms: curve.rms(&fit) })
}

/// Fits the law to one time per p, the `estimator` of its samples. The interval encloses two: that of [`fit`], which sees how far
/// the points are from the curve, and the percentile interval over 2000 resamplings of the samples at each p, which sees how far
/// repeated points would be from these. The bootstrap of a minimum alone would be too narrow.
///
/// `None` as for [`fit`], and where a p has no samples.
pub fn fit_samples(points: &[(f64, &[f64])], estimator: Estimator, confidence: f64, seed: u64) -> Option<Amdahl> {
    let fitted = fit(&reduced(points, |times| estimator.of(times))?, confidence)?;
    let mut rng = Rng::new(seed);
    let mut draw = |times: &[f64]| {
        let drawn: Vec<f64> = times.iter().map(|_| times[rng.below(times.len())]).collect();
        estimator.of(&drawn)
    };
    let mut found = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        found.push(serial(&ContentionCurve::new(&reduced(points, &mut draw)?, 2)?)?.0);
    }
    let found = sorted(&found)?;
    let each = (1.0 - confidence) / 2.0;
    let resampled = Bounds { low: quantile::at(&found, each)?, high: quantile::at(&found, 1.0 - each)? };
    let here = Bounds { low: fitted.serial, high: fitted.serial };
    let repeated = points.iter().any(|(_, times)| times.len() > 1).then(|| resampled.and(here));
    let interval = match (fitted.interval, repeated) {
        (Some(a), Some(b)) => Some(a.and(b)),
        (a, b) => a.or(b),
    };
    Some(Amdahl { interval, ..fitted })
}

/// Each p with one time, `of` its samples.
fn reduced(points: &[(f64, &[f64])], mut of: impl FnMut(&[f64]) -> Option<f64>) -> Option<Vec<(f64, f64)>> {
    points.iter().map(|(p, times)| Some((*p, of(times)?))).collect()
}

/// The serial part and its curve.
fn serial(curve: &ContentionCurve) -> Option<(f64, ContentionFit)> {
    let fit = curve.fit(&[curve.column(|_| 1.0), curve.column(|p| p - 1.0)])?;
    let serial = fit.factors[1] / fit.factors[0];
    if serial <= 1.0 { Some((serial, fit)) } else { Some((1.0, at(curve, 1.0)?)) }
}

/// The curve of a given serial part.
fn at(curve: &ContentionCurve, serial: f64) -> Option<ContentionFit> {
    curve.fit(&[curve.column(|p| 1.0 + serial * (p - 1.0))])
}
