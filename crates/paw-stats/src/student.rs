//! Student's t distribution, for whole degrees of freedom.
//!
//! M. Abramowitz and I. Stegun, *Handbook of Mathematical Functions*, 26.7.3 and 26.7.4: finite series, exact but for rounding. Their
//! length is half the degrees of freedom: of many the distance from a normal distribution is computed in their place.

use std::f64::consts::FRAC_2_PI;

use crate::normal;

/// Degrees of freedom above which the distance from a normal distribution is known to ten digits, and finite series would take long.
const FEW_MAX: usize = 2000;

/// Most steps of Newton's method: probabilities of 1 - 1e-15 take some forty.
const STEPS_MAX: u32 = 100;

/// The probability of a value of at most `t` with `freedom` degrees of freedom; `None` where there are none, or `t` is NaN.
pub fn probability(t: f64, freedom: usize) -> Option<f64> {
    if freedom == 0 || t.is_nan() {
        return None;
    }
    if freedom > FEW_MAX {
        return Some(normal::probability(normal_of(t, freedom as f64)));
    }
    Some(0.5 + within((t / (freedom as f64).sqrt()).atan(), freedom) / 2.0)
}

/// The value that is exceeded with probability 1 - `p`; `None` where there are no degrees of freedom, or `p` is not between
/// 0 and 1.
pub fn quantile(p: f64, freedom: usize) -> Option<f64> {
    if freedom == 0 || !(p > 0.0 && p < 1.0) {
        return None;
    }
    if freedom > FEW_MAX {
        return Some(of_normal(normal::quantile(p), freedom as f64));
    }
    let wanted = (2.0 * p - 1.0).abs();
    // Three invocations are the commonest case, and have a closed form (W. T. Shaw, Sampling Student's T distribution, 2006).
    if freedom == 2 {
        return Some(wanted * (2.0 / (1.0 - wanted * wanted)).sqrt() * (p - 0.5).signum());
    }
    // Newton's method on the angle, which is bounded where t is not. The probability grows ever more slowly with the angle, so that no step
    // passes the answer, and one that is none has reached it.
    let (steepest, mut angle) = (slope(freedom), 0.0_f64);
    for _ in 0..STEPS_MAX {
        let next = angle + (wanted - within(angle, freedom)) / (steepest * angle.cos().powi(freedom as i32 - 1));
        if next <= angle {
            break;
        }
        angle = next;
    }
    Some((freedom as f64).sqrt() * angle.tan() * (p - 0.5).signum())
}

/// The quantile of Student's distribution whose normal one is `x`: Abramowitz and Stegun, 26.7.5.
fn of_normal(x: f64, freedom: f64) -> f64 {
    let square = x * x;
    // Polynomials of x², the highest power first.
    let polynomial = |factors: &[f64]| x * factors.iter().fold(0.0, |sum, factor| sum * square + factor);
    let terms = [
        polynomial(&[1.0, 1.0]) / 4.0,
        polynomial(&[5.0, 16.0, 3.0]) / 96.0,
        polynomial(&[3.0, 19.0, 17.0, -15.0]) / 384.0,
        polynomial(&[79.0, 776.0, 1482.0, -1920.0, -945.0]) / 92_160.0,
    ];
    x + terms.iter().rev().fold(0.0, |sum, term| (sum + term) / freedom)
}

/// The value that a normal distribution exceeds as often as Student's exceeds `t`: G. W. Hill, Algorithm 395, Communications of the ACM 13
/// (1970).
fn normal_of(t: f64, freedom: f64) -> f64 {
    let a = freedom - 0.5;
    let b = 48.0 * a * a;
    let y = a * (t * (t / freedom)).ln_1p();
    if y.is_infinite() {
        return t;
    }
    let correction = (((-0.4 * y - 3.3) * y - 24.0) * y - 85.5) / (0.8 * y * y + 100.0 + b) + y + 3.0;
    (correction / b + 1.0) * y.sqrt() * t.signum()
}

