//! The functions of a BLAS, in C and in Fortran, with one signature for 32-bit and 64-bit integers.
//!
//! Integers are passed as 64 bits. A library built for 32 reads the low half: behind Fortran's pointers because machines are
//! little-endian, in registers because lengths are below 2³¹, where sign and zero extension agree.
#![allow(unsafe_code)]

use crate::object::SharedObject;

use super::convention::{Convention, Language};

pub(super) type CGemm<T> =
    unsafe extern "C" fn(i32, i32, i32, i64, i64, i64, T, *const T, i64, *const T, i64, T, *mut T, i64);
pub(super) type CGemv<T> = unsafe extern "C" fn(i32, i32, i64, i64, T, *const T, i64, *const T, i64, T, *mut T, i64);
// The last arguments are the lengths of the strings, which Fortran compilers add.
#[rustfmt::skip]
pub(super) type FortranGemm<T> = unsafe extern "C" fn(
    *const u8, *const u8, *const i64, *const i64, *const i64, *const T, *const T, *const i64, *const T, *const i64, *const T,
    *mut T, *const i64, usize, usize,
);
#[rustfmt::skip]
pub(super) type FortranGemv<T> = unsafe extern "C" fn(
    *const u8, *const i64, *const i64, *const T, *const T, *const i64, *const T, *const i64, *const T, *mut T, *const i64, usize,
);
type CDot = unsafe extern "C" fn(i64, *const f64, i64, *const f64, i64) -> f64;
type FortranDot = unsafe extern "C" fn(*const i64, *const f64, *const i64, *const f64, *const i64) -> f64;

/// The functions of one precision; `None` where the library lacks them.
#[derive(Debug, Clone, Copy)]
pub struct Calls<T> {
    pub(super) gemm: Option<Gemm<T>>,
    pub(super) gemv: Option<Gemv<T>>,
}

/// ?gemm by either interface.
#[derive(Debug, Clone, Copy)]
pub(super) enum Gemm<T> {
    C(CGemm<T>),
    Fortran(FortranGemm<T>),
}

/// ?gemv by either interface.
#[derive(Debug, Clone, Copy)]
pub(super) enum Gemv<T> {
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

impl<T> Calls<T> {
    /// No calls.
    pub(super) const NONE: Self = Self { gemm: None, gemv: None };
}

impl<T: Real> Calls<T> {
    /// The calls of this precision that `object` has under `convention`.
    pub(super) fn find(object: &SharedObject, convention: &Convention) -> Self {
        let gemm = convention.symbol(&format!("{}gemm", T::LETTER));
        let gemv = convention.symbol(&format!("{}gemv", T::LETTER));
        match convention.language {
            Language::C => Self {
                // SAFETY: the CBLAS interface gives cblas_?gemm this signature.
                gemm: unsafe { object.function(&gemm) }.map(Gemm::C),
                // SAFETY: the CBLAS interface gives cblas_?gemv this signature.
                gemv: unsafe { object.function(&gemv) }.map(Gemv::C),
            },
            Language::Fortran => Self {
                // SAFETY: the BLAS reference gives ?GEMM this signature; compilers add the string lengths.
                gemm: unsafe { object.function(&gemm) }.map(Gemm::Fortran),
                // SAFETY: the BLAS reference gives ?GEMV this signature; compilers add the string length.
                gemv: unsafe { object.function(&gemv) }.map(Gemv::Fortran),
            },
        }
    }

    /// Whether the library has any function of this precision.
    pub(super) fn is_any(&self) -> bool {
        self.gemm.is_some() || self.gemv.is_some()
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
