//! The check of a product that a device computed.
//!
//! Sampled entries are compared with exact dot products, and all of C with the operands by Freivalds' test: C·x against A·(B·x) for
//! signs x. The residual of a row is counted in units of its expected rounding noise; a worst-case bound would hide errors a thousand
//! times the noise. In types of few digits a single small error is within the noise.

use paw_data::outcome::{Check, CheckVerdict};
use paw_foreign::device::{GemmKind, GemmMath};
use paw_sort::OrderBy;
use paw_stats::split_mix;

use crate::blas::verify::double_double::DoubleDouble;
use crate::device::minifloat::{BF16, F16, TF32};
use crate::device::operand::{Data, Operand, decode};

/// Number of entries that are computed exactly.
const SAMPLED: usize = 256;
/// Largest residual of a row, in σ. Residuals are about normally distributed: among a billion rows none exceeds six σ by chance, and
/// the noise is known within a factor of two.
const SIGMA_MAX: f64 = 12.0;
/// Seeds of the signs, and of the sampled places.
const SIGNS: u64 = 0x5157_0001;
const PLACES: u64 = 0x5157_0002;

/// The product C = A·B of order `n`, all stored column by column, A transposed for kinds that need it.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    /// Types of the operands and of C.
    pub(crate) kind: GemmKind,
    /// How freely it may be computed.
    pub(crate) math: GemmMath,
    /// Rows and columns.
    pub(crate) n: usize,
    /// Contents of A and B.
    pub(crate) data: Data,
    /// A as stored.
    pub(crate) a: Operand,
    /// B as stored.
    pub(crate) b: Operand,
}

impl Problem {
    /// The product of this kind and order.
    pub(crate) fn new(kind: GemmKind, n: usize, data: Data) -> Self {
        let math = GemmMath::Default;
        Self { kind, math, n, data, a: Operand::new(kind, data, 1), b: Operand::new(kind, data, 2) }
    }

    /// The same product, computed as freely as that.
    pub(crate) fn computed(self, math: GemmMath) -> Self {
        Self { math, ..self }
    }

    /// The kind of product whose arithmetic units compute it.
    pub(crate) fn units(&self) -> GemmKind {
        if self.kind == GemmKind::Fp32 && self.math == GemmMath::Tensor { GemmKind::Tf32 } else { self.kind }
    }

    /// The element of A in this row and column.
    #[inline]
    pub(crate) fn a(&self, row: usize, column: usize) -> f64 {
        self.a.value(if self.kind.is_a_transposed() { column + row * self.n } else { row + column * self.n })
    }

    /// The element of B in this row and column.
    #[inline]
    pub(crate) fn b(&self, row: usize, column: usize) -> f64 {
        self.b.value(row + column * self.n)
    }

    /// Whether tensor cores cut the factors down to fewer digits than they have; zeros and ones lose none.
    fn rounds_factors(&self) -> bool {
        self.units() != self.kind && self.data == Data::Random
    }

    /// The expected rounding noise of an entry.
    fn noise(&self) -> Noise {
        Noise::of(self)
    }
}

/// Rounding noise of C: standard deviations, in C's unit.
#[derive(Debug, Clone, Copy)]
struct Noise {
    /// Noise of one entry.
    entry: f64,
    /// Noise of a row of the reference, which is computed in doubles.
    reference_row: f64,
    /// Largest error of an entry ÷ Σ|a||b| (4√k ε for the sum, ε for C).
    relative_max: f64,
}

/// How a device rounds sums and results of a kind of product.
struct Rounding {
    /// Unit roundoff of the sum.
    sum: f64,
    /// Unit roundoff of C.
    output: f64,
    /// Number of products summed exactly before the sum is truncated; `None` if sums are rounded.
    cut_every: Option<f64>,
}

