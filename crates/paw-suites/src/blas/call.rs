//! One product as the timed loops call it, with dimensions and engine chosen beforehand.

use paw_foreign::blas::dimensions::{GemmDimensions, GemvDimensions, Transpose};
use paw_measure::fault::Fault;
use paw_native::gemm::{Gemm as OwnGemm, GemmLayout, Transpose as OwnTranspose};
use paw_native::gemv::{Gemv as OwnGemv, GemvLayout};

use crate::blas::fill::Element;
use crate::engine::Engine;

/// A matrix-matrix product.
#[derive(Debug, Clone, Copy)]
pub enum GemmCall {
    /// By our own code.
    Own(OwnGemm, GemmLayout),
    /// By a library.
    Library(GemmDimensions),
}

/// A matrix-vector product.
#[derive(Debug, Clone, Copy)]
pub enum GemvCall {
    /// By our own code.
    Own(OwnGemv, GemvLayout),
    /// By a library.
    Library(GemvDimensions),
}

impl Engine {
    /// How this engine computes a matrix-matrix product of these dimensions.
    pub fn gemm(&self, dims: &GemmDimensions) -> GemmCall {
        let GemmDimensions { m, n, k, lda, ldb, ldc, .. } = *dims;
        let own = GemmLayout { m, n, k, transa: own(dims.transa), transb: own(dims.transb), lda, ldb, ldc };
        match self {
            Engine::Native(_) | Engine::Ranks(_) | Engine::Devices(_) => GemmCall::Own(OwnGemm::new(), own),
            Engine::Library(_) => GemmCall::Library(*dims),
        }
    }

    /// How this engine computes a matrix-vector product of these dimensions.
    pub fn gemv(&self, dims: &GemvDimensions) -> GemvCall {
        let GemvDimensions { m, n, lda, .. } = *dims;
        match self {
            Engine::Native(_) | Engine::Ranks(_) | Engine::Devices(_) => {
                GemvCall::Own(OwnGemv::new(), GemvLayout { m, n, trans: own(dims.trans), lda })
            }
            Engine::Library(_) => GemvCall::Library(*dims),
        }
    }
}

impl GemmCall {
    /// C ← α op(A) op(B) + β C.
    #[inline(always)]
    pub fn run<T: Element>(self, by: &Engine, alpha: T, a: &[T], b: &[T], beta: T, c: &mut [T]) -> Result<(), Fault> {
        match (self, by) {
            (GemmCall::Own(gemm, dims), Engine::Native(native)) => gemm.run(&native.pool, dims, alpha, a, b, beta, c),
            (GemmCall::Library(dims), Engine::Library(opened)) => {
                opened.blas.gemm(&dims, alpha, a, b, beta, c).map_err(|e| Fault::Missing(e.to_string()))?;
            }
            _ => unreachable!("a call is run by the engine that made it"),
        }
        Ok(())
    }
}

impl GemvCall {
    /// y ← α op(A) x + β y.
    #[inline(always)]
    pub fn run<T: Element>(self, by: &Engine, alpha: T, a: &[T], x: &[T], beta: T, y: &mut [T]) -> Result<(), Fault> {
        match (self, by) {
            (GemvCall::Own(gemv, dims), Engine::Native(native)) => gemv.run(&native.pool, dims, alpha, a, x, beta, y),
            (GemvCall::Library(dims), Engine::Library(opened)) => {
                opened.blas.gemv(&dims, alpha, a, x, beta, y).map_err(|e| Fault::Missing(e.to_string()))?;
            }
            _ => unreachable!("a call is run by the engine that made it"),
        }
        Ok(())
    }
}

fn own(transpose: Transpose) -> OwnTranspose {
    match transpose {
        Transpose::No => OwnTranspose::No,
        Transpose::Yes => OwnTranspose::Yes,
    }
}
