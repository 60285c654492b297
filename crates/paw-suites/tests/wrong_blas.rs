//! A BLAS that is wrong on purpose is caught, whichever way it is wrong.

use std::fs;

use paw_data::outcome::{Check, CheckVerdict};
use paw_foreign::blas::Blas;
use paw_foreign::blas::dimensions::GemmDimensions;
use paw_suites::blas::verify::check_gemm;

/// What the check says of a dgemm by the mock that behaves as `behaviour` says.
fn check(behaviour: &str, shape: GemmDimensions) -> Check {
    let mock = std::env::current_exe().expect("a test has a path").with_file_name("libmock_blas.so");
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join(format!("libmock_blas-{behaviour}.so"));
    fs::copy(mock, &path).expect("a copy of the mock");
    let blas = Blas::open(&path).expect("it is a BLAS");

    let value = |i: usize| ((i * 7919) % 1000) as f64 / 1000.0 - 0.4995;
    let a: Vec<f64> = (0..shape.m * shape.lda).map(value).collect();
    let b: Vec<f64> = (0..shape.k * shape.ldb).map(|i| value(i + 13)).collect();
    let c0: Vec<f64> = (0..shape.m * shape.ldc).map(|i| value(i + 29)).collect();
    let mut c = c0.clone();
    blas.bind_gemm(&shape, 1.0, &a, &b, 1.0, &mut c).expect("it fits").call();
    check_gemm(&shape, 1.0, &a, &b, 1.0, &c0, &c)
}

#[test]
fn every_wrong_answer_is_caught_at_small_and_large_sizes() {
    let shapes = [
        GemmDimensions { ldc: 20, ..GemmDimensions::dense(16, 16, 16) },
        GemmDimensions { ldc: 203, ..GemmDimensions::dense(160, 200, 150) },
    ];
    for shape in shapes {
        let right = check("correct", shape);
        assert_eq!(right.verdict, CheckVerdict::Pass, "{right:?}");
        for behaviour in ["off-by-1e-9", "bf16", "beta-ignored", "f32-inside", "padding"] {
            let wrong = check(behaviour, shape);
            assert_eq!(wrong.verdict, CheckVerdict::Fail, "{behaviour} at {shape:?}: {wrong:?}");
            assert!(!wrong.note.is_empty(), "{behaviour}");
        }
    }
}
