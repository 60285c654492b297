//! The calls themselves, in C and in Fortran, with one signature for 32-bit and 64-bit integers.
//!
//! Integers are passed as 64 bits. A library built for 32 reads the low half: behind Fortran's pointers because machines are
//! little-endian, in registers because lengths are below 2³¹, where sign and zero extension agree.
#![allow(unsafe_code)]

use crate::object::SharedObject;

use super::convention::{Convention, Language};
use super::dimensions::{GemmDimensions, GemvDimensions, Transpose};

/// `CblasRowMajor` of the CBLAS interface.
const ROW_MAJOR: i32 = 101;
/// `CblasNoTrans` and `CblasTrans`.
const NO_TRANS: i32 = 111;
const TRANS: i32 = 112;

type CGemm<T> = unsafe extern "C" fn(i32, i32, i32, i64, i64, i64, T, *const T, i64, *const T, i64, T, *mut T, i64);
type CGemv<T> = unsafe extern "C" fn(i32, i32, i64, i64, T, *const T, i64, *const T, i64, T, *mut T, i64);
// The two last arguments are the lengths of the two strings, which Fortran compilers add.
type FortranGemm<T> = unsafe extern "C" fn(
    *const u8,
    *const u8,
    *const i64,
    *const i64,
    *const i64,
    *const T,
    *const T,
    *const i64,
    *const T,
    *const i64,
    *const T,
    *mut T,
    *const i64,
    usize,
    usize,
);
type FortranGemv<T> = unsafe extern "C" fn(
    *const u8,
    *const i64,
    *const i64,
    *const T,
    *const T,
    *const i64,
    *const T,
    *const i64,
    *const T,
    *mut T,
    *const i64,
    usize,
);
type CDot = unsafe extern "C" fn(i64, *const f64, i64, *const f64, i64) -> f64;
type FortranDot = unsafe extern "C" fn(*const i64, *const f64, *const i64, *const f64, *const i64) -> f64;

/// One of the two precisions.
#[derive(Debug, Clone, Copy)]
pub struct Calls<T> {
    gemm: Option<Gemms<T>>,
    gemv: Option<Gemvs<T>>,
}

#[derive(Debug, Clone, Copy)]
enum Gemms<T> {
    C(CGemm<T>),
    Fortran(FortranGemm<T>),
}

#[derive(Debug, Clone, Copy)]
enum Gemvs<T> {
    C(CGemv<T>),
    Fortran(FortranGemv<T>),
}

/// A floating-point type BLAS computes with: `f32` or `f64`.
pub trait Real: Copy + PartialEq + PartialOrd + std::fmt::Debug + Into<f64> + 'static {
    /// BLAS's letter for it.
    const LETTER: char;
    /// Unit roundoff: half the distance from 1 to the next number.
    const ROUNDOFF: f64;
    /// The nearest number of this type.
    fn nearest(value: f64) -> Self;
    #[doc(hidden)]
    fn calls<'c>(double: &'c Calls<f64>, single: &'c Calls<f32>) -> &'c Calls<Self>;
}

impl Real for f64 {
    const LETTER: char = 'd';
    const ROUNDOFF: f64 = f64::EPSILON / 2.0;
    fn nearest(value: f64) -> Self {
        value
    }
    fn calls<'c>(double: &'c Calls<f64>, _: &'c Calls<f32>) -> &'c Calls<Self> {
        double
    }
}

impl Real for f32 {
    const LETTER: char = 's';
    const ROUNDOFF: f64 = (f32::EPSILON / 2.0) as f64;
    fn nearest(value: f64) -> Self {
        value as f32
    }
    fn calls<'c>(_: &'c Calls<f64>, single: &'c Calls<f32>) -> &'c Calls<Self> {
        single
    }
}

impl<T: Real> Calls<T> {
    /// The calls of this precision that `object` has under `convention`.
    pub(super) fn find(object: &SharedObject, convention: &Convention) -> Self {
        let gemm = convention.symbol(&format!("{}gemm", T::LETTER));
        let gemv = convention.symbol(&format!("{}gemv", T::LETTER));
        match convention.language {
            Language::C => Self {
                // SAFETY: the CBLAS interface gives cblas_?gemm this signature.
                gemm: unsafe { object.function(&gemm) }.map(Gemms::C),
                // SAFETY: the CBLAS interface gives cblas_?gemv this signature.
                gemv: unsafe { object.function(&gemv) }.map(Gemvs::C),
            },
            Language::Fortran => Self {
                // SAFETY: the BLAS reference gives ?GEMM this signature; compilers add the string lengths.
                gemm: unsafe { object.function(&gemm) }.map(Gemms::Fortran),
                // SAFETY: the BLAS reference gives ?GEMV this signature; compilers add the string length.
                gemv: unsafe { object.function(&gemv) }.map(Gemvs::Fortran),
            },
        }
    }

