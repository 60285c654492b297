//! Calls into libraries that are there on every machine: the mocks.

use std::path::PathBuf;

use paw_foreign::blas::dimensions::{GemmDimensions, GemvDimensions, Transpose};
use paw_foreign::blas::{Blas, Convention, Integers, Language, Real};

/// The shared object that cargo built for this test.
fn mock(file: &str) -> PathBuf {
    let path = std::env::current_exe().expect("a test has a path").with_file_name(file);
    assert!(path.exists(), "{}: cargo builds it as a dev-dependency", path.display());
    path
}

fn c_mock() -> Blas {
    Blas::open(&mock("libmock_blas.so")).expect("it is a BLAS")
}

fn fortran_mock() -> Blas {
    Blas::open(&mock("libmock_fortran_blas.so")).expect("it is a BLAS")
}

/// Small whole numbers, of which every product and sum is exact.
fn values<T: Real>(count: usize, seed: usize) -> Vec<T> {
    (0..count).map(|i| T::nearest(((i * 7 + seed * 3) % 11) as f64 - 5.0)).collect()
}

fn at<T: Real>(data: &[T], trans: Transpose, row: usize, column: usize, ld: usize) -> f64 {
    match trans {
        Transpose::No => data[row * ld + column].into(),
        Transpose::Yes => data[column * ld + row].into(),
    }
}

fn gemm_is_right<T: Real>(blas: &Blas, shape: GemmDimensions, alpha: f64, beta: f64) {
    let a: Vec<T> = values(shape.stored_a().0 * shape.lda, 1);
    let b: Vec<T> = values(shape.stored_b().0 * shape.ldb, 2);
    let mut c: Vec<T> = values(shape.m * shape.ldc, 3);
    let mut expected: Vec<f64> = c.iter().map(|c| (*c).into()).collect();
    for (i, j) in (0..shape.m).flat_map(|i| (0..shape.n).map(move |j| (i, j))) {
        let terms = (0..shape.k).map(|k| at(&a, shape.transa, i, k, shape.lda) * at(&b, shape.transb, k, j, shape.ldb));
        let entry = &mut expected[i * shape.ldc + j];
        *entry = alpha * terms.sum::<f64>() + beta * *entry;
    }
    blas.bind_gemm(&shape, T::nearest(alpha), &a, &b, T::nearest(beta), &mut c).expect("it fits").call();
    let found: Vec<f64> = c.into_iter().map(Into::into).collect();
    assert_eq!(found, expected, "{shape:?}");
}

fn gemv_is_right<T: Real>(blas: &Blas, shape: GemvDimensions, alpha: f64, beta: f64) {
    let (a, x): (Vec<T>, Vec<T>) = (values(shape.m * shape.lda, 1), values(shape.x_len(), 2));
    let mut y: Vec<T> = values(shape.y_len(), 3);
    let row = |i: usize| (0..shape.x_len()).map(|j| at(&a, shape.trans, i, j, shape.lda) * x[j].into()).sum::<f64>();
    let expected: Vec<f64> = y.iter().enumerate().map(|(i, y)| alpha * row(i) + beta * (*y).into()).collect();
    blas.bind_gemv(&shape, T::nearest(alpha), &a, &x, T::nearest(beta), &mut y).expect("it fits").call();
    let found: Vec<f64> = y.into_iter().map(Into::into).collect();
    assert_eq!(found, expected, "{shape:?}");
}

fn every_form_is_right(blas: &Blas) {
    let both = [Transpose::No, Transpose::Yes];
    for (transa, transb) in both.into_iter().flat_map(|a| both.map(|b| (a, b))) {
        let dense = GemmDimensions { transa, transb, ..GemmDimensions::dense(3, 5, 7) };
        let shape = GemmDimensions { lda: dense.stored_a().1 + 2, ldb: dense.stored_b().1 + 1, ldc: 8, ..dense };
        for shape in [dense_ld(dense), shape] {
            gemm_is_right::<f64>(blas, shape, 2.0, 3.0);
            gemm_is_right::<f32>(blas, shape, -1.0, 0.0);
        }
    }
    for trans in both {
        gemv_is_right::<f64>(blas, GemvDimensions { trans, lda: 9, ..GemvDimensions::dense(3, 5) }, 2.0, 3.0);
        gemv_is_right::<f32>(blas, GemvDimensions { trans, ..GemvDimensions::dense(6, 4) }, -1.0, 0.0);
    }
}

fn dense_ld(shape: GemmDimensions) -> GemmDimensions {
    GemmDimensions { lda: shape.stored_a().1, ldb: shape.stored_b().1, ..shape }
}

#[test]
fn a_c_library_with_32_bit_integers_is_called_as_one() {
    let blas = c_mock();
    assert_eq!(blas.convention(), Convention { language: Language::C, prefix: "", suffix: "" });
    assert_eq!(blas.integers(), Integers::Bits32);
    every_form_is_right(&blas);
}

#[test]
fn a_decorated_fortran_library_with_64_bit_integers_is_called_as_one() {
    let blas = fortran_mock();
    assert_eq!(blas.convention(), Convention { language: Language::Fortran, prefix: "scipy_", suffix: "64_" });
    assert_eq!(blas.integers(), Integers::Bits64);
    every_form_is_right(&blas);
}

#[test]
fn a_size_beyond_32_bits_is_refused_where_it_would_be_cut_off() {
    // One row alone may have any leading dimension without needing the memory.
    let wide = GemmDimensions { ldc: 1 << 31, ..GemmDimensions::dense(1, 1, 1) };
    let refused = c_mock().bind_gemm(&wide, 1.0, &[1.0], &[1.0], 0.0, &mut [0.0]).expect_err("it does not fit");
    assert!(refused.to_string().contains("2147483648 does not fit"), "{refused}");
    let mut c = [0.0];
    fortran_mock().bind_gemm(&wide, 1.0, &[3.0], &[2.0], 0.0, &mut c).expect("it fits").call();
    assert_eq!(c, [6.0]);
}

#[test]
fn slices_shorter_than_the_shape_are_refused_before_the_call() {
    let mut c = [0.0; 16];
    let refused = c_mock().bind_gemm(&GemmDimensions::dense(4, 4, 4), 1.0, &[1.0; 15], &[1.0; 16], 0.0, &mut c);
    assert_eq!(refused.expect_err("A is short").to_string(), "A needs 16 elements and has 15");
    let mut y = [0.0; 3];
    let refused = c_mock().bind_gemv(&GemvDimensions::dense(4, 4), 1.0_f32, &[1.0; 16], &[1.0; 4], 0.0, &mut y);
    assert_eq!(refused.expect_err("y is short").to_string(), "y needs 4 elements and has 3");
}

#[test]
fn a_library_opened_for_fortran_alone_must_have_it() {
    let fortran = || Convention::all().filter(|convention| convention.language == Language::Fortran);
    assert!(Blas::open_as(&mock("libmock_fortran_blas.so"), fortran()).is_ok());
    let error = Blas::open_as(&mock("libmock_blas.so"), fortran()).expect_err("it speaks C alone");
    assert!(error.to_string().contains("libmock_blas.so: not a BLAS"), "{error}");
}
