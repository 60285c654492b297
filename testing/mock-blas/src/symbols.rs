//! The symbols of CBLAS, with the 32-bit integers of its first definition.
#![allow(unsafe_code)]
// The signatures are CBLAS's.
#![allow(clippy::too_many_arguments)]

use std::slice;

use crate::behaviour::misbehave;
use crate::product::{Layout, Number, product};

/// `CblasRowMajor`; column-major calls are not served.
const ROW_MAJOR: i32 = 101;
/// `CblasTrans`.
const TRANS: i32 = 112;

/// Elements of a matrix of `rows` rows of `columns`, `ld` apart.
fn extent(rows: usize, columns: usize, ld: usize) -> usize {
    (rows - 1) * ld + columns
}

/// # Safety
/// As CBLAS defines the arguments.
unsafe fn gemm<T: Number>(
    (order, ta, tb): (i32, i32, i32),
    (m, n, k): (i32, i32, i32),
    scalars: (T, T),
    (a, lda): (*const T, i32),
    (b, ldb): (*const T, i32),
    (c, ldc): (*mut T, i32),
) {
    assert_eq!(order, ROW_MAJOR, "row-major calls only");
    let [m, n, k, lda, ldb, ldc] = [m, n, k, lda, ldb, ldc].map(|size| usize::try_from(size).expect("not negative"));
    let (ta, tb) = (ta == TRANS, tb == TRANS);
    let (a_len, b_len) = match (ta, tb) {
        (false, false) => (extent(m, k, lda), extent(k, n, ldb)),
        (false, true) => (extent(m, k, lda), extent(n, k, ldb)),
        (true, false) => (extent(k, m, lda), extent(k, n, ldb)),
        (true, true) => (extent(k, m, lda), extent(n, k, ldb)),
    };
    // SAFETY: CBLAS reads so much of A.
    let a = unsafe { slice::from_raw_parts(a, a_len) };
    // SAFETY: CBLAS reads so much of B.
    let b = unsafe { slice::from_raw_parts(b, b_len) };
    // SAFETY: CBLAS writes so much of C, which overlaps neither A nor B.
    let c = unsafe { slice::from_raw_parts_mut(c, extent(m, n, ldc)) };
    let layouts = (Layout { ld: lda, transposed: ta }, Layout { ld: ldb, transposed: tb });
    product((m, n, k), scalars, (a, layouts.0), (b, layouts.1), (c, ldc));
}

/// # Safety
/// As CBLAS defines the arguments.
unsafe fn gemv<T: Number>(
    (order, trans): (i32, i32),
    (m, n): (i32, i32),
    scalars: (T, T),
    (a, lda): (*const T, i32),
    (x, y): (*const T, *mut T),
    strides: (i32, i32),
) {
    assert_eq!((order, strides), (ROW_MAJOR, (1, 1)), "row-major calls with contiguous vectors only");
    let [m, n, lda] = [m, n, lda].map(|size| usize::try_from(size).expect("not negative"));
    let transposed = trans == TRANS;
    let (rows, inner) = if transposed { (n, m) } else { (m, n) };
    // SAFETY: CBLAS reads so much of A.
    let a = unsafe { slice::from_raw_parts(a, extent(m, n, lda)) };
    // SAFETY: CBLAS reads so much of x.
    let x = unsafe { slice::from_raw_parts(x, inner) };
    // SAFETY: CBLAS writes so much of y, which overlaps neither A nor x.
    let y = unsafe { slice::from_raw_parts_mut(y, rows) };
    let vector = Layout { ld: 1, transposed: false };
    product((rows, 1, inner), scalars, (a, Layout { ld: lda, transposed }), (x, vector), (y, 1));
}

macro_rules! precision {
    ($number:ty, $gemm:ident, $gemv:ident) => {
        /// ?gemm of CBLAS.
        ///
        /// # Safety
        /// As CBLAS defines the arguments.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $gemm(
            order: i32,
            ta: i32,
            tb: i32,
            m: i32,
            n: i32,
            k: i32,
            alpha: $number,
            a: *const $number,
            lda: i32,
            b: *const $number,
            ldb: i32,
            beta: $number,
            c: *mut $number,
            ldc: i32,
        ) {
            // SAFETY: the caller vouches for the arguments.
            unsafe { gemm((order, ta, tb), (m, n, k), (alpha, beta), (a, lda), (b, ldb), (c, ldc)) }
        }

        /// ?gemv of CBLAS.
        ///
        /// # Safety
        /// As CBLAS defines the arguments.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $gemv(
            order: i32,
            trans: i32,
            m: i32,
            n: i32,
            alpha: $number,
            a: *const $number,
            lda: i32,
            x: *const $number,
            incx: i32,
            beta: $number,
            y: *mut $number,
            incy: i32,
        ) {
            // SAFETY: the caller vouches for the arguments.
            unsafe { gemv((order, trans), (m, n), (alpha, beta), (a, lda), (x, y), (incx, incy)) }
        }
    };
}

precision!(f64, cblas_dgemm, cblas_dgemv);
precision!(f32, cblas_sgemm, cblas_sgemv);

/// ddot of CBLAS, for contiguous vectors.
///
/// # Safety
/// As CBLAS defines the arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cblas_ddot(n: i32, x: *const f64, incx: i32, y: *const f64, incy: i32) -> f64 {
    misbehave();
    assert_eq!((incx, incy), (1, 1), "contiguous vectors only");
    let n = usize::try_from(n).unwrap_or(0);
    // SAFETY: CBLAS reads n elements of x.
    let x = unsafe { slice::from_raw_parts(x, n) };
    // SAFETY: CBLAS reads n elements of y.
    let y = unsafe { slice::from_raw_parts(y, n) };
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
