//! Checks of BLAS products, by arithmetic of paw's own.
//!
//! The error of an entry is counted in units of u(|α| Σ|a||b| + |β||c₀|), u being the unit roundoff: e. Rounding alone can
//! make e k + 2 and no more (Higham, Accuracy and Stability of Numerical Algorithms, §3.1): beyond that the entry is
//! proved wrong. Healthy libraries stay near 3 at every k; operands rounded to fewer digits exceed that, even where they
//! stay below k + 2.

pub(crate) mod double_double;
mod every_entry;
mod matrix;

use paw_data::outcome::{Check, CheckVerdict};
use paw_foreign::blas::Real;
use paw_foreign::blas::dimensions::{GemmDimensions, GemvDimensions, Transpose};
use paw_stats::split_mix;

use double_double::DoubleDouble;
use matrix::Matrix;

/// An e beyond this is suspicious: five times that of healthy libraries at any k, a twentieth of that of operands with ten binary
/// digits, and the threshold of HPL's residual check.
const SUSPICIOUS: f64 = 16.0;
/// The largest product, in multiplications, of which every entry is checked.
const SMALL: usize = 1 << 22;
/// Number of entries of a larger product that are computed exactly, corners and edges among them.
const SAMPLED: usize = 64;

/// Checks C = α op(A) op(B) + β C₀, where `c0` is what C was before, and that nothing between the rows of C was touched.
///
/// Of small products every entry is checked. Of larger ones 64 entries are, and all entries together by Freivalds' test:
/// C t against α op(A)(op(B) t) + β C₀ t for signs t, computed with twice the digits of f64.
pub fn check_gemm<T: Real>(dims: &GemmDimensions, alpha: T, a: &[T], b: &[T], beta: T, c0: &[T], c: &[T]) -> Check {
    if let Err(refused) = dims.check(a.len(), b.len(), c.len().min(c0.len())) {
        return failed("dims", refused.0);
    }
    if let Some(check) = touched_padding(c0, c, dims.m, dims.n, dims.ldc) {
        return check;
    }
    let product = Product {
        roundoff: T::ROUNDOFF,
        alpha: alpha.into(),
        a: Matrix::new(a, dims.stored_a(), dims.lda, dims.transa),
        b: Matrix::new(b, dims.stored_b(), dims.ldb, dims.transb),
        beta: beta.into(),
        c0: Matrix::new(c0, (dims.m, dims.n), dims.ldc, Transpose::No),
        c: Matrix::new(c, (dims.m, dims.n), dims.ldc, Transpose::No),
    };
    product.check()
}

/// Checks C = A B of dense matrices of any numbers, as [`check_gemm`] does; `roundoff` is that of the sums. An error of a whole number is
/// beyond what rounding of f64 can do at any depth that 32 bits allow.
pub fn check_dense<A, B, C>([m, n, k]: [usize; 3], a: &[A], b: &[B], c: &[C], roundoff: f64) -> Check
where
    A: Copy + Into<f64>,
    B: Copy + Into<f64>,
    C: Copy + Into<f64>,
{
    if let Err(refused) = GemmDimensions::dense(m, n, k).check(a.len(), b.len(), c.len()) {
        return failed("dims", refused.0);
    }
    let matrix = Matrix::new(c, (m, n), n, Transpose::No);
    let (a, b) = (Matrix::new(a, (m, k), k, Transpose::No), Matrix::new(b, (k, n), n, Transpose::No));
    Product { roundoff, alpha: 1.0, a, b, beta: 0.0, c0: matrix, c: matrix }.check()
}

