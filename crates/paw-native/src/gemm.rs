//! Matrix times matrix: C = alpha op(A) op(B) + beta C, all row-major.
//!
//! One product is cut into a near-square grid of tiles of C, one for each worker. A worker computes its tile alone
//! (`tile`), small ones straight from the operands, large ones from packed copies of them (`pack`), both with the same
//! register-blocked kernel (`block`).

mod block;
mod fetch;
mod grid;
mod pack;
mod panelling;
mod shape;
mod sweep;
mod tile;

pub use shape::{GemmShape, Transpose};

use crate::apart::Apart;
use crate::isa::{Found, Isa};
use crate::pool::ThreadPool;
use crate::real::Real;
use tile::Tile;

/// Multiply-adds below which one thread is faster than waking others: about ten microseconds of work, ten times what
/// starting and joining a spinning pool takes.
const WORK_FOR_THREADS: usize = 80 * 80 * 80;

/// The product in one instruction set. Making it looks at the processor; using it does not.
#[derive(Debug, Clone, Copy)]
pub struct Gemm {
    found: Found,
}

impl Default for Gemm {
    fn default() -> Gemm {
        Gemm::new()
    }
}

impl Gemm {
    /// The product in the widest instruction set that is here.
    pub fn new() -> Gemm {
        Gemm { found: Found::best() }
    }

    /// The product in this instruction set, if it is here.
    pub fn with_isa(isa: Isa) -> Option<Gemm> {
        Found::of(isa).map(|found| Gemm { found })
    }

    /// The instruction set.
    pub fn isa(self) -> Isa {
        self.found.isa()
    }

    /// C = alpha op(A) op(B) + beta C. With beta zero C is not read; with alpha zero A and B are not.
    ///
    /// # Panics
    /// Where a slice is shorter than the shape needs, or memory for packed operands cannot be had.
    #[expect(clippy::too_many_arguments, reason = "they are those of BLAS")]
    #[inline]
    pub fn run<T: Real>(self, pool: &ThreadPool, shape: GemmShape, alpha: T, a: &[T], b: &[T], beta: T, c: &mut [T]) {
        shape.check(a.len(), b.len(), c.len());
        let tile = Tile { shape, alpha, a: Apart::reader(a), b: Apart::reader(b), beta, c: Apart::new(c) };
        let GemmShape { m, n, k, .. } = shape;
        if pool.threads() == 1 || m * n * k < WORK_FOR_THREADS {
            return pool.here(|| tile.compute(self.found));
        }
        let lanes = (self.found.isa().vector_bytes() / size_of::<T>()).max(1);
        let grid = grid::Grid::choose(m, n, lanes, pool.threads());
        pool.run(|worker| {
            if let Some((rows, columns)) = grid.tile(worker) {
                tile.part(rows, columns).compute(self.found);
            }
        });
    }
}
