//! Sums of products in doubled precision, and how far a correct kernel may be from them.

use paw_native::real::Real;

/// A sum of products and the sum of their magnitudes.
#[derive(Clone, Copy, Default)]
pub struct Sum {
    high: f64,
    low: f64,
    pub magnitude: f64,
}

impl Sum {
    /// Adds a product: error-free transformations of Ogita, Rump and Oishi (SIAM J. Sci. Comput. 26, 2005), without
    /// the fused multiply-add that not every processor has.
    pub fn add(&mut self, a: f64, b: f64) {
        let product = a * b;
        let ((a_high, a_low), (b_high, b_low)) = (halves(a), halves(b));
        let product_error = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
        let sum = self.high + product;
        let part = sum - self.high;
        self.low += (self.high - (sum - part)) + (product - part) + product_error;
        self.high = sum;
        self.magnitude += (a * b).abs();
    }

    pub fn value(&self) -> f64 {
        self.high + self.low
    }
}

/// Two numbers of half the length whose sum is `x` (Veltkamp).
fn halves(x: f64) -> (f64, f64) {
    let scaled = 134_217_729.0 * x;
    let high = scaled - (scaled - x);
    (high, x - high)
}

/// Pseudo-random numbers in [-0.5, 0.5), the same on every machine.
pub fn numbers<T: Real>(count: usize, seed: u64) -> Vec<T> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = |_| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        T::from_f64((state >> 40) as f64 / (1u64 << 24) as f64 - 0.5)
    };
    (0..count).map(next).collect()
}

/// Whether `got` is alpha times the sum plus beta times `old`, within the bound any order of summation keeps:
/// (k + 3) unit roundoffs of the magnitudes (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1).
pub fn agrees<T: Real>(got: T, k: usize, sum: &Sum, alpha: T, beta: T, old: T) -> bool {
    let (alpha, beta) = (alpha.to_f64(), beta.to_f64());
    let kept = if beta == 0.0 { 0.0 } else { beta * old.to_f64() };
    let (want, magnitude) = (alpha * sum.value() + kept, alpha.abs() * sum.magnitude + kept.abs());
    (got.to_f64() - want).abs() <= (k + 3) as f64 * T::UNIT_ROUNDOFF * magnitude
}

/// The factors every product is tried with; beta 0 comes with results that hold NaN.
pub const FACTORS: [(f64, f64); 6] = [(1.0, 1.0), (1.0, 0.0), (-0.7, 1.0), (0.5, -1.3), (0.0, 0.0), (0.0, 2.0)];

/// The value of padding, which must not change.
pub const PADDING: f64 = 7.25;
