//! Real roots of a polynomial of degree four.
//!
//! Between neighbouring zeros of its derivative a polynomial has one root or none (Rolle), and which of them is told
//! by its signs there. The derivative is a cubic, solved in closed form (Cardano, Viète); the roots are then found
//! by Newton steps that may not leave their bracket. Where there are no real roots, as mostly, three evaluations tell.

use crate::elementary::{cbrt, third_of_angle};

/// Up to four numbers, ascending.
#[derive(Debug, Clone, Copy, Default)]
pub struct Roots {
    values: [f64; 4],
    count: usize,
}

impl Roots {
    /// The roots.
    pub fn values(&self) -> &[f64] {
        &self.values[..self.count]
    }

    fn push(&mut self, root: f64) {
        if self.count < self.values.len() {
            self.values[self.count] = root;
            self.count += 1;
        }
    }
}

/// Two roots this near to each other, relative to rounding of the terms, cannot be told from a double one.
const TOUCH: f64 = 1e-13;
/// Newton doubles the digits: a step this small was the last but none.
const CONVERGED: f64 = 1e-9;
/// A bracket is halved or better in each step; no double has more bits between exponent extremes.
const STEPS_MAX: usize = 2100;

/// The real roots of `c[4] x⁴ + … + c[0]`, a double root twice. Without finite coefficients there are none.
///
/// Where a critical point is a root within rounding (1e-13 of the sum of absolute terms), it counts as a double one.
/// Where the leading coefficient is 0 the polynomial has a lower degree, and its roots are found as well; the
/// polynomial 0 has none.
pub fn real_roots(c: &[f64; 5]) -> Roots {
    let [c0, c1, c2, c3, c4] = *c;
    if c.iter().any(|coefficient| !coefficient.is_finite()) {
        return Roots::default();
    }
    if c4 == 0.0 {
        return cubic(c3, c2, c1, c0);
    }
    let monic = Monic { c0: c0 / c4, c1: c1 / c4, c2: c2 / c4, c3: c3 / c4 };
    if [monic.c0, monic.c1, monic.c2, monic.c3].iter().any(|coefficient| !coefficient.is_finite()) {
        return cubic(c3, c2, c1, c0);
    }
    monic.roots()
}

/// x⁴ + c3 x³ + c2 x² + c1 x + c0.
struct Monic {
    c0: f64,
    c1: f64,
    c2: f64,
    c3: f64,
}

impl Monic {
    fn at(&self, x: f64) -> f64 {
        (((x + self.c3) * x + self.c2) * x + self.c1) * x + self.c0
    }

    fn slope(&self, x: f64) -> f64 {
        ((4.0 * x + 3.0 * self.c3) * x + 2.0 * self.c2) * x + self.c1
    }

    /// The value at a critical point; 0 where it is so within rounding.
    fn at_critical(&self, x: f64) -> f64 {
        let value = self.at(x);
        let size = x.abs();
        let terms = (((size + self.c3.abs()) * size + self.c2.abs()) * size + self.c1.abs()) * size + self.c0.abs();
        if value.abs() <= TOUCH * terms { 0.0 } else { value }
    }

    fn roots(&self) -> Roots {
        let critical = cubic(4.0, 3.0 * self.c3, 2.0 * self.c2, self.c1);
        let mut roots = Roots::default();
        let [Some(&first), Some(&last)] = [critical.values().first(), critical.values().last()] else { return roots };
        let mut before = (first, self.at_critical(first));
        if before.1 < 0.0 {
            roots.push(self.outside(first, -1.0));
        } else if before.1 == 0.0 {
            roots.push(first);
            roots.push(first);
        }
        for &x in &critical.values()[1..] {
            let here = (x, self.at_critical(x));
            // From zero to zero it is the same root: what lies between neighbours rises or falls.
            if here.1 == 0.0 && before.1 != 0.0 {
                roots.push(x);
                roots.push(x);
            } else if before.1 * here.1 < 0.0 {
                let [below, above] = if here.1 < 0.0 { [here.0, before.0] } else { [before.0, here.0] };
                roots.push(self.between(below, above, middle(below, above)));
            }
            before = here;
        }
        if before.1 < 0.0 {
            roots.push(self.outside(last, 1.0));
        }
        roots
    }

