//! Matrix times matrix: C = alpha op(A) op(B) + beta C, all row-major.
//!
//! One product is cut into a near-square grid of tiles of C, one for each worker. A worker computes its tile alone
//! (`tile`), small ones straight from the operands, large ones from packed copies of them (`pack`), both with the same
//! register-blocked kernel (`micro_kernel`).
#![allow(unsafe_code)]

mod cache_blocks;
mod fetch;
mod last_vector;
mod layout;
mod macro_kernel;
mod micro_kernel;
mod pack;
mod panel_layout;
mod tile;
mod tile_grid;

pub(crate) use cache_blocks::ALIAS_BYTES;
pub use layout::{GemmLayout, Transpose};

use crate::disjoint_ptr::DisjointPtr;
use crate::isa::{DetectedIsa, Isa};
use crate::pool::ThreadPool;
use crate::real::Real;
use tile::Tile;

/// Multiply-adds below which one thread is faster than waking others: about ten microseconds of work, ten times what
/// starting and joining a spinning pool takes.
const WORK_FOR_THREADS: usize = 80 * 80 * 80;

/// A number type with a product, which is compiled in this crate: a generic function is compiled in each crate that calls it, with that
/// crate's settings, and for size the product ran at an eighth of its speed. It cannot be implemented elsewhere.
pub trait GemmElement: Real {
    /// [`Gemm::run`].
    #[doc(hidden)]
    #[expect(clippy::too_many_arguments, reason = "they are those of BLAS")]
    fn product(
        gemm: Gemm,
        pool: &ThreadPool,
        layout: &GemmLayout,
        alpha: Self,
        a: &[Self],
        b: &[Self],
        beta: Self,
        c: &mut [Self],
    );
}

macro_rules! compile {
    ($real:ty) => {
        impl GemmElement for $real {
            fn product(
                gemm: Gemm,
                pool: &ThreadPool,
                layout: &GemmLayout,
                alpha: $real,
                a: &[$real],
                b: &[$real],
                beta: $real,
                c: &mut [$real],
            ) {
                gemm.compute(pool, layout, alpha, a, b, beta, c);
            }
        }
    };
}

compile!(f32);
compile!(f64);

/// The product in one instruction set, detected when it is made.
#[derive(Debug, Clone, Copy)]
pub struct Gemm {
    found: DetectedIsa,
}

impl Default for Gemm {
    fn default() -> Gemm {
        Gemm::new()
    }
}

impl Gemm {
    /// The product in the widest instruction set of this processor.
    pub fn new() -> Gemm {
        Gemm { found: DetectedIsa::best() }
    }

    /// The product in this instruction set, if this processor has it.
    pub fn with_isa(isa: Isa) -> Option<Gemm> {
        DetectedIsa::of(isa).map(|found| Gemm { found })
    }

    /// The instruction set.
    pub fn isa(self) -> Isa {
        self.found.isa()
    }

    /// C = alpha op(A) op(B) + beta C. With beta zero C is not read; with alpha zero A and B are not.
    ///
    /// # Panics
    /// Where a slice is shorter than the layout needs, or memory for packed operands cannot be had.
    #[expect(clippy::too_many_arguments, reason = "they are those of BLAS")]
    #[inline]
    pub fn run<T: GemmElement>(
        self,
        pool: &ThreadPool,
        layout: GemmLayout,
        alpha: T,
        a: &[T],
        b: &[T],
        beta: T,
        c: &mut [T],
    ) {
        T::product(self, pool, &layout, alpha, a, b, beta, c);
    }

    /// [`Gemm::run`], for [`GemmElement::product`] alone.
    #[expect(clippy::too_many_arguments, reason = "they are those of BLAS")]
    #[inline(always)]
    fn compute<T: Real>(
        self,
        pool: &ThreadPool,
        layout: &GemmLayout,
        alpha: T,
        a: &[T],
        b: &[T],
        beta: T,
        c: &mut [T],
    ) {
        layout.check(a.len(), b.len(), c.len());
        let layout @ GemmLayout { m, n, k, .. } = *layout;
        let (a, b, c) = (DisjointPtr::reader(a), DisjointPtr::reader(b), DisjointPtr::new(c));
        let all = || Tile { layout, alpha, a, b, beta, c };
        if pool.threads() == 1 || m * n * k < WORK_FOR_THREADS {
            // SAFETY: `check` has found every operand as large as its layout says, and C is borrowed exclusively.
            return pool.run_on_caller(|| unsafe { all().compute(self.found) });
        }
        // SAFETY: as above.
        unsafe { self.on_threads(pool, all()) };
    }

    /// Has every thread compute a tile of C. A function of its own: what the threads share lies in memory, where the arguments of a
    /// small product should not.
    ///
    /// # Safety
    /// As for [`Tile::compute`].
    #[inline(never)]
    unsafe fn on_threads<T: Real>(self, pool: &ThreadPool, all: Tile<T>) {
        let lanes = (self.found.isa().vector_bytes() / size_of::<T>()).max(1);
        let rows_first = cache_blocks::prefers_rows(self.found.isa());
        let grid = tile_grid::TileGrid::choose([all.layout.m, all.layout.n], lanes, pool.threads(), rows_first);
        pool.run(|worker| {
            if let Some((rows, columns)) = grid.tile(worker) {
                // SAFETY: the caller guarantees the operands, and no two workers have a common part of C.
                unsafe { all.part(rows, columns).compute(self.found) };
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{Gemm, GemmLayout, Transpose};
    use crate::isa::Isa;
    use crate::pool::ThreadPool;

    /// Small enough for an interpreter that sees every access: operands in place and packed, each stored either way.
    #[test]
    fn operands_without_a_spare_element_suffice() {
        let pool = ThreadPool::unpinned(1).unwrap();
        let gemm = Gemm::with_isa(Isa::Scalar).unwrap();
        let (no, yes) = (Transpose::No, Transpose::Yes);
        for (transa, transb) in [(no, no), (no, yes), (yes, no), (yes, yes)] {
            let (m, n, k) = (9, 7, 5);
            let (lda, ldb) = (if transa == no { k } else { m }, if transb == no { n } else { k });
            let layout = GemmLayout { m, n, k, transa, transb, lda, ldb, ldc: n };
            let (a, b, mut c) = (vec![2.0; m * k], vec![3.0; k * n], vec![f64::NAN; m * n]);
            gemm.run(&pool, layout, 1.0, &a, &b, 0.0, &mut c);
            assert_eq!(c, vec![30.0; m * n], "{layout:?}");
        }
    }
}
