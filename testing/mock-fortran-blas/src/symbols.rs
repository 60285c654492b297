//! The symbols: column-major products by reference, with the hidden lengths of strings.
#![allow(unsafe_code)]
// The signatures are Fortran's.
#![allow(clippy::too_many_arguments)]

use std::ffi::{c_char, c_int};
use std::slice;
use std::sync::atomic::{AtomicI32, Ordering};

static THREADS: AtomicI32 = AtomicI32::new(1);

/// Column-major op(M): where an entry lies.
fn index(trans: u8, row: i64, column: i64, ld: i64) -> usize {
    let (row, column) = if trans == b'N' { (row, column) } else { (column, row) };
    usize::try_from(column * ld + row).expect("within the matrix")
}

/// Elements of a column-major matrix.
fn extent(rows: i64, columns: i64, ld: i64) -> usize {
    usize::try_from((columns - 1) * ld + rows).expect("not empty")
}

macro_rules! precision {
    ($number:ty, $gemm:ident, $gemv:ident) => {
        /// ?GEMM of BLAS.
        ///
        /// # Safety
        /// As BLAS defines the arguments.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $gemm(
            ta: &u8,
            tb: &u8,
            &m: &i64,
            &n: &i64,
            &k: &i64,
            &alpha: &$number,
            a: *const $number,
            &lda: &i64,
            b: *const $number,
            &ldb: &i64,
            &beta: &$number,
            c: *mut $number,
            &ldc: &i64,
            ta_len: usize,
            tb_len: usize,
        ) {
            assert_eq!((ta_len, tb_len), (1, 1), "both strings are one letter long");
            let a_len = if *ta == b'N' { extent(m, k, lda) } else { extent(k, m, lda) };
            let b_len = if *tb == b'N' { extent(k, n, ldb) } else { extent(n, k, ldb) };
            // SAFETY: BLAS reads so much of A.
            let a = unsafe { slice::from_raw_parts(a, a_len) };
            // SAFETY: BLAS reads so much of B.
            let b = unsafe { slice::from_raw_parts(b, b_len) };
            // SAFETY: BLAS writes so much of C, which overlaps neither A nor B.
            let c = unsafe { slice::from_raw_parts_mut(c, extent(m, n, ldc)) };
            for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let dot: $number = (0..k).map(|l| a[index(*ta, i, l, lda)] * b[index(*tb, l, j, ldb)]).sum();
                let entry = &mut c[index(b'N', i, j, ldc)];
                *entry = alpha * dot + if beta == 0.0 { 0.0 } else { beta * *entry };
            }
        }

        /// ?GEMV of BLAS, for contiguous vectors.
        ///
        /// # Safety
        /// As BLAS defines the arguments.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $gemv(
            trans: &u8,
            &m: &i64,
            &n: &i64,
            &alpha: &$number,
            a: *const $number,
            &lda: &i64,
            x: *const $number,
            &incx: &i64,
            &beta: &$number,
            y: *mut $number,
            &incy: &i64,
            trans_len: usize,
        ) {
            assert_eq!((trans_len, incx, incy), (1, 1, 1), "one letter, contiguous vectors");
            let (rows, inner) = if *trans == b'N' { (m, n) } else { (n, m) };
            // SAFETY: BLAS reads so much of A.
            let a = unsafe { slice::from_raw_parts(a, extent(m, n, lda)) };
            // SAFETY: BLAS reads so much of x.
            let x = unsafe { slice::from_raw_parts(x, inner as usize) };
            // SAFETY: BLAS writes so much of y, which overlaps neither A nor x.
            let y = unsafe { slice::from_raw_parts_mut(y, rows as usize) };
            for (i, y) in (0..).zip(y) {
                let dot: $number = (0..).zip(x).map(|(l, x)| a[index(*trans, i, l, lda)] * x).sum();
                *y = alpha * dot + if beta == 0.0 { 0.0 } else { beta * *y };
            }
        }
    };
}

precision!(f64, scipy_dgemm_64_, scipy_dgemv_64_);
precision!(f32, scipy_sgemm_64_, scipy_sgemv_64_);

/// What OpenBLAS says of its build.
#[unsafe(no_mangle)]
pub extern "C" fn scipy_openblas_get_config64_() -> *const c_char {
    c"OpenBLAS 0.0.0 mock USE64BITINT".as_ptr()
}

/// What OpenBLAS says of its kernels.
#[unsafe(no_mangle)]
pub extern "C" fn scipy_openblas_get_corename64_() -> *const c_char {
    c"Haswell".as_ptr()
}

/// Whether OpenBLAS is threaded: 1 is POSIX threads.
#[unsafe(no_mangle)]
pub extern "C" fn scipy_openblas_get_parallel64_() -> c_int {
    1
}

/// Notes a number of threads; the work is done by one.
#[unsafe(no_mangle)]
pub extern "C" fn scipy_openblas_set_num_threads64_(threads: c_int) {
    THREADS.store(threads, Ordering::Relaxed);
}

/// The number of threads noted.
#[unsafe(no_mangle)]
pub extern "C" fn scipy_openblas_get_num_threads64_() -> c_int {
    THREADS.load(Ordering::Relaxed)
}