    /// The root beyond the outermost critical point, where the value is negative, on this side of it.
    fn outside(&self, critical: f64, side: f64) -> f64 {
        let depth = -self.at(critical);
        let bend = (6.0 * critical + 3.0 * self.c3) * critical + self.c2;
        // The distance were x⁴, or the parabola at the critical point, all that rises.
        let mut distance = depth.sqrt().sqrt();
        if bend > 0.0 {
            distance = distance.min((depth / bend).sqrt());
        }
        distance = distance.max(f64::EPSILON * critical.abs()).max(f64::MIN_POSITIVE);
        let mut below = critical;
        while self.at(critical + side * distance) < 0.0 {
            below = critical + side * distance;
            distance *= 2.0;
        }
        let above = critical + side * distance;
        self.between(below, above, above)
    }

    /// The root between a point with negative and a point with positive value.
    fn between(&self, mut below: f64, mut above: f64, start: f64) -> f64 {
        let mut x = start;
        for _ in 0..STEPS_MAX {
            let value = self.at(x);
            *(if value < 0.0 { &mut below } else { &mut above }) = x;
            let newton = x - value / self.slope(x);
            let inside = (newton - below) * (newton - above) <= 0.0;
            let next = if inside { newton } else { middle(below, above) };
            let step = (next - x).abs();
            x = next;
            if step <= CONVERGED * x.abs() || step == 0.0 {
                // One more Newton step from here has all the digits there are.
                let last = x - self.at(x) / self.slope(x);
                return if (last - x).abs() <= step { last } else { x };
            }
        }
        x
    }
}

/// The number half way between two.
fn middle(a: f64, b: f64) -> f64 {
    0.5 * a + 0.5 * b
}

/// The real roots of `a x³ + b x² + c x + d`, ascending; a double root may stand once or twice.
fn cubic(a: f64, b: f64, c: f64, d: f64) -> Roots {
    let [shift, p, q] = [b / (3.0 * a), c / a, d / a];
    if a == 0.0 || !(shift.is_finite() && p.is_finite() && q.is_finite()) {
        return quadratic(b, c, d);
    }
    // x = t − shift: t³ + 3 third t + 2 half = 0.
    let third = p / 3.0 - shift * shift;
    let half = (q - shift * p) / 2.0 + shift * shift * shift;
    let discriminant = half * half + third * third * third;
    let mut roots = Roots::default();
    if discriminant > 0.0 {
        let larger = cbrt(half.abs() + discriminant.sqrt()).copysign(-half);
        roots.push(larger - third / larger - shift);
    } else {
        let radius = (-third).max(0.0).sqrt();
        let cosine = if radius > 0.0 { (-half / (radius * radius * radius)).clamp(-1.0, 1.0) } else { 1.0 };
        // A third of an angle of at most 90°; beyond, the roots are those of the supplement with the other sign.
        let outer = third_of_angle(cosine.abs());
        let side = (3.0 * (1.0 - outer) * (1.0 + outer)).max(0.0).sqrt();
        let factors = if cosine < 0.0 {
            [-2.0 * outer, outer - side, outer + side]
        } else {
            [-outer - side, side - outer, 2.0 * outer]
        };
        for factor in factors {
            roots.push(radius * factor - shift);
        }
    }
    for root in &mut roots.values[..roots.count] {
        let x = *root;
        let newton = x - (((a * x + b) * x + c) * x + d) / ((3.0 * a * x + 2.0 * b) * x + c);
        // Near a double root the slope is rounding alone.
        if (newton - x).abs() <= 1e-6 * (x.abs() + shift.abs()) {
            *root = newton;
        }
    }
    // There are three at most.
    for i in [1, 2, 1] {
        if i < roots.count && roots.values[i] < roots.values[i - 1] {
            roots.values.swap(i - 1, i);
        }
    }
    roots
}

