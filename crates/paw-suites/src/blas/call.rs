//! Products bound to their operands before the timed region, which holds the library's call alone.

use paw_foreign::blas::dimensions::{GemmDimensions, GemvDimensions, Refused, Transpose};
use paw_foreign::blas::{BoundGemm, BoundGemv};
use paw_measure::fault::Fault;
use paw_native::gemm::{Gemm as OwnGemm, GemmLayout, Transpose as OwnTranspose};
use paw_native::gemv::{Gemv as OwnGemv, GemvLayout};
use paw_native::pool::ThreadPool;

use crate::blas::fill::Element;
use crate::blas::product::BoundProduct;
use crate::engine::Engine;

/// C ← α op(A) op(B) + β C with its operands.
pub enum GemmCall<'o, T> {
    /// By our own code.
    Own(OwnGemm, GemmLayout, OwnOperands<'o, T>),
    /// By a library.
    Library(BoundGemm<'o, T>),
}

/// y ← α op(A) x + β y with its operands.
pub enum GemvCall<'o, T> {
    /// By our own code.
    Own(OwnGemv, GemvLayout, OwnOperands<'o, T>),
    /// By a library.
    Library(BoundGemv<'o, T>),
}

/// Operands and threads of paw's own code.
pub struct OwnOperands<'o, T> {
    pool: &'o ThreadPool,
    alpha: T,
    beta: T,
    a: &'o [T],
    b: &'o [T],
    c: &'o mut [T],
}

impl Engine {
    /// A matrix-matrix product by this engine.
    pub fn gemm<'o, T: Element>(
        &'o self,
        dims: &GemmDimensions,
        (alpha, beta): (T, T),
        (a, b, c): (&'o [T], &'o [T], &'o mut [T]),
    ) -> Result<GemmCall<'o, T>, Fault> {
        if let Engine::Library(opened) = self {
            return Ok(GemmCall::Library(opened.blas.bind_gemm(dims, alpha, a, b, beta, c).map_err(missing)?));
        }
        let GemmDimensions { m, n, k, lda, ldb, ldc, .. } = *dims;
        let layout = GemmLayout { m, n, k, transa: own(dims.transa), transb: own(dims.transb), lda, ldb, ldc };
        let pool = &self.native()?.pool;
        Ok(GemmCall::Own(OwnGemm::new(), layout, OwnOperands { pool, alpha, beta, a, b, c }))
    }

    /// A matrix-vector product by this engine.
    pub fn gemv<'o, T: Element>(
        &'o self,
        dims: &GemvDimensions,
        (alpha, beta): (T, T),
        (a, x, y): (&'o [T], &'o [T], &'o mut [T]),
    ) -> Result<GemvCall<'o, T>, Fault> {
        if let Engine::Library(opened) = self {
            return Ok(GemvCall::Library(opened.blas.bind_gemv(dims, alpha, a, x, beta, y).map_err(missing)?));
        }
        let GemvDimensions { m, n, lda, .. } = *dims;
        let layout = GemvLayout { m, n, trans: own(dims.trans), lda };
        let pool = &self.native()?.pool;
        Ok(GemvCall::Own(OwnGemv::new(), layout, OwnOperands { pool, alpha, beta, a, b: x, c: y }))
    }
}

impl<T: Element> BoundProduct for GemmCall<'_, T> {
    #[inline(always)]
    fn call(&mut self) {
        match self {
            GemmCall::Library(bound) => bound.call(),
            GemmCall::Own(gemm, layout, OwnOperands { pool, alpha, beta, a, b, c }) => {
                gemm.run(pool, *layout, *alpha, a, b, *beta, c);
            }
        }
    }
}

impl<T: Element> BoundProduct for GemvCall<'_, T> {
    #[inline(always)]
    fn call(&mut self) {
        match self {
            GemvCall::Library(bound) => bound.call(),
            GemvCall::Own(gemv, layout, OwnOperands { pool, alpha, beta, a, b, c }) => {
                gemv.run(pool, *layout, *alpha, a, b, *beta, c);
            }
        }
    }
}

fn missing(refused: Refused) -> Fault {
    Fault::Missing(refused.to_string())
}

fn own(transpose: Transpose) -> OwnTranspose {
    match transpose {
        Transpose::No => OwnTranspose::No,
        Transpose::Yes => OwnTranspose::Yes,
    }
}
