//! Matrix times vector: y = alpha op(A) x + beta y, A row-major.
#![allow(unsafe_code)]

mod columns;
mod rows;

use crate::disjoint_ptr::DisjointPtr;
use crate::gemm::Transpose;
use crate::isa::{DetectedIsa, Isa};
use crate::partition::part;
use crate::pool::ThreadPool;
use crate::real::Real;
use crate::vector;

/// Dimensions and storage of a matrix-vector product: A has `m` rows and `n` columns as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GemvLayout {
    /// Rows of A.
    pub m: usize,
    /// Columns of A.
    pub n: usize,
    /// Whether A is used as stored (x has n elements, y has m) or transposed (x has m, y has n).
    pub trans: Transpose,
    /// Elements from one row of A to the next, at least `n`.
    pub lda: usize,
}

impl GemvLayout {
    /// A matrix without padding between its rows, used as stored.
    pub fn new(m: usize, n: usize) -> GemvLayout {
        GemvLayout { m, n, trans: Transpose::No, lda: n }
    }

    /// Elements A must have.
    pub fn a_len(&self) -> usize {
        // Saturation keeps an overflowing size larger than any slice.
        if self.m == 0 { 0 } else { (self.m - 1).saturating_mul(self.lda).saturating_add(self.n) }
    }

    /// Elements of x.
    pub fn x_len(&self) -> usize {
        if self.trans == Transpose::No { self.n } else { self.m }
    }

    /// Elements of y.
    pub fn y_len(&self) -> usize {
        if self.trans == Transpose::No { self.m } else { self.n }
    }

    fn check(&self, a: usize, x: usize, y: usize) {
        let needed = self.a_len();
        assert!(self.lda >= self.n, "lda {} is less than the {} columns of A", self.lda, self.n);
        assert!(a >= needed, "A has {a} elements where {self:?} needs {needed}");
        assert!(x >= self.x_len(), "x has {x} elements where {self:?} needs {}", self.x_len());
        assert!(y >= self.y_len(), "y has {y} elements where {self:?} needs {}", self.y_len());
    }
}

/// Elements of A below which one thread is faster than waking others: some two microseconds of work.
const ELEMENTS_FOR_THREADS: usize = 32 * 1024;
/// Granule, in rows, of a worker's part: rows that the kernel reads side by side. Parts may share a cache line of y, which is written
/// but once; with a few long rows, equal parts are worth more.
const ROWS: usize = 4;
/// Granule, in columns, of a worker's part: several cache lines of y.
const COLUMNS: usize = 64;

/// A number type with a product, which is compiled in this crate as [`GemmElement`](crate::gemm::GemmElement)'s is. It cannot be implemented
/// elsewhere.
pub trait GemvElement: Real {
    /// [`Gemv::run`].
    #[doc(hidden)]
    #[expect(clippy::too_many_arguments, reason = "they are those of BLAS")]
    fn product(
        gemv: Gemv,
        pool: &ThreadPool,
        layout: &GemvLayout,
        alpha: Self,
        a: &[Self],
        x: &[Self],
        beta: Self,
        y: &mut [Self],
    );
}

macro_rules! compile {
    ($real:ty) => {
        impl GemvElement for $real {
            fn product(
                gemv: Gemv,
                pool: &ThreadPool,
                layout: &GemvLayout,
                alpha: $real,
                a: &[$real],
                x: &[$real],
                beta: $real,
                y: &mut [$real],
            ) {
                gemv.compute(pool, layout, alpha, a, x, beta, y);
            }
        }
    };
}

compile!(f32);
compile!(f64);

/// The product in one instruction set.
#[derive(Debug, Clone, Copy)]
pub struct Gemv {
    found: DetectedIsa,
}

impl Default for Gemv {
    fn default() -> Gemv {
        Gemv::new()
    }
}

impl Gemv {
    /// The product in the widest instruction set of this processor.
    pub fn new() -> Gemv {
        Gemv { found: DetectedIsa::best() }
    }

    /// The product in this instruction set, if this processor has it.
    pub fn with_isa(isa: Isa) -> Option<Gemv> {
        DetectedIsa::of(isa).map(|found| Gemv { found })
    }

    /// The instruction set.
    pub fn isa(self) -> Isa {
        self.found.isa()
    }

    /// y = alpha op(A) x + beta y. With beta zero y is not read; with alpha zero A and x are not.
    ///
    /// # Panics
    /// Where a slice is shorter than the layout needs.
    #[expect(clippy::too_many_arguments, reason = "they are those of BLAS")]
    #[inline]
    pub fn run<T: GemvElement>(
        self,
        pool: &ThreadPool,
        layout: GemvLayout,
        alpha: T,
        a: &[T],
        x: &[T],
        beta: T,
        y: &mut [T],
    ) {
        T::product(self, pool, &layout, alpha, a, x, beta, y);
    }

    /// [`Gemv::run`], for [`GemvElement::product`] alone.
    #[expect(clippy::too_many_arguments, reason = "they are those of BLAS")]
    #[inline(always)]
    fn compute<T: Real>(
        self,
        pool: &ThreadPool,
        layout: &GemvLayout,
        alpha: T,
        a: &[T],
        x: &[T],
        beta: T,
        y: &mut [T],
    ) {
        let layout = *layout;
        layout.check(a.len(), x.len(), y.len());
        let y = &mut y[..layout.y_len()];
        if layout.x_len() == 0 || alpha == T::ZERO {
            return scale(beta, y);
        }
        let product = GemvArguments { layout, alpha, a, x: &x[..layout.x_len()], beta };
        let workers = if layout.m * layout.n < ELEMENTS_FOR_THREADS { 1 } else { pool.threads() };
        if workers == 1 {
            return pool.run_on_caller(|| product.part(self.found, 0, y));
        }
        let granule = if layout.trans == Transpose::No { ROWS } else { COLUMNS };
        let (len, shared) = (y.len(), DisjointPtr::new(y));
        pool.run(|worker| {
            let range = part(len, workers, granule, worker);
            // SAFETY: y is borrowed exclusively, and the parts of no two workers overlap.
            let y = unsafe { std::slice::from_raw_parts_mut(shared.at(range.start), range.len()) };
            product.part(self.found, range.start, y);
        });
    }
}

/// The arguments of a product that all workers share.
struct GemvArguments<'a, T> {
    layout: GemvLayout,
    alpha: T,
    a: &'a [T],
    x: &'a [T],
    beta: T,
}

impl<T: Real> GemvArguments<'_, T> {
    /// Computes the elements of y that begin at `first`.
    #[inline(always)]
    fn part(&self, found: DetectedIsa, first: usize, y: &mut [T]) {
        let &GemvArguments { layout: GemvLayout { m, n, trans, lda }, alpha, a, x, beta } = self;
        match trans {
            Transpose::No => {
                let a = &a[(first * lda).min(a.len())..];
                vector::run(found, rows::Rows { alpha, a, lda, columns: n, x, beta, y });
            }
            Transpose::Yes => {
                let a = &a[first.min(a.len())..];
                vector::run(found, columns::Columns { alpha, a, lda, rows: m, x, beta, y });
            }
        }
    }
}

/// y = beta y, without reading it where beta is zero.
fn scale<T: Real>(beta: T, y: &mut [T]) {
    if beta == T::ZERO {
        y.fill(T::ZERO);
    } else if beta != T::ONE {
        y.iter_mut().for_each(|value| *value = beta * *value);
    }
}