/// The real roots of `a x² + b x + c`, ascending, without cancellation.
fn quadratic(a: f64, b: f64, c: f64) -> Roots {
    let mut roots = Roots::default();
    let discriminant = b * b - 4.0 * a * c;
    if discriminant < 0.0 || (a == 0.0 && b == 0.0) {
        return roots;
    }
    let sum = -0.5 * (b + discriminant.sqrt().copysign(b));
    if a == 0.0 {
        roots.push(-c / b);
    } else if sum == 0.0 {
        roots.push(0.0);
    } else {
        let (first, second) = (sum / a, c / sum);
        let [first, second] = if second < first { [second, first] } else { [first, second] };
        roots.push(first);
        roots.push(second);
    }
    roots
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Coefficients of the product of (x − root), of degree four with the factor `x² + s x + t`s that are given.
    fn product(factors: &[&[f64]]) -> [f64; 5] {
        let mut c = vec![1.0];
        for factor in factors {
            let mut next = vec![0.0; c.len() + factor.len() - 1];
            for (i, a) in c.iter().enumerate() {
                for (j, b) in factor.iter().enumerate() {
                    next[i + j] += a * b;
                }
            }
            c = next;
        }
        c.resize(5, 0.0);
        c.try_into().expect("five coefficients")
    }

    fn check(factors: &[&[f64]], expected: &[f64]) {
        let c = product(factors);
        let roots = real_roots(&c);
        let scale = expected.iter().fold(1.0_f64, |s, r| s.max(r.abs()));
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-5 * scale;
        assert!(
            roots.values().len() == expected.len() && roots.values().iter().zip(expected).all(near),
            "{c:?}: {:?} instead of {expected:?}",
            roots.values()
        );
    }

    #[test]
    fn known_roots_are_found() {
        check(&[&[-1.0, 1.0], &[-2.0, 1.0], &[-3.0, 1.0], &[-4.0, 1.0]], &[1.0, 2.0, 3.0, 4.0]);
        check(&[&[-1.0, 1.0], &[4.0, 1.0], &[1.0, 0.0, 1.0]], &[-4.0, 1.0]);
        check(&[&[1.0, 0.0, 1.0], &[2.0, 1.0, 1.0]], &[]);
        check(&[&[-1.0, 0.0, 0.0, 0.0, 1.0]], &[-1.0, 1.0]);
        check(&[&[0.0, 0.0, 0.0, 0.0, 1.0]], &[0.0, 0.0]);
    }

    #[test]
    fn a_double_root_stands_twice() {
        check(&[&[-3.0, 1.0], &[-3.0, 1.0], &[1.0, 0.0, 1.0]], &[3.0, 3.0]);
        check(&[&[-3.0, 1.0], &[-3.0, 1.0], &[-7.0, 1.0], &[2.0, 1.0]], &[-2.0, 3.0, 3.0, 7.0]);
        check(&[&[-3.0, 1.0], &[-3.0, 1.0], &[5.0, 1.0], &[5.0, 1.0]], &[-5.0, -5.0, 3.0, 3.0]);
    }

    #[test]
    fn lower_degrees_have_their_roots() {
        check(&[&[-1.0, 1.0], &[-2.0, 1.0], &[-3.0, 1.0]], &[1.0, 2.0, 3.0]);
        check(&[&[-1.0, 1.0], &[-2.0, 1.0]], &[1.0, 2.0]);
        check(&[&[-1.0, 1.0]], &[1.0]);
        assert!(real_roots(&[0.0; 5]).values().is_empty());
        assert!(real_roots(&[1.0, f64::NAN, 0.0, 0.0, 1.0]).values().is_empty());
    }

    proptest! {
        #[test]
        fn planted_roots_come_back(
            start in -50.0..50.0_f64, gaps in proptest::array::uniform3(0.05..40.0_f64), lead in prop_oneof![-9.0..-0.1, 0.1..9.0_f64]
        ) {
            let planted = [start, start + gaps[0], start + gaps[0] + gaps[1], start + gaps[0] + gaps[1] + gaps[2]];
            let factors = planted.map(|root| [-root, 1.0]);
            let c = product(&[&[lead], &factors[0], &factors[1], &factors[2], &factors[3]]);
            let roots = real_roots(&c);
            prop_assert_eq!(roots.values().len(), 4, "{:?}: {:?}", planted, roots);
            for (found, planted) in roots.values().iter().zip(planted) {
                prop_assert!((found - planted).abs() < 1e-5 * (1.0 + planted.abs()), "{} instead of {}", found, planted);
            }
        }

        #[test]
        fn a_complex_pair_hides_no_real_root(
            first in -50.0..50.0_f64, gap in 0.1..50.0_f64, centre in -50.0..50.0_f64, height in 0.5..50.0_f64
        ) {
            let pair = [centre * centre + height * height, -2.0 * centre, 1.0];
            let roots = real_roots(&product(&[&[-first, 1.0], &[-first - gap, 1.0], &pair]));
            prop_assert_eq!(roots.values().len(), 2, "{:?}", roots);
            prop_assert!((roots.values()[0] - first).abs() < 1e-5 * (1.0 + first.abs()));
            prop_assert!((roots.values()[1] - first - gap).abs() < 1e-5 * (1.0 + first.abs() + gap));
        }

        #[test]
        fn two_complex_pairs_have_no_real_root(
            centres in proptest::array::uniform2(-50.0..50.0_f64), heights in proptest::array::uniform2(0.5..50.0_f64)
        ) {
            let pair = |i: usize| [centres[i] * centres[i] + heights[i] * heights[i], -2.0 * centres[i], 1.0];
            prop_assert!(real_roots(&product(&[&pair(0), &pair(1)])).values().is_empty());
        }
    }
}