    pub(super) fn has_gemm(&self) -> bool {
        self.gemm.is_some()
    }

    pub(super) fn has_gemv(&self) -> bool {
        self.gemv.is_some()
    }

    /// Calls ?gemm and says whether there is one. `shape` was checked against the slices.
    #[inline]
    pub(super) fn gemm(&self, shape: &GemmDimensions, alpha: T, a: &[T], b: &[T], beta: T, c: &mut [T]) -> bool {
        debug_assert_eq!(shape.check(a.len(), b.len(), c.len()), Ok(()));
        let [m, n, k] = [shape.m as i64, shape.n as i64, shape.k as i64];
        let [lda, ldb, ldc] = [shape.lda as i64, shape.ldb as i64, shape.ldc as i64];
        let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
        match self.gemm {
            None => return false,
            Some(Gemms::C(gemm)) => {
                let (ta, tb) = (c_code(shape.transa), c_code(shape.transb));
                // SAFETY: the slices hold what the shape needs, and C, borrowed alone, overlaps neither A nor B.
                unsafe { gemm(ROW_MAJOR, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) }
            }
            // Row-major C = op(A) op(B) is column-major Cᵀ = op(B)ᵀ op(A)ᵀ: the operands change places.
            Some(Gemms::Fortran(gemm)) => {
                let (ta, tb) = (fortran_code(shape.transa), fortran_code(shape.transb));
                // SAFETY: as above; every pointer is to a live local or slice, both strings are one letter long.
                unsafe { gemm(tb, ta, &n, &m, &k, &alpha, b, &ldb, a, &lda, &beta, c, &ldc, 1, 1) }
            }
        }
        true
    }

    /// Calls ?gemv and says whether there is one. `shape` was checked against the slices.
    #[inline]
    pub(super) fn gemv(&self, shape: &GemvDimensions, alpha: T, a: &[T], x: &[T], beta: T, y: &mut [T]) -> bool {
        debug_assert_eq!(shape.check(a.len(), x.len(), y.len()), Ok(()));
        let [m, n, lda] = [shape.m as i64, shape.n as i64, shape.lda as i64];
        let (a, x, y) = (a.as_ptr(), x.as_ptr(), y.as_mut_ptr());
        match self.gemv {
            None => return false,
            Some(Gemvs::C(gemv)) => {
                let trans = c_code(shape.trans);
                // SAFETY: the slices hold what the shape needs, and y, borrowed alone, overlaps neither A nor x.
                unsafe { gemv(ROW_MAJOR, trans, m, n, alpha, a, lda, x, 1, beta, y, 1) }
            }
            // A row-major matrix is its transpose to Fortran.
            Some(Gemvs::Fortran(gemv)) => {
                let trans = fortran_code(transposed(shape.trans));
                // SAFETY: as above; every pointer is to a live local or slice, the string is one letter long.
                unsafe { gemv(trans, &n, &m, &alpha, a, &lda, x, &1, &beta, y, &1, 1) }
            }
        }
        true
    }
}

/// `ddot` of a length that is 2 in its low half and negative as a whole: a product where integers have 32 bits, and 0, as BLAS
/// defines for negative lengths, where they have 64. `None` without `ddot`.
pub(super) fn dot_of_ambiguous_length(object: &SharedObject, convention: &Convention) -> Option<f64> {
    const AMBIGUOUS: i64 = -(1 << 32) + 2;
    let name = convention.symbol("ddot");
    let (x, y) = ([3.0; 2], [2.0; 2]);
    match convention.language {
        Language::C => {
            // SAFETY: the CBLAS interface gives cblas_ddot this signature.
            let dot: CDot = unsafe { object.function(&name) }?;
            // SAFETY: either reading of the length stays within two elements.
            Some(unsafe { dot(AMBIGUOUS, x.as_ptr(), 1, y.as_ptr(), 1) })
        }
        Language::Fortran => {
            // SAFETY: the BLAS reference gives DDOT this signature.
            let dot: FortranDot = unsafe { object.function(&name) }?;
            // SAFETY: either reading of the length stays within two elements.
            Some(unsafe { dot(&AMBIGUOUS, x.as_ptr(), &1, y.as_ptr(), &1) })
        }
    }
}

fn c_code(trans: Transpose) -> i32 {
    match trans {
        Transpose::No => NO_TRANS,
        Transpose::Yes => TRANS,
    }
}

fn fortran_code(trans: Transpose) -> *const u8 {
    match trans {
        Transpose::No => b"N".as_ptr(),
        Transpose::Yes => b"T".as_ptr(),
    }
}

fn transposed(trans: Transpose) -> Transpose {
    match trans {
        Transpose::No => Transpose::Yes,
        Transpose::Yes => Transpose::No,
    }
}
