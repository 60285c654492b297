//! Numbers of twice the digits of f64: an unevaluated sum of two (Dekker 1971, Numerische Mathematik 18).

/// hi + lo, where lo is what hi lost to rounding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DoubleDouble {
    hi: f64,
    lo: f64,
}

impl From<f64> for DoubleDouble {
    fn from(hi: f64) -> Self {
        Self { hi, lo: 0.0 }
    }
}

impl DoubleDouble {
    /// The nearest f64.
    pub(crate) fn value(self) -> f64 {
        self.hi + self.lo
    }

    /// self − `other`, rounded to f64.
    pub(crate) fn minus(self, other: f64) -> f64 {
        self.plus(Self::from(-other)).value()
    }

    #[inline]
    pub(super) fn plus(self, other: Self) -> Self {
        let (hi, error) = two_sum(self.hi, other.hi);
        renormalised(hi, error + self.lo + other.lo)
    }

    #[inline]
    pub(super) fn times(self, factor: f64) -> Self {
        let (hi, error) = two_product(self.hi, factor);
        renormalised(hi, error + self.lo * factor)
    }

    /// self + a·b.
    #[inline]
    pub(crate) fn plus_product(self, a: f64, b: f64) -> Self {
        let (product, error) = two_product(a, b);
        self.plus(Self { hi: product, lo: error })
    }
}

#[inline]
fn renormalised(hi: f64, lo: f64) -> DoubleDouble {
    let sum = hi + lo;
    DoubleDouble { hi: sum, lo: lo - (sum - hi) }
}

/// a + b exactly: the rounded sum and its error (Knuth).
#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// a · b exactly: the rounded product and its error (Dekker, Veltkamp). It uses no fused multiply-add, which is a slow function
/// call on processors without the instruction.
#[inline]
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    let ((a_hi, a_lo), (b_hi, b_lo)) = (split(a), split(b));
    (product, ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo)
}

#[inline]
fn split(a: f64) -> (f64, f64) {
    /// Two halves of 26 binary digits each.
    const SPLITTER: f64 = (1_u64 << 27) as f64 + 1.0;
    let scaled = SPLITTER * a;
    let hi = scaled - (scaled - a);
    (hi, a - hi)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_double_loses_is_kept() {
        let sum = DoubleDouble::from(1e16).plus_product(1.0 + f64::EPSILON, 1.0 - f64::EPSILON);
        // (1 + ε)(1 − ε) = 1 − ε²; beside 1e16 a double keeps not even the 1.
        assert_eq!(sum.minus(1e16), 1.0);
        let square = DoubleDouble::from(1.0 + f64::EPSILON).times(1.0 + f64::EPSILON);
        assert_eq!(square.minus(1.0 + 2.0 * f64::EPSILON), f64::EPSILON * f64::EPSILON);
    }

    #[test]
    fn a_sum_that_cancels_is_exact() {
        let sum = [1.0, 1e25, 1.0, -1e25].map(DoubleDouble::from).into_iter().reduce(DoubleDouble::plus);
        assert_eq!(sum.map(DoubleDouble::value), Some(2.0));
    }
}