/// P(|T| < t) with its sign, at the angle whose tangent is t ÷ √ν.
fn within(angle: f64, freedom: usize) -> f64 {
    let (sine, cosine) = angle.sin_cos();
    let odd = freedom % 2;
    let (mut term, mut sum) = (if odd == 1 { cosine } else { 1.0 }, 0.0);
    for i in 0..freedom / 2 {
        sum += term;
        let k = (2 * i + 1 + odd) as f64;
        term *= cosine * cosine * k / (k + 1.0);
    }
    if odd == 1 { FRAC_2_PI * (angle + sine * sum) } else { sine * sum }
}

/// The derivative of [`within`] at 0, which is its largest; at another angle it is that times the cosine to the power of ν - 1.
fn slope(freedom: usize) -> f64 {
    let odd = freedom % 2;
    let (mut term, mut sum) = (1.0, 0.0);
    for i in 0..freedom / 2 {
        sum += term;
        let k = (2 * i + 1 + odd) as f64;
        term *= k / (k + 1.0);
    }
    if odd == 1 { FRAC_2_PI * (1.0 + sum) } else { sum }
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{ContinuousCDF, StudentsT};

    #[test]
    fn the_table_of_every_textbook_comes_out() {
        for (freedom, expected) in [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (10, 2.228), (30, 2.042)] {
            let found = quantile(0.975, freedom).unwrap();
            assert!((found - expected).abs() < 5e-4, "{freedom}: {found}");
            assert_eq!(quantile(0.025, freedom), Some(-found));
        }
    }

    #[test]
    fn probabilities_are_those_of_another_library() {
        for freedom in [1, 2, 3, 4, 5, 8, 31, 200] {
            let oracle = StudentsT::new(0.0, 1.0, freedom as f64).unwrap();
            for t in [-30.0, -2.5, -0.1, 0.0, 0.7, 1.96, 12.0] {
                let found = probability(t, freedom).unwrap();
                assert!((found - oracle.cdf(t)).abs() < 1e-9, "{freedom} {t}: {found}");
            }
            for p in [0.5001, 0.9, 0.995, 1.0 - 1e-9] {
                let round = probability(quantile(p, freedom).unwrap(), freedom).unwrap();
                assert!((round - p).abs() < 1e-12, "{freedom} {p}: {round}");
            }
        }
    }

    #[test]
    fn many_degrees_of_freedom_go_on_where_few_end() {
        for p in [0.001, 0.025, 0.4, 0.5, 0.6, 0.975, 0.9999, 1.0 - 1e-9] {
            let [before, behind] = [FEW_MAX, FEW_MAX + 1].map(|freedom| quantile(p, freedom).unwrap());
            let x = normal::quantile(p);
            // One more degree of freedom takes a little of the distance from the normal quantile.
            let step = (x.powi(3) + x) / 4.0 / (FEW_MAX as f64).powi(2);
            assert!((before - behind - step).abs() < 1e-6, "{p}: {before} {behind}");
            let [before, behind] = [FEW_MAX, FEW_MAX + 1].map(|freedom| probability(x, freedom).unwrap());
            assert!((before - behind).abs() < 1e-6, "{p}: {before} {behind}");
        }
    }

    #[test]
    fn any_number_of_degrees_of_freedom_takes_no_time() {
        for freedom in [FEW_MAX + 1, 1_000_000, 1_000_000_000_000, usize::MAX] {
            for p in [0.0001, 0.025, 0.5, 0.9, 0.995, 1.0 - 1e-9] {
                let round = probability(quantile(p, freedom).unwrap(), freedom).unwrap();
                assert!((round - p).abs() < 1e-12, "{freedom} {p}: {round}");
            }
        }
        assert!((quantile(0.975, usize::MAX).unwrap() - 1.959_963_984_540_054).abs() < 1e-12);
        assert_eq!(probability(f64::INFINITY, usize::MAX), Some(1.0));
        let oracle = StudentsT::new(0.0, 1.0, 5000.0).unwrap();
        for t in [-30.0, -2.5, -0.1, 0.0, 0.7, 1.96, 12.0] {
            let found = probability(t, 5000).unwrap();
            assert!((found - oracle.cdf(t)).abs() < 1e-9, "{t}: {found}");
        }
    }

    #[test]
    fn what_has_no_answer_is_refused() {
        assert_eq!(quantile(0.975, 0), None);
        assert_eq!(quantile(1.0, 3), None);
        assert_eq!(quantile(f64::NAN, 3), None);
        assert_eq!(probability(f64::NAN, 3), None);
    }
}
