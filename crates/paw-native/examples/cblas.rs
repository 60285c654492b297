//! The embedded BLAS under the names of CBLAS, so that a program in C can call it as it calls any other: row-major products of the
//! caller's thread, on as many threads as `OMP_NUM_THREADS` says.
#![allow(unsafe_code)]

use std::ffi::c_int;

use paw_native::gemm::{Gemm, GemmLayout, Transpose};
use paw_native::gemv::{Gemv, GemvLayout};
use paw_native::pool::ThreadPool;

/// `CblasRowMajor`, `CblasNoTrans` and `CblasTrans` of cblas.h.
const ROW_MAJOR: c_int = 101;
const NO_TRANS: c_int = 111;
const TRANS: c_int = 112;

/// The products, and the threads they run on.
struct Embedded {
    pool: ThreadPool,
    gemm: Gemm,
    gemv: Gemv,
}

thread_local! {
    static EMBEDDED: Embedded = start();
}

fn start() -> Embedded {
    let threads = std::env::var("OMP_NUM_THREADS").ok().and_then(|threads| threads.parse().ok()).unwrap_or(1);
    let cpus = paw_native::pool::allowed().unwrap_or_default();
    // As in paw, each of several threads has a processor of its own; a single one stays where it is.
    let pool = match cpus.get(..threads) {
        Some(cpus) if threads > 1 => ThreadPool::new(cpus),
        _ => ThreadPool::unpinned(threads),
    };
    let pool = pool.unwrap_or_else(|refused| refuse(&refused.to_string()));
    Embedded { pool, gemm: Gemm::new(), gemv: Gemv::new() }
}

/// That of the calling thread.
#[inline(always)]
fn embedded<'a>() -> &'a Embedded {
    let own = EMBEDDED.with(std::ptr::from_ref);
    // SAFETY: it lives until its thread ends, and no caller keeps it beyond a call.
    unsafe { &*own }
}

/// Ends the process: CBLAS has no way to return an error.
#[cold]
fn refuse(why: &str) -> ! {
    eprintln!("the embedded BLAS: {why}");
    std::process::abort()
}

fn transpose(word: c_int) -> Transpose {
    match word {
        NO_TRANS => Transpose::No,
        TRANS => Transpose::Yes,
        _ => refuse("a matrix is neither CblasNoTrans nor CblasTrans"),
    }
}

fn len(number: c_int) -> usize {
    usize::try_from(number).unwrap_or_else(|_| refuse("a dimension is negative"))
}

/// Exports a product of matrices and one of a matrix and a vector.
macro_rules! cblas {
    ($real:ty, $gemm:ident, $gemv:ident) => {
        /// C = alpha op(A) op(B) + beta C.
        ///
        /// # Safety
        /// The matrices must be as large as CBLAS says, and C not overlap the others.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $gemm(
            order: c_int,
            transa: c_int,
            transb: c_int,
            m: c_int,
            n: c_int,
            k: c_int,
            alpha: $real,
            a: *const $real,
            lda: c_int,
            b: *const $real,
            ldb: c_int,
            beta: $real,
            c: *mut $real,
            ldc: c_int,
        ) {
            if order != ROW_MAJOR {
                refuse("only row-major matrices are supported");
            }
            let (m, n, k, lda, ldb, ldc) = (len(m), len(n), len(k), len(lda), len(ldb), len(ldc));
            let layout = GemmLayout { m, n, k, transa: transpose(transa), transb: transpose(transb), lda, ldb, ldc };
            // SAFETY: the caller guarantees A.
            let a = unsafe { std::slice::from_raw_parts(a, layout.a_len()) };
            // SAFETY: and B.
            let b = unsafe { std::slice::from_raw_parts(b, layout.b_len()) };
            // SAFETY: and C, for this call alone.
            let c = unsafe { std::slice::from_raw_parts_mut(c, layout.c_len()) };
            let own = embedded();
            own.gemm.run(&own.pool, layout, alpha, a, b, beta, c);
        }

        /// y = alpha op(A) x + beta y.
        ///
        /// # Safety
        /// The operands must be as large as CBLAS says, and y not overlap the others.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $gemv(
            order: c_int,
            trans: c_int,
            m: c_int,
            n: c_int,
            alpha: $real,
            a: *const $real,
            lda: c_int,
            x: *const $real,
            x_step: c_int,
            beta: $real,
            y: *mut $real,
            y_step: c_int,
        ) {
            if order != ROW_MAJOR || x_step != 1 || y_step != 1 {
                refuse("only row-major matrices and vectors without gaps are supported");
            }
            let layout = GemvLayout { m: len(m), n: len(n), trans: transpose(trans), lda: len(lda) };
            // SAFETY: the caller guarantees A.
            let a = unsafe { std::slice::from_raw_parts(a, layout.a_len()) };
            // SAFETY: and x.
            let x = unsafe { std::slice::from_raw_parts(x, layout.x_len()) };
            // SAFETY: and y, for this call alone.
            let y = unsafe { std::slice::from_raw_parts_mut(y, layout.y_len()) };
            let own = embedded();
            own.gemv.run(&own.pool, layout, alpha, a, x, beta, y);
        }
    };
}

cblas!(f64, cblas_dgemm, cblas_dgemv);
cblas!(f32, cblas_sgemm, cblas_sgemv);
