//! Calls bound to their operands: all checks are made once, so that a timed call is the library's function alone.
#![allow(unsafe_code)]

use std::marker::PhantomData;

use super::call::{Gemm, Gemv};
use super::dimensions::{GemmDimensions, GemvDimensions, Refused, Transpose};

/// `CblasRowMajor` of the CBLAS interface.
pub(super) const ROW_MAJOR: i32 = 101;
/// `CblasNoTrans` and `CblasTrans`.
pub(super) const NO_TRANS: i32 = 111;
const TRANS: i32 = 112;

/// ?gemm with operands that were checked against its dimensions.
#[derive(Debug)]
pub struct BoundGemm<'o, T> {
    function: Gemm<T>,
    transa: Code,
    transb: Code,
    sizes: [i64; 3],
    strides: [i64; 3],
    alpha: T,
    beta: T,
    a: *const T,
    b: *const T,
    c: *mut T,
    operands: PhantomData<(&'o [T], &'o mut [T])>,
}

/// ?gemv with operands that were checked against its dimensions.
#[derive(Debug)]
pub struct BoundGemv<'o, T> {
    function: Gemv<T>,
    trans: Code,
    sizes: [i64; 2],
    lda: i64,
    alpha: T,
    beta: T,
    a: *const T,
    x: *const T,
    y: *mut T,
    operands: PhantomData<(&'o [T], &'o mut [T])>,
}

/// A transposition in both interfaces.
#[derive(Debug, Clone, Copy)]
struct Code {
    c: i32,
    fortran: &'static u8,
}

impl<'o, T> BoundGemm<'o, T> {
    /// Checks the operands and binds them.
    pub(super) fn new(
        function: Gemm<T>,
        shape: &GemmDimensions,
        alpha: T,
        a: &'o [T],
        b: &'o [T],
        beta: T,
        c: &'o mut [T],
    ) -> Result<Self, Refused> {
        shape.check(a.len(), b.len(), c.len())?;
        Ok(Self {
            function,
            transa: Code::of(shape.transa),
            transb: Code::of(shape.transb),
            sizes: [shape.m, shape.n, shape.k].map(|size| size as i64),
            strides: [shape.lda, shape.ldb, shape.ldc].map(|stride| stride as i64),
            alpha,
            beta,
            a: a.as_ptr(),
            b: b.as_ptr(),
            c: c.as_mut_ptr(),
            operands: PhantomData,
        })
    }
}

impl<'o, T> BoundGemv<'o, T> {
    /// Checks the operands and binds them.
    pub(super) fn new(
        function: Gemv<T>,
        shape: &GemvDimensions,
        alpha: T,
        a: &'o [T],
        x: &'o [T],
        beta: T,
        y: &'o mut [T],
    ) -> Result<Self, Refused> {
        shape.check(a.len(), x.len(), y.len())?;
        // A row-major matrix is its transpose to Fortran.
        let trans = match function {
            Gemv::C(_) => shape.trans,
            Gemv::Fortran(_) => shape.trans.other(),
        };
        Ok(Self {
            function,
            trans: Code::of(trans),
            sizes: [shape.m, shape.n].map(|size| size as i64),
            lda: shape.lda as i64,
            alpha,
            beta,
            a: a.as_ptr(),
            x: x.as_ptr(),
            y: y.as_mut_ptr(),
            operands: PhantomData,
        })
    }
}

impl<T: Copy> BoundGemm<'_, T> {
    /// C ← α op(A) op(B) + β C, by the library.
    #[inline(always)]
    pub fn call(&mut self) {
        let Self { alpha, beta, a, b, c, .. } = *self;
        let ([m, n, k], [lda, ldb, ldc]) = (&self.sizes, &self.strides);
        let (ta, tb) = (self.transa, self.transb);
        match self.function {
            Gemm::C(gemm) => {
                // SAFETY: `new` found the operands large enough, and C, borrowed alone, overlaps neither A nor B.
                unsafe { gemm(ROW_MAJOR, ta.c, tb.c, *m, *n, *k, alpha, a, *lda, b, *ldb, beta, c, *ldc) }
            }
            // Row-major C = op(A) op(B) is column-major Cᵀ = op(B)ᵀ op(A)ᵀ: the operands change places.
            Gemm::Fortran(gemm) => {
                let (alpha, beta) = (&self.alpha, &self.beta);
                // SAFETY: as above; every pointer is to a live value, both strings are one letter long.
                unsafe { gemm(tb.fortran, ta.fortran, n, m, k, alpha, b, ldb, a, lda, beta, c, ldc, 1, 1) }
            }
        }
    }
}

impl<T: Copy> BoundGemv<'_, T> {
    /// y ← α op(A) x + β y, by the library.
    #[inline(always)]
    pub fn call(&mut self) {
        let Self { trans, alpha, beta, a, x, y, .. } = *self;
        let ([m, n], lda) = (&self.sizes, &self.lda);
        match self.function {
            Gemv::C(gemv) => {
                // SAFETY: `new` found the operands large enough, and y, borrowed alone, overlaps neither A nor x.
                unsafe { gemv(ROW_MAJOR, trans.c, *m, *n, alpha, a, *lda, x, 1, beta, y, 1) }
            }
            Gemv::Fortran(gemv) => {
                let (alpha, beta) = (&self.alpha, &self.beta);
                // SAFETY: as above; every pointer is to a live value, the string is one letter long.
                unsafe { gemv(trans.fortran, n, m, alpha, a, lda, x, &1, beta, y, &1, 1) }
            }
        }
    }
}

impl Code {
    fn of(trans: Transpose) -> Self {
        match trans {
            Transpose::No => Self { c: NO_TRANS, fortran: &b'N' },
            Transpose::Yes => Self { c: TRANS, fortran: &b'T' },
        }
    }
}
