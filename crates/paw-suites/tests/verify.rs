//! Calibration of the checks: healthy arithmetic passes far from every limit, and each way of being wrong is caught.

use std::ops::{Add, Mul};

use paw_data::outcome::CheckVerdict::{Fail, Pass, Warn};
use paw_data::outcome::{Check, CheckVerdict};
use paw_foreign::blas::Real;
use paw_foreign::blas::dimensions::{GemmDimensions, GemvDimensions, Transpose};
use paw_suites::blas::verify::{check_gemm, check_gemv};

trait Number: Real + Add<Output = Self> + Mul<Output = Self> {}
impl Number for f32 {}
impl Number for f64 {}

/// Values in [-0.5, 0.5), the same every time.
fn values<T: Real>(count: usize, seed: u64) -> Vec<T> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        T::nearest((state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5)
    };
    (0..count).map(|_| next()).collect()
}

/// One product: operands, and the result of plain loops.
struct Case<T> {
    shape: GemmDimensions,
    alpha: T,
    a: Vec<T>,
    b: Vec<T>,
    beta: T,
    c0: Vec<T>,
    c: Vec<T>,
}

impl<T: Number> Case<T> {
    fn new(shape: GemmDimensions, alpha: f64, beta: f64) -> Self {
        let a = values(shape.stored_a().0 * shape.lda, 1);
        let b = values(shape.stored_b().0 * shape.ldb, 2);
        let c0: Vec<T> = values(shape.m * shape.ldc, 3);
        let (alpha, beta) = (T::nearest(alpha), T::nearest(beta));
        let mut case = Self { shape, alpha, a, b, beta, c: Vec::new(), c0 };
        case.c = case.product(|x| x);
        case
    }

    /// The result of plain loops over operands that pass through `round`.
    fn product(&self, round: impl Fn(T) -> T) -> Vec<T> {
        let shape = &self.shape;
        let mut c = self.c0.clone();
        for i in 0..shape.m {
            for j in 0..shape.n {
                let mut sum = T::nearest(0.0);
                for k in 0..shape.k {
                    let a = self.a[index(shape.transa, i, k, shape.lda)];
                    let b = self.b[index(shape.transb, k, j, shape.ldb)];
                    sum = sum + round(a) * round(b);
                }
                let at = i * shape.ldc + j;
                let before = if self.beta == T::nearest(0.0) { T::nearest(0.0) } else { self.beta * c[at] };
                c[at] = self.alpha * sum + before;
            }
        }
        c
    }

    fn check(&self) -> Check {
        check_gemm(&self.shape, self.alpha, &self.a, &self.b, self.beta, &self.c0, &self.c)
    }
}

fn index(trans: Transpose, row: usize, column: usize, ld: usize) -> usize {
    match trans {
        Transpose::No => row * ld + column,
        Transpose::Yes => column * ld + row,
    }
}

fn expect(check: &Check, verdict: CheckVerdict, words: &str) {
    assert_eq!(check.verdict, verdict, "{check:?}");
    assert!(check.note.contains(words), "{check:?}");
    assert!(check.error.is_finite() && check.bound.is_finite(), "{check:?}");
}

/// Sides beyond the size up to which every entry is computed exactly.
fn large() -> GemmDimensions {
    GemmDimensions::dense(150, 170, 300)
}

/// What bfloat16 keeps: 8 binary digits.
fn bf16(value: f64) -> f64 {
    f64::from(f32::from_bits((value as f32).to_bits() & 0xFFFF_0000))
}

/// What TensorFloat-32 keeps: 11 binary digits.
fn tf32(value: f64) -> f64 {
    f64::from(f32::from_bits((value as f32).to_bits() & 0xFFFF_E000))
}

#[test]
fn plain_loops_pass_in_every_form() {
    let both = [Transpose::No, Transpose::Yes];
    for (transa, transb) in both.into_iter().flat_map(|a| both.map(|b| (a, b))) {
        for (alpha, beta) in [(1.0, 1.0), (1.0, 0.0), (-0.7, 1.0), (0.5, -1.3)] {
            for (m, n, k) in [(1, 1, 1), (8, 8, 8), (5, 7, 40), (33, 1, 129), (1, 70, 16)] {
                let dense = GemmDimensions { transa, transb, ..GemmDimensions::dense(m, n, k) };
                let (lda, ldb) = (dense.stored_a().1 + 3, dense.stored_b().1 + 3);
                let shape = GemmDimensions { lda, ldb, ldc: n + 3, ..dense };
                expect(&Case::<f64>::new(shape, alpha, beta).check(), Pass, "");
                expect(&Case::<f32>::new(shape, alpha, beta).check(), Pass, "");
            }
        }
    }
}

#[test]
fn healthy_errors_stay_far_below_suspicion() {
    let check = Case::<f64>::new(large(), 1.0, 1.0).check();
    expect(&check, Pass, "");
    assert!(check.error < 3.1, "{check:?}");
    let told = check.method.rsplit_once('(').and_then(|(_, told)| told.split(' ').next()).expect("the ratio is told");
    let ratio: f64 = told.parse().expect("a number");
    assert!(ratio > 0.0 && ratio < 0.1, "{check:?}");
    assert!(Case::<f32>::new(large(), -0.7, 0.0).check().error < 3.1);
}

