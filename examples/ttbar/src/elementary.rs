//! Elementary functions of multiplications, divisions and square roots alone.
//!
//! Those are rounded alike by every processor, compiler and device that keeps to IEEE 754; the functions of mathematical
//! libraries are not. So the same numbers come out everywhere, bit for bit. `device/fit.cl` repeats these functions,
//! operation by operation. They err by about a unit in the last place, as libraries do.

use std::f64::consts::{LN_2, TAU};

/// Upper half of ln 2: products with whole numbers below 2²⁰ are exact.
const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
/// The rest of ln 2.
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Added to a number below 2⁵¹, it rounds that to a whole one, which then stands in the lowest bits: 1.5 · 2⁵².
const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// Ratios of neighbouring terms in the series of the cosine, without the sign and the square of the angle.
const COSINE: [f64; 8] =
    [1.0 / 2.0, 1.0 / 12.0, 1.0 / 30.0, 1.0 / 56.0, 1.0 / 90.0, 1.0 / 132.0, 1.0 / 182.0, 1.0 / 240.0];
/// The same in that of the sine.
const SINE: [f64; 8] =
    [1.0 / 6.0, 1.0 / 20.0, 1.0 / 42.0, 1.0 / 72.0, 1.0 / 110.0, 1.0 / 156.0, 1.0 / 210.0, 1.0 / 272.0];
/// Bits of the fraction of a double.
const FRACTION: u64 = (1 << 52) - 1;
/// Bits of √½.
const HALF_ROOT: u64 = 0x3fe6_a09e_667f_3bcd;

/// The natural logarithm of a positive number that is not subnormal.
// Within the loop that draws random numbers it would crowd out their registers.
#[inline(never)]
pub fn ln(x: f64) -> f64 {
    // x = 2^k m, with m from √½ to √2.
    let exponent = (x.to_bits().wrapping_sub(HALF_ROOT) as i64) >> 52;
    let m = f64::from_bits(x.to_bits().wrapping_sub((exponent as u64) << 52));
    let k = exponent as f64;
    // ln m = 2 artanh s: its series, in two halves that are summed side by side.
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let zz = z * z;
    let even = 1.0 / 3.0 + zz * (1.0 / 7.0 + zz * (1.0 / 11.0 + zz * (1.0 / 15.0 + zz * (1.0 / 19.0))));
    let odd = 1.0 / 5.0 + zz * (1.0 / 9.0 + zz * (1.0 / 13.0 + zz * (1.0 / 17.0)));
    let twice = s + s;
    k * LN_2_HIGH + (twice + (twice * z * (even + z * odd) + k * LN_2_LOW))
}

/// e to the power x; 0 below e^−708 and of what is no number, infinity above e^709.
pub fn exp(x: f64) -> f64 {
    if x > 709.0 {
        return f64::INFINITY;
    }
    if x.is_nan() || x < -708.0 {
        return 0.0;
    }
    // e^x = 2^k e^r, with r at most half of ln 2.
    let rounded = x * (1.0 / LN_2) + ROUNDER;
    let k = rounded - ROUNDER;
    let r = x - k * LN_2_HIGH - k * LN_2_LOW;
    let rr = r * r;
    // The series from r²/2 to r¹³/13!, in two halves.
    let even = 1.0 / 2.0
        + rr * (1.0 / 24.0
            + rr * (1.0 / 720.0 + rr * (1.0 / 40_320.0 + rr * (1.0 / 3_628_800.0 + rr * (1.0 / 479_001_600.0)))));
    let odd = 1.0 / 6.0
        + rr * (1.0 / 120.0
            + rr * (1.0 / 5_040.0 + rr * (1.0 / 362_880.0 + rr * (1.0 / 39_916_800.0 + rr * (1.0 / 6_227_020_800.0)))));
    let power = 1.0 + (r + rr * (even + r * odd));
    // The lowest bits of the rounded number move to the exponent.
    f64::from_bits(power.to_bits().wrapping_add(rounded.to_bits() << 52))
}

/// The cube root of a number that is not negative.
pub fn cbrt(x: f64) -> f64 {
    if !(x > 0.0 && x <= f64::MAX) {
        return x;
    }
    // Subnormal numbers are scaled by 2⁵⁴ and their roots by 2⁻¹⁸.
    let (x, scale) = if x < f64::MIN_POSITIVE { (x * 18_014_398_509_481_984.0, 1.0 / 262_144.0) } else { (x, 1.0) };
    // x = 2^(3k) m, with m from 1 to 8; 1023, the exponent of 1, is three times 341.
    let exponent = x.to_bits() >> 52;
    let m = f64::from_bits((x.to_bits() & FRACTION) | ((exponent % 3 + 1023) << 52));
    let power = f64::from_bits((exponent / 3 + 682) << 52);
    // Within 0.009 by a polynomial, then two steps by Halley, each of which triples the digits.
    let mut root = 0.716_73 + m * (0.328_84 + m * (-0.034_026 + m * 0.001_627_5));
    for _ in 0..2 {
        let cube = root * root * root;
        root *= (cube + 2.0 * m) / (2.0 * cube + m);
    }
    root * power * scale
}

