//! STREAM's three arrays, spread over the workers of a pool, and their expected values.

use super::{CopyRoutine, Stores, StreamKernels, StreamOp};
use crate::buffer::{Aligned, OutOfMemory, Pages};
use crate::pool::ThreadPool;

/// The scalar: with √2 - 1 a whole cycle copy, scale, add, triad multiplies the arrays by 2s + s² = 1, so that no
/// number of repetitions leads to infinities or denormals (STREAM's 3 would after 260 cycles, 0.4 after 17,000).
const SCALAR: f64 = std::f64::consts::SQRT_2 - 1.0;

/// STREAM's arrays a, b, c, spread over the workers of a pool, and the value each must hold.
#[derive(Debug)]
pub struct StreamArrays {
    kernels: StreamKernels,
    arrays: [Aligned<f64>; 3],
    expected: [f64; 3],
    pages: Pages,
}

impl StreamArrays {
    /// Three arrays of `len` numbers each, filled by the workers that will use them.
    ///
    /// # Errors
    /// Where the system refuses the memory.
    pub fn try_new(
        kernels: StreamKernels,
        pool: &ThreadPool,
        len: usize,
        pages: Pages,
    ) -> Result<StreamArrays, OutOfMemory> {
        let expected = [1.0, 2.0, 0.5];
        let array = |value| Aligned::try_filled(len, pages, pool, move |_| value);
        let arrays = [array(expected[0])?, array(expected[1])?, array(expected[2])?];
        Ok(StreamArrays { kernels, arrays, expected, pages })
    }

    /// Elements of each array.
    pub fn len(&self) -> usize {
        self.arrays[0].len()
    }

    /// Their pages.
    pub fn pages(&self) -> Pages {
        self.pages
    }

    /// The arrays a, b, c.
    pub fn arrays(&self) -> &[Aligned<f64>; 3] {
        &self.arrays
    }

    /// The arrays a, b, c, for a test that spoils them.
    pub fn arrays_mut(&mut self) -> &mut [Aligned<f64>; 3] {
        &mut self.arrays
    }

    /// Whether the arrays have no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes one run of `op` moves, as STREAM counts them.
    pub fn bytes(&self, op: StreamOp) -> u64 {
        op.arrays() * (self.len() * size_of::<f64>()) as u64
    }

    /// Runs `op` once, each worker on its own part.
    pub fn run(&mut self, pool: &ThreadPool, op: StreamOp, stores: Stores) {
        let kernels = self.kernels;
        let [a, b, c] = &mut self.arrays;
        let page = Aligned::<f64>::PAGE_LEN;
        match op {
            StreamOp::Copy => pool.run_parts(c, page, |_, own, c| kernels.copy(stores, &a[own], c)),
            StreamOp::Scale => pool.run_parts(b, page, |_, own, b| kernels.scale(stores, SCALAR, &c[own], b)),
            StreamOp::Add => pool.run_parts(c, page, |_, own, c| kernels.add(stores, &a[own.clone()], &b[own], c)),
            StreamOp::Triad => {
                pool.run_parts(a, page, |_, own, a| kernels.triad(stores, SCALAR, &b[own.clone()], &c[own], a));
            }
        }
        self.expect(op);
    }

    /// Copies a to c once by `routine`, each worker its own part.
    pub fn copy(&mut self, pool: &ThreadPool, routine: CopyRoutine) {
        let [a, _, c] = &mut self.arrays;
        pool.run_parts(c, Aligned::<f64>::PAGE_LEN, |_, own, c| routine.copy(&a[own], c));
        self.expect(StreamOp::Copy);
    }

    /// Applies `op` to the expected values.
    fn expect(&mut self, op: StreamOp) {
        let [a, b, c] = &mut self.expected;
        match op {
            StreamOp::Copy => *c = *a,
            StreamOp::Scale => *b = SCALAR * *c,
            StreamOp::Add => *c = *a + *b,
            StreamOp::Triad if self.kernels.isa().fuses() => *a = SCALAR.mul_add(*c, *b),
            StreamOp::Triad => *a = *b + SCALAR * *c,
        }
    }

    /// The sum over all workers of their parts of the first array, each read as `streams` streams.
    pub fn read(&self, pool: &ThreadPool, streams: usize) -> f64 {
        let (kernels, a) = (self.kernels, &self.arrays[0]);
        let workers = pool.threads();
        pool.map(|worker| kernels.read(streams, &a[a.part(workers, worker)])).into_iter().sum()
    }

    /// The largest relative deviation of any element from its expected value: zero for a right result, because the expected
    /// values went through the same operations with the same roundings.
    pub fn error(&self) -> f64 {
        let deviation = |(array, &expected): (&Aligned<f64>, &f64)| {
            array.iter().map(|x| ((x - expected) / expected).abs()).fold(0.0, worse)
        };
        self.arrays.iter().zip(&self.expected).map(deviation).fold(0.0, worse)
    }
}

/// The larger deviation; one that is not a number is the worst of all.
fn worse(one: f64, other: f64) -> f64 {
    if one.is_nan() || one > other { one } else { other }
}
