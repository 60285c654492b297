//! Products of short numbers under oneMKL's names, with the 32-bit integers of its LP64 interface.
#![allow(unsafe_code)]
// The signatures are oneMKL's.
#![allow(clippy::too_many_arguments)]

use std::slice;

use crate::behaviour::{Behaviour, chosen, misbehave};

/// `CblasRowMajor`, `CblasNoTrans` and `CblasFixOffset`: calls of other kinds are not served.
const ROW_MAJOR: i32 = 101;
const NO_TRANS: i32 = 111;
const FIX_OFFSET: i32 = 173;

/// C ← A B, each sum by `dot` of a row of A and a column of B.
///
/// # Safety
/// A, B and C must be dense matrices of these sizes, and C overlap neither A nor B.
unsafe fn product<A: Copy, B: Copy, C>(
    [m, n, k]: [i32; 3],
    (a, b, c): (*const A, *const B, *mut C),
    dot: impl Fn(&[A], &[B]) -> C,
) {
    misbehave();
    let [m, n, k] = [m, n, k].map(|size| usize::try_from(size).expect("not negative"));
    // SAFETY: the caller vouches for the sizes.
    let a = unsafe { slice::from_raw_parts(a, m * k) };
    // SAFETY: as above.
    let b = unsafe { slice::from_raw_parts(b, k * n) };
    // SAFETY: as above.
    let c = unsafe { slice::from_raw_parts_mut(c, m * n) };
    for column in 0..n {
        let column_of_b: Vec<B> = (0..k).map(|p| b[p * n + column]).collect();
        for row in 0..m {
            c[row * n + column] = dot(&a[row * k..][..k], &column_of_b);
        }
    }
}

/// cblas_gemm_bf16bf16f32 of oneMKL.
///
/// # Safety
/// As oneMKL defines the arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cblas_gemm_bf16bf16f32(
    order: i32,
    ta: i32,
    tb: i32,
    m: i32,
    n: i32,
    k: i32,
    alpha: f32,
    a: *const u16,
    lda: i32,
    b: *const u16,
    ldb: i32,
    beta: f32,
    c: *mut f32,
    ldc: i32,
) {
    assert_eq!((order, ta, tb, lda, ldb, ldc), (ROW_MAJOR, NO_TRANS, NO_TRANS, k, n, n), "dense row-major calls only");
    assert_eq!((alpha, beta), (1.0, 0.0), "plain products only");
    let wide = |bits: u16| f32::from_bits(u32::from(bits) << 16);
    let rounded = |sum: f32| match chosen() {
        Behaviour::Bf16 => wide((sum.to_bits() >> 16) as u16),
        _ => sum,
    };
    let dot = |a: &[u16], b: &[u16]| a.iter().zip(b).fold(0.0, |sum, (a, b)| rounded(sum + wide(*a) * wide(*b)));
    // SAFETY: the caller vouches for the arguments.
    unsafe { product([m, n, k], (a, b, c), dot) }
}

/// cblas_gemm_s8u8s32 of oneMKL: in row-major calls A is unsigned and B is signed.
///
/// # Safety
/// As oneMKL defines the arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cblas_gemm_s8u8s32(
    order: i32,
    ta: i32,
    tb: i32,
    offset: i32,
    m: i32,
    n: i32,
    k: i32,
    alpha: f32,
    a: *const u8,
    lda: i32,
    ao: i8,
    b: *const i8,
    ldb: i32,
    bo: i8,
    beta: f32,
    c: *mut i32,
    ldc: i32,
    co: *const i32,
) {
    assert_eq!((order, ta, tb, lda, ldb, ldc), (ROW_MAJOR, NO_TRANS, NO_TRANS, k, n, n), "dense row-major calls only");
    // SAFETY: the caller vouches for one offset of C.
    let co = unsafe { *co };
    assert_eq!((alpha, beta, offset, ao, bo, co), (1.0, 0.0, FIX_OFFSET, 0, 0, 0), "plain products only");
    let pair = |sum: i32| match chosen() {
        Behaviour::Saturate => sum.clamp(i32::from(i16::MIN), i32::from(i16::MAX)),
        _ => sum,
    };
    let sum = |a: &[u8], b: &[i8]| a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
    let dot = |a: &[u8], b: &[i8]| a.chunks(2).zip(b.chunks(2)).map(|(a, b)| pair(sum(a, b))).sum();
    // SAFETY: the caller vouches for the arguments.
    unsafe { product([m, n, k], (a, b, c), dot) }
}