impl Noise {
    fn of(problem: &Problem) -> Self {
        let Some(Rounding { sum, output, cut_every }) = rounding(problem.units()) else {
            return Self { entry: 0.0, reference_row: 0.0, relative_max: 0.0 };
        };
        let k = problem.n as f64;
        // Partial sums after j products: √j/3 of uniform numbers, j of ones. Rounding errors are uniform and add as variances;
        // truncations add up, half a unit each.
        let (last, squares, sizes) = match problem.data {
            Data::Random => (k.sqrt() / 3.0, k * k / 18.0, 2.0 / 9.0 * k.powf(1.5)),
            Data::Ones => (k, k.powi(3) / 3.0, k * k / 2.0),
            Data::Zeros => (0.0, 0.0, 0.0),
        };
        let variance = |unit: f64, squares: f64| unit * unit * squares / 3.0;
        let cut = cut_every.map_or(0.0, |products| sum * sizes / products);
        // Digits of factors that are cut off make every product smaller, by up to a unit for each factor and half of that on average:
        // C is smaller by a unit, give or take a sixth of its square.
        let input = if problem.rounds_factors() { 2.0 * TF32.unit_roundoff() } else { 0.0 };
        let cut_factors = input * last * (7.0_f64 / 6.0).sqrt();
        let entry =
            (variance(sum, squares) + variance(output, last * last) + cut * cut + cut_factors * cut_factors).sqrt();
        // Both B·x and A·(B·x) have the noise of a sum of doubles over all columns.
        let reference_row = (2.0 * k * variance(f64::EPSILON / 2.0, squares)).sqrt();
        Self { entry, reference_row, relative_max: 8.0 * k.sqrt() * sum + 2.0 * output + 2.0 * input }
    }

    /// Standard deviation of the residual of a row of `n` entries.
    fn row(&self, n: usize) -> f64 {
        (n as f64 * self.entry * self.entry + self.reference_row * self.reference_row).sqrt()
    }
}

/// How a product of this kind is summed and stored; `None` if it is exact.
fn rounding(kind: GemmKind) -> Option<Rounding> {
    let (double, single) = (f64::EPSILON / 2.0, f64::from(f32::EPSILON) / 2.0);
    // Tensor cores truncate sums (Fasi et al. 2021, PeerJ Computer Science 7:e330); the number of products is that of the smallest ones.
    let tensor = |output, products| Rounding { sum: 2.0 * single, output, cut_every: Some(products) };
    match kind {
        GemmKind::Fp64 => Some(Rounding { sum: double, output: double, cut_every: None }),
        GemmKind::Fp32 => Some(Rounding { sum: single, output: single, cut_every: None }),
        GemmKind::Tf32 => Some(tensor(single, 4.0)),
        GemmKind::Bf16 => Some(tensor(BF16.unit_roundoff(), 8.0)),
        GemmKind::Fp16 => Some(tensor(F16.unit_roundoff(), 8.0)),
        // Hopper keeps some 14 bits of a fast sum.
        GemmKind::Fp8 => Some(Rounding { sum: 2_f64.powi(-13), ..tensor(BF16.unit_roundoff(), 16.0) }),
        GemmKind::Int8 => None,
    }
}

/// A check of C that takes its elements in order, in pieces.
pub(crate) struct Checker<'a> {
    problem: &'a Problem,
    place: usize,
    /// C·x so far.
    rows: Vec<f64>,
    /// Places of the sampled entries not yet reached, the next one last.
    sampled: Vec<usize>,
    /// The worst sampled entry: its error ÷ the largest allowed, and a sentence.
    worst: (f64, String),
}

impl<'a> Checker<'a> {
    /// A check of `problem`'s C.
    pub(crate) fn new(problem: &'a Problem) -> Self {
        let n = problem.n;
        let square = n * n;
        let corners = [0, n - 1, square - n, square - 1];
        let chosen = (0..SAMPLED - corners.len()).map(|i| split_mix::at(PLACES, i as u64) as usize % square);
        let mut sampled: Vec<usize> =
            if square <= SAMPLED { (0..square).collect() } else { chosen.chain(corners).collect() };
        sampled.order_by(|a, b| b.cmp(a));
        sampled.dedup();
        Self { problem, place: 0, rows: vec![0.0; n], sampled, worst: (0.0, String::new()) }
    }