/// Checks y = α op(A) x + β y₀ in every entry, where `y0` is what y was before.
pub fn check_gemv<T: Real>(dims: &GemvDimensions, alpha: T, a: &[T], x: &[T], beta: T, y0: &[T], y: &[T]) -> Check {
    if let Err(refused) = dims.check(a.len(), x.len(), y.len().min(y0.len())) {
        return failed("dims", refused.0);
    }
    let (rows, inner) = (dims.y_len(), dims.x_len());
    if let Some(check) = touched_padding(y0, y, 1, rows, rows) {
        return check;
    }
    let a = Matrix::new(a, (dims.m, dims.n), dims.lda, dims.trans);
    let x: Vec<f64> = x[..inner].iter().map(|value| (*value).into()).collect();
    let exact: Vec<DoubleDouble> = x.iter().map(|value| DoubleDouble::from(*value)).collect();
    let sizes: Vec<f64> = x.iter().map(|value| value.abs()).collect();
    let (dots, sizes) = (a.times(&exact), a.sizes_times(&sizes));
    let (alpha, beta): (f64, f64) = (alpha.into(), beta.into());
    let mut worst = Worst::default();
    for row in 0..rows {
        let parts = Parts { dot: dots[row], size: sizes[row], before: y0[row].into() };
        worst.see(row, None, y[row].into(), parts.exact(alpha, beta), parts.unit(T::ROUNDOFF, alpha, beta));
    }
    worst.judged(inner, "every entry by exact dot product")
}

/// One product, with its operands before and after.
#[derive(Debug, Clone, Copy)]
struct Product<'a, A, B, C> {
    /// Unit roundoff of the sums.
    roundoff: f64,
    alpha: f64,
    a: Matrix<'a, A>,
    b: Matrix<'a, B>,
    beta: f64,
    c0: Matrix<'a, C>,
    c: Matrix<'a, C>,
}

/// The terms of one entry.
#[derive(Debug, Clone, Copy)]
struct Parts {
    dot: DoubleDouble,
    size: f64,
    before: f64,
}

impl Parts {
    /// The exact entry, to twice the digits of f64. With β = 0 the old value is not read: it may be NaN.
    fn exact(&self, alpha: f64, beta: f64) -> DoubleDouble {
        let product = self.dot.times(alpha);
        match beta == 0.0 {
            true => product,
            false => product.plus_product(beta, self.before),
        }
    }

    /// The unit of the entry's error: u(|α| Σ|a||b| + |β||c₀|).
    fn unit(&self, roundoff: f64, alpha: f64, beta: f64) -> f64 {
        let before = if beta == 0.0 { 0.0 } else { (beta * self.before).abs() };
        roundoff * (alpha.abs() * self.size + before)
    }
}

impl<A: Copy + Into<f64>, B: Copy + Into<f64>, C: Copy + Into<f64>> Product<'_, A, B, C> {
    /// Every entry of a small product; some of a larger one, and all of them together.
    fn check(&self) -> Check {
        let (m, n, k) = (self.a.rows(), self.b.columns(), self.a.columns());
        if m.saturating_mul(n).saturating_mul(k) <= SMALL {
            let all = (0..m).flat_map(|row| (0..n).map(move |column| (row, column)));
            return self.worst(all).judged(k, "every entry by exact dot product");
        }
        let worst = self.worst(sampled(m, n).into_iter());
        match every_entry::wrong_row(self) {
            Err(check) => check,
            Ok(ratio) => {
                let method =
                    format!("{SAMPLED} entries by exact dot product, all by Freivalds' test ({ratio:.3} of 1)");
                worst.judged(k, &method)
            }
        }
    }

    fn parts(&self, row: usize, column: usize) -> Parts {
        let mut dot = DoubleDouble::from(0.0);
        let mut size = 0.0;
        for k in 0..self.a.columns() {
            let (a, b) = (self.a.at(row, k), self.b.at(k, column));
            dot = dot.plus_product(a, b);
            size += (a * b).abs();
        }
        Parts { dot, size, before: self.c0.at(row, column) }
    }

    fn worst(&self, entries: impl Iterator<Item = (usize, usize)>) -> Worst {
        let mut worst = Worst::default();
        for (row, column) in entries {
            let parts = self.parts(row, column);
            let (exact, unit) = (parts.exact(self.alpha, self.beta), parts.unit(self.roundoff, self.alpha, self.beta));
            worst.see(row, Some(column), self.c.at(row, column), exact, unit);
        }
        worst
    }
}

