//! Student's t distribution, for whole degrees of freedom.
//!
//! M. Abramowitz and I. Stegun, *Handbook of Mathematical Functions*, 26.7.3 and 26.7.4: finite series, exact but for rounding.

use std::f64::consts::FRAC_2_PI;

/// Most steps of Newton's method: probabilities of 1 - 1e-15 take some forty.
const STEPS_MAX: u32 = 100;

/// The probability of a value of at most `t` with `freedom` degrees of freedom; `None` where there are none, or `t` is NaN.
pub fn probability(t: f64, freedom: usize) -> Option<f64> {
    (freedom > 0 && !t.is_nan()).then(|| 0.5 + within((t / (freedom as f64).sqrt()).atan(), freedom) / 2.0)
}

/// The value that is exceeded with probability 1 - `p`; `None` where there are no degrees of freedom, or `p` is not between
/// 0 and 1.
pub fn quantile(p: f64, freedom: usize) -> Option<f64> {
    if freedom == 0 || !(p > 0.0 && p < 1.0) {
        return None;
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
    fn what_has_no_answer_is_refused() {
        assert_eq!(quantile(0.975, 0), None);
        assert_eq!(quantile(1.0, 3), None);
        assert_eq!(quantile(f64::NAN, 3), None);
        assert_eq!(probability(f64::NAN, 3), None);
    }
}