    /// The next elements of C, as the device stores them.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        let (element, n) = (self.problem.kind.output(), self.problem.n);
        for slot in bytes.chunks_exact(element.bytes()) {
            let value = decode(element, slot);
            let (row, column) = (self.place % n, self.place / n);
            self.rows[row] += value * sign(column);
            if self.sampled.last() == Some(&self.place) {
                self.sampled.pop();
                self.compare(row, column, value);
            }
            self.place += 1;
        }
    }

    fn compare(&mut self, row: usize, column: usize, value: f64) {
        let (mut exact, mut sizes) = (DoubleDouble::from(0.0), 0.0);
        for k in 0..self.problem.n {
            let (a, b) = (self.problem.a(row, k), self.problem.b(k, column));
            exact = exact.plus_product(a, b);
            sizes += (a * b).abs();
        }
        let error = exact.minus(value).abs();
        let ratio = over(error, self.problem.noise().relative_max * sizes);
        if ratio > self.worst.0 || ratio.is_nan() {
            let note = format!("C[{row}, {column}] is {value:e} and should be {:e}", exact.value());
            self.worst = (if ratio.is_nan() { f64::INFINITY } else { ratio }, note);
        }
    }

    /// The result, once all of C was taken.
    pub(crate) fn finish(self) -> Check {
        let method =
            format!("{SAMPLED} entries by exact dot product, all rows by Freivalds' test in units of rounding noise");
        let (sigmas, row) = self.worst_row();
        let (ratio, note) = self.worst;
        let error = sigmas.max(ratio * SIGMA_MAX);
        let note = match (ratio > 1.0, sigmas > SIGMA_MAX) {
            (true, _) => note,
            (false, true) => format!(
                "row {row} of C is off by {sigmas:.3e} times its rounding noise, {SIGMA_MAX} are allowed: an entry there is wrong"
            ),
            (false, false) => String::new(),
        };
        let verdict = if note.is_empty() { CheckVerdict::Pass } else { CheckVerdict::Fail };
        Check { method, error, bound: SIGMA_MAX, verdict, note, accuracy: None }
    }

    /// The largest residual of C·x against A·(B·x), in σ, and its row.
    fn worst_row(&self) -> (f64, usize) {
        let sigma = self.problem.noise().row(self.problem.n);
        let expected = self.problem.times(&self.problem.b_times_signs());
        let residuals = self.rows.iter().zip(&expected).map(|(got, expected)| over((got - expected).abs(), sigma));
        let residuals = residuals.map(|residual| if residual.is_nan() { f64::INFINITY } else { residual });
        residuals
            .enumerate()
            .fold((0.0, 0), |worst, (row, sigmas)| if sigmas > worst.0 { (sigmas, row) } else { worst })
    }
}

impl Problem {
    /// B·x.
    fn b_times_signs(&self) -> Vec<f64> {
        let mut product = vec![0.0; self.n];
        for column in 0..self.n {
            let sign = sign(column);
            product.iter_mut().enumerate().for_each(|(row, sum)| *sum += self.b(row, column) * sign);
        }
        product
    }

    /// A·v, in the order in which A is stored.
    fn times(&self, v: &[f64]) -> Vec<f64> {
        if self.kind.is_a_transposed() {
            return (0..self.n).map(|row| v.iter().enumerate().map(|(k, v)| self.a(row, k) * v).sum()).collect();
        }
        let mut product = vec![0.0; self.n];
        for (column, v) in v.iter().enumerate() {
            product.iter_mut().enumerate().for_each(|(row, sum)| *sum += self.a(row, column) * v);
        }
        product
    }
}

/// Element `column` of x: 1 or -1, at random.
#[inline]
fn sign(column: usize) -> f64 {
    if split_mix::at(SIGNS, column as u64) & 1 == 0 { 1.0 } else { -1.0 }
}