/// The entry with the largest error.
#[derive(Debug, Default)]
struct Worst {
    e: f64,
    place: String,
}

impl Worst {
    fn see(&mut self, row: usize, column: Option<usize>, value: f64, exact: DoubleDouble, unit: f64) {
        let off = exact.minus(value).abs();
        let e = if off == 0.0 { 0.0 } else { finite(off / unit) };
        if e > self.e {
            let column = column.map(|column| format!("[{column}]")).unwrap_or_default();
            *self = Self { e, place: format!("entry [{row}]{column} is {value:e} and should be {:e}", exact.value()) };
        }
    }

    fn judged(self, k: usize, method: &str) -> Check {
        let proved = k as f64 + 2.0;
        let (bound, verdict, note) = match self.e {
            e if e > proved => {
                (proved, CheckVerdict::Fail, format!("wrong: {}, beyond what rounding can do at k = {k}", self.place))
            }
            e if e > SUSPICIOUS => {
                (SUSPICIOUS, CheckVerdict::Warn, format!("reduced precision? {}, {e:.0} units off", self.place))
            }
            _ => (SUSPICIOUS.min(proved), CheckVerdict::Pass, String::new()),
        };
        Check { method: method.to_owned(), error: self.e, bound, verdict, note, accuracy: None }
    }
}

/// A failure without an error size.
fn failed(method: &str, note: String) -> Check {
    Check { method: method.to_owned(), error: f64::MAX, bound: 0.0, verdict: CheckVerdict::Fail, note, accuracy: None }
}

/// `value`, or the largest finite number in place of an infinity or NaN, which files cannot hold.
fn finite(value: f64) -> f64 {
    if value.is_finite() { value } else { f64::MAX }
}

/// The failure of a product that wrote between or after the rows of its result; `None` if it did not.
fn touched_padding<T: Real>(before: &[T], after: &[T], rows: usize, columns: usize, ld: usize) -> Option<Check> {
    let bits = |value: &T| Into::<f64>::into(*value).to_bits();
    let outside = |row: usize, len: usize| if row < rows { columns.min(len)..len } else { 0..len };
    let written = before.chunks(ld).zip(after.chunks(ld)).enumerate().find_map(|(row, (before, after))| {
        let mut outside = outside(row, before.len().min(after.len()));
        outside.find(|at| bits(&before[*at]) != bits(&after[*at])).map(|at| row * ld + at)
    });
    let index = written?;
    Some(failed(
        "padding",
        format!("element {index}, which lies outside the result (its rows are {ld} apart), was written"),
    ))
}

/// Corners, edges and pseudo-random entries of an m × n matrix, the same in every run.
fn sampled(m: usize, n: usize) -> Vec<(usize, usize)> {
    let mut dice = RandomIndexes::of(split_mix::STEP);
    let mut entries = vec![(0, 0), (0, n - 1), (m - 1, 0), (m - 1, n - 1)];
    for _ in 0..4 {
        entries.extend([(0, dice.below(n)), (m - 1, dice.below(n)), (dice.below(m), 0), (dice.below(m), n - 1)]);
    }
    while entries.len() < SAMPLED {
        entries.push((dice.below(m), dice.below(n)));
    }
    entries
}

/// A pseudo-random number generator.
struct RandomIndexes {
    seed: u64,
    drawn: u64,
}

impl RandomIndexes {
    fn of(seed: u64) -> Self {
        Self { seed, drawn: 0 }
    }

    fn next(&mut self) -> u64 {
        self.drawn += 1;
        split_mix::at(self.seed, self.drawn - 1)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}
