//! The standard normal distribution.

use std::f64::consts::PI;

/// Distance from 0 beyond which the tail's continued fraction converges faster than the series around the centre.
const TAIL: f64 = 3.0;

/// Terms of the continued fraction: at [`TAIL`] the next term changes nothing in double precision.
const TERMS: u32 = 120;

/// The probability of a value up to `x`.
///
/// Series and continued fraction of G. Marsaglia, *Evaluating the Normal Distribution*, Journal of Statistical Software 11 (2004).
pub fn probability(x: f64) -> f64 {
    if x.is_nan() {
        return f64::NAN;
    }
    if x < -TAIL {
        return tail(-x);
    }
    if x > TAIL {
        return 1.0 - tail(x);
    }
    let (mut term, mut sum, mut odd) = (x, x, 1.0);
    while sum != sum + term {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    0.5 + sum * density(x)
}

/// The value that a share `p` of the distribution does not exceed: infinite at 0 and 1, NaN outside.
///
/// Newton's method on [`probability`], from formula 26.2.23 of Abramowitz and Stegun, which is right to 4.5e-4.
pub fn quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    // The lower half only: 1 - p would lose the digits of a small p.
    if p > 0.5 {
        return -quantile(1.0 - p);
    }
    if p == 0.0 {
        return f64::NEG_INFINITY;
    }
    let t = (-2.0 * p.ln()).sqrt();
    let top = 2.515517 + t * (0.802853 + t * 0.010328);
    let bottom = 1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308));
    let mut x = top / bottom - t;
    for _ in 0..4 {
        x -= (probability(x) - p) / density(x);
    }
    x
}

fn density(x: f64) -> f64 {
    (-x * x / 2.0).exp() / (2.0 * PI).sqrt()
}

fn tail(x: f64) -> f64 {
    if x.is_infinite() {
        return 0.0;
    }
    let fraction = (1..=TERMS).rev().fold(x, |below, k| x + f64::from(k) / below);
    density(x) / fraction
}