#[test]
fn one_element_off_by_a_billionth_is_caught_and_named() {
    for (at, place) in [(0, "[0][0]"), (77 * 170 + 99, "[77][99]"), (150 * 170 - 1, "[149][169]")] {
        let mut case = Case::<f64>::new(large(), 1.0, 1.0);
        case.c[at] *= 1.0 + 1e-9;
        expect(&case.check(), Fail, &format!("entry {place}"));
    }
    let mut small = Case::<f64>::new(GemmDimensions::dense(8, 8, 8), 1.0, 1.0);
    small.c[9] *= 1.0 + 1e-9;
    expect(&small.check(), Fail, "entry [1][1]");
}

#[test]
fn operands_of_fewer_digits_are_caught_even_where_the_proof_allows_them() {
    let mut double = Case::<f64>::new(large(), 1.0, 1.0);
    double.c = double.product(bf16);
    expect(&double.check(), Fail, "wrong");

    let mut single = Case::<f32>::new(GemmDimensions::dense(40, 40, 4096), 1.0, 0.0);
    for round in [bf16, tf32] {
        single.c = single.product(|x| round(x.into()) as f32);
        let check = single.check();
        assert_ne!(check.verdict, Pass, "{check:?}");
    }
}

#[test]
fn suspicious_errors_within_the_proof_are_a_warning() {
    let mut case = Case::<f32>::new(GemmDimensions::dense(4, 4, 4096), 1.0, 0.0);
    case.c = case.product(|x| tf32(x.into()) as f32);
    let check = case.check();
    expect(&check, Warn, "reduced precision");
    assert!(check.error > 16.0 && check.error < 4098.0, "{check:?}");
}

#[test]
fn f32_arithmetic_inside_f64_is_caught() {
    let mut case = Case::<f64>::new(large(), 1.0, 1.0);
    case.c.iter_mut().for_each(|c| *c = f64::from(*c as f32));
    expect(&case.check(), Fail, "wrong");
}

#[test]
fn an_ignored_beta_is_caught_in_one_row_too() {
    let mut case = Case::<f64>::new(large(), 1.0, 1.0);
    let without = Case::<f64>::new(large(), 1.0, 0.0).c;
    let row = 77 * 170..78 * 170;
    case.c[row.clone()].copy_from_slice(&without[row]);
    expect(&case.check(), Fail, "row 77");
    case.c = without;
    expect(&case.check(), Fail, "wrong");
}

#[test]
fn nan_fails_in_the_result_and_does_not_matter_before_it_where_beta_is_nought() {
    for shape in [large(), GemmDimensions::dense(8, 8, 8)] {
        let mut case = Case::<f64>::new(shape, 1.0, 0.0);
        case.c0.fill(f64::NAN);
        expect(&case.check(), Pass, "");
        *case.c.last_mut().expect("not empty") = f64::NAN;
        expect(&case.check(), Fail, "NaN");
        *case.c.last_mut().expect("not empty") = f64::INFINITY;
        expect(&case.check(), Fail, "inf");
    }
}

#[test]
fn a_write_between_or_behind_the_rows_is_caught_whatever_stood_there() {
    let mut case = Case::<f64>::new(GemmDimensions { ldc: 10, ..GemmDimensions::dense(8, 8, 8) }, 1.0, 0.0);
    case.c0.push(7.0);
    case.c.push(7.0);
    case.c0[18] = f64::NAN;
    case.c[18] = f64::NAN;
    expect(&case.check(), Pass, "");
    case.c[18] = 0.0;
    expect(&case.check(), Fail, "element 18");
    case.c[18] = f64::NAN;
    case.c[80] = 7.5;
    expect(&case.check(), Fail, "element 80");
}

#[test]
fn slices_too_short_for_the_shape_fail_instead_of_being_read() {
    let mut case = Case::<f64>::new(GemmDimensions::dense(8, 8, 8), 1.0, 0.0);
    case.c.pop();
    expect(&case.check(), Fail, "C needs 64 elements and has 63");
}

/// A matrix-vector product by plain loops, changed by `fault`, and what the check says.
fn gemv<T: Number>(trans: Transpose, beta: f64, fault: impl Fn(&mut [T])) -> Check {
    const LDA: usize = 303;
    let shape = GemvDimensions { trans, lda: LDA, ..GemvDimensions::dense(200, 300) };
    let (a, x): (Vec<T>, Vec<T>) = (values(200 * LDA, 1), values(shape.x_len(), 2));
    let y0: Vec<T> = values(shape.y_len(), 3);
    let (alpha, beta) = (T::nearest(-0.7), T::nearest(beta));
    let mut y = y0.clone();
    for (i, y) in y.iter_mut().enumerate() {
        let products = x.iter().enumerate().map(|(j, x)| a[index(trans, i, j, LDA)] * *x);
        *y = alpha * products.fold(T::nearest(0.0), |sum, product| sum + product) + beta * *y;
    }
    fault(&mut y);
    check_gemv(&shape, alpha, &a, &x, beta, &y0, &y)
}

#[test]
fn matrix_vector_products_are_checked_in_every_entry() {
    for trans in [Transpose::No, Transpose::Yes] {
        expect(&gemv::<f64>(trans, 1.0, |_| {}), Pass, "");
        expect(&gemv::<f32>(trans, 0.5, |_| {}), Pass, "");
        expect(&gemv::<f64>(trans, 1.0, |y| y[123] *= 1.0 + 1e-9), Fail, "entry [123]");
        expect(&gemv::<f32>(trans, 1.0, |y| y[123] *= 1.001), Fail, "entry [123]");
        expect(&gemv::<f64>(trans, 1.0, |y| y[0] = f64::NAN), Fail, "NaN");
    }
}