/// `error` ÷ `unit`; infinite if the unit is zero and the error is not.
fn over(error: f64, unit: f64) -> f64 {
    match (error == 0.0, unit == 0.0) {
        (true, _) => 0.0,
        (false, true) => f64::INFINITY,
        (false, false) => error / unit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::operand::encode;

    const DATA: [Data; 3] = [Data::Random, Data::Zeros, Data::Ones];

    /// C as a device makes it that sums in the type's own precision.
    fn product(problem: &Problem) -> Vec<f64> {
        let n = problem.n;
        let entry = |place: usize| {
            let (row, column) = (place % n, place / n);
            let products = (0..n).map(|k| problem.a(row, k) * problem.b(k, column));
            match problem.kind {
                GemmKind::Fp64 | GemmKind::Int8 => products.sum(),
                _ => products.fold(0_f32, |sum, product| (f64::from(sum) + product) as f32).into(),
            }
        };
        (0..n * n).map(entry).collect()
    }

    fn check(problem: &Problem, c: &[f64]) -> Check {
        let size = problem.kind.output().bytes();
        let mut bytes = vec![0; c.len() * size];
        for (value, slot) in c.iter().zip(bytes.chunks_exact_mut(size)) {
            encode(problem.kind.output(), *value, slot);
        }
        let mut checker = Checker::new(problem);
        bytes.chunks(1000 * size).for_each(|piece| checker.take(piece));
        checker.finish()
    }

    #[test]
    fn a_product_of_every_kind_passes() {
        for kind in GemmKind::ALL {
            for (n, data) in [8, 64, 144].into_iter().flat_map(|n| DATA.map(|data| (n, data))) {
                let problem = Problem::new(kind, n, data);
                let check = check(&problem, &product(&problem));
                assert_eq!(check.verdict, CheckVerdict::Pass, "{kind:?} {n} {data:?}: {check:?}");
            }
        }
    }

    #[test]
    fn a_single_wrong_entry_is_found() {
        for (kind, off) in [(GemmKind::Fp64, 1e-9), (GemmKind::Fp32, 1e-2), (GemmKind::Int8, 1.0)] {
            let problem = Problem::new(kind, 192, Data::Random);
            let right = product(&problem);
            // These places are not sampled, nor in sampled columns.
            for place in [5_000, 20_003, 36_001] {
                let mut wrong = right.clone();
                wrong[place] += off;
                let check = check(&problem, &wrong);
                assert_eq!(check.verdict, CheckVerdict::Fail, "{kind:?} {place}: {check:?}");
                assert!(check.note.contains(&format!("row {}", place % 192)) || check.note.contains("C["), "{check:?}");
            }
        }
    }

    #[test]
    fn an_entry_that_was_never_written_is_found_in_every_float() {
        for kind in GemmKind::ALL.into_iter().filter(|kind| *kind != GemmKind::Int8) {
            let problem = Problem::new(kind, 64, Data::Random);
            let mut c = product(&problem);
            c[1234] = f64::NAN;
            assert_eq!(check(&problem, &c).verdict, CheckVerdict::Fail, "{kind:?}");
        }
    }

    /// C from factors of fewer digits.
    fn of_fewer_digits(problem: &Problem, fewer: impl Fn(f64) -> f64) -> Vec<f64> {
        let n = problem.n;
        let entry = |place: usize| {
            let (row, column) = (place % n, place / n);
            (0..n).map(|k| fewer(problem.a(row, k)) * fewer(problem.b(k, column))).sum()
        };
        (0..n * n).map(entry).collect()
    }

    /// The number with its mantissa cut after `bits` bits.
    fn cut(value: f64, bits: u32) -> f64 {
        f64::from_bits(value.to_bits() & !((1 << (52 - bits)) - 1))
    }

    #[test]
    fn operands_of_fewer_digits_are_found() {
        let problem = Problem::new(GemmKind::Fp32, 128, Data::Random);
        let c = of_fewer_digits(&problem, |value| TF32.round(value));
        for math in [GemmMath::Default, GemmMath::Pedantic] {
            assert_eq!(check(&problem.clone().computed(math), &c).verdict, CheckVerdict::Fail, "{math:?}");
        }
    }

    #[test]
    fn tensor_cores_may_round_or_cut_to_ten_bits_and_no_further() {
        for n in [128, 192] {
            let problem = Problem::new(GemmKind::Fp32, n, Data::Random).computed(GemmMath::Tensor);
            let of = |fewer: &dyn Fn(f64) -> f64| check(&problem, &of_fewer_digits(&problem, fewer)).verdict;
            assert_eq!(of(&|value| TF32.round(value)), CheckVerdict::Pass);
            assert_eq!(of(&|value| cut(value, 10)), CheckVerdict::Pass);
            assert_eq!(of(&|value| cut(value, 6)), CheckVerdict::Fail);
        }
        let doubles = Problem::new(GemmKind::Fp64, 64, Data::Random);
        assert_eq!(check(&doubles, &of_fewer_digits(&doubles, |value| cut(value, 40))).verdict, CheckVerdict::Fail);
    }
}