/// The cosine of a third of the angle whose cosine this is, from 0 to 1: the largest root of 4 t³ − 3 t = `cosine`.
pub fn third_of_angle(cosine: f64) -> f64 {
    // Within 0.00004 by a polynomial, then two steps by Newton, each of which doubles the digits.
    let mut root = 0.866_066 + cosine * (0.165_33 + cosine * (-0.040_691 + cosine * 0.009_32));
    for _ in 0..2 {
        let square = root * root;
        root = (8.0 * square * root + cosine) / (12.0 * square - 3.0);
    }
    root
}

/// Cosine and sine of an angle in full turns, from 0 to 1.
pub fn turn(turns: f64) -> [f64; 2] {
    // Whole quarters are left out without an error; at most an eighth stays.
    let rounded = 4.0 * turns + ROUNDER;
    let angle = TAU * (turns - 0.25 * (rounded - ROUNDER));
    let square = angle * angle;
    // The series up to the seventeenth power: each term from the one before.
    let series = |ratios: [f64; 8]| ratios.iter().rev().fold(1.0, |sum, ratio| 1.0 - sum * square * ratio);
    let (cosine, sine) = (series(COSINE), angle * series(SINE));
    match rounded.to_bits() % 4 {
        0 => [cosine, sine],
        1 => [-sine, cosine],
        2 => [-cosine, -sine],
        _ => [sine, -cosine],
    }
}

/// The hyperbolic sine.
pub fn sinh(x: f64) -> f64 {
    0.5 * (exp(x) - exp(-x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// How far apart, in units of the last place of the larger.
    fn ulps(a: f64, b: f64) -> f64 {
        let larger = a.abs().max(b.abs());
        if a == b { 0.0 } else { (a - b).abs() / (larger.next_up() - larger) }
    }

    #[test]
    fn exact_cases_are_exact() {
        assert_eq!([ln(1.0), exp(0.0), cbrt(8.0), cbrt(1.0), cbrt(0.0)], [0.0, 1.0, 2.0, 1.0, 0.0]);
        assert_eq!([cbrt(f64::INFINITY), exp(1e9), exp(-1e9), exp(f64::NAN)], [f64::INFINITY, f64::INFINITY, 0.0, 0.0]);
        assert_eq!([0.0, 0.25, 0.5, 0.75].map(turn), [[1.0, 0.0], [-0.0, 1.0], [-1.0, -0.0], [0.0, -1.0]]);
        assert_eq!(third_of_angle(1.0), 1.0);
        assert!(ulps(third_of_angle(0.0), 0.75_f64.sqrt()) <= 2.0);
        assert!(ulps(cbrt(5e-324), 5e-324_f64.cbrt()) <= 2.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]
        #[test]
        fn they_agree_with_the_library(
            power in -300.0..300.0_f64, near_one in 0.5..2.0_f64, exponent in -700.0..700.0_f64, unit in 0.0..1.0_f64
        ) {
            let x = 10.0_f64.powf(power);
            prop_assert!(ulps(ln(x), x.ln()) <= 2.0, "ln {}: {} {}", x, ln(x), x.ln());
            prop_assert!(ulps(ln(near_one), near_one.ln()) <= 3.0, "ln {}: {} {}", near_one, ln(near_one), near_one.ln());
            prop_assert!(ulps(exp(exponent), exponent.exp()) <= 2.0, "exp {}", exponent);
            prop_assert!(ulps(cbrt(x), x.cbrt()) <= 3.0, "cbrt {}: {} {}", x, cbrt(x), x.cbrt());
            prop_assert!(ulps(third_of_angle(unit), (unit.acos() / 3.0).cos()) <= 3.0, "third {}", unit);
            let [cosine, sine] = turn(unit);
            prop_assert!((cosine - (TAU * unit).cos()).abs() < 2e-15 && (sine - (TAU * unit).sin()).abs() < 2e-15);
            let rapidity = 20.0 * unit - 10.0;
            prop_assert!((sinh(rapidity) - rapidity.sinh()).abs() < 1e-15 * rapidity.cosh(), "sinh {}", rapidity);
        }
    }
}
