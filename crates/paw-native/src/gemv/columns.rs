//! y = alpha Aᵀ x + beta y: sums of rows.
#![allow(unsafe_code)]

use crate::real::Real;
use crate::vector::{Vector, VectorKernel};

/// Some columns of A, those of `y`; `a` begins at the first of them.
pub(super) struct Columns<'a, T> {
    pub(super) alpha: T,
    pub(super) a: &'a [T],
    pub(super) lda: usize,
    pub(super) rows: usize,
    pub(super) x: &'a [T],
    pub(super) beta: T,
    pub(super) y: &'a mut [T],
}

/// Bytes of y worked on before the next: half of the smallest first-level cache, so that y stays there while rows of A
/// stream past, and long enough that memory is read in runs of several pages.
const BLOCK_BYTES: usize = 16 * 1024;
/// Rows added to y at a time: y is loaded and stored once for eight rows.
const ABREAST: usize = 8;

impl<T: Real> VectorKernel for Columns<'_, T> {
    type Element = T;
    type Out = ();

    #[inline(always)]
    fn run<V: Vector<Element = T>>(mut self) {
        let columns = self.y.len();
        let end = if self.rows == 0 { 0 } else { (self.rows - 1) * self.lda + columns };
        assert!(self.a.len() >= end && self.x.len() == self.rows, "the columns lie inside A and x fits them");
        super::scale(self.beta, self.y);
        let block = BLOCK_BYTES / size_of::<T>();
        for first in (0..columns).step_by(block) {
            let width = block.min(columns - first);
            let blocks = self.rows / ABREAST * ABREAST;
            for row in (0..blocks).step_by(ABREAST) {
                self.add_rows::<V, ABREAST>(row, first, width);
            }
            for row in blocks..self.rows {
                self.add_rows::<V, 1>(row, first, width);
            }
        }
    }
}

impl<T: Real> Columns<'_, T> {
    /// Adds `ROWS` rows, each times its element of alpha x, to `width` elements of y from `first` on.
    #[inline(always)]
    fn add_rows<V: Vector<Element = T>, const ROWS: usize>(&mut self, row: usize, first: usize, width: usize) {
        let y = self.y[first..first + width].as_mut_ptr();
        let a: [*const T; ROWS] = std::array::from_fn(|i| self.a.as_ptr().wrapping_add((row + i) * self.lda + first));
        let x: [V; ROWS] = std::array::from_fn(|i| V::splat(self.alpha * self.x[row + i]));
        let whole = width / V::LANES * V::LANES;
        for at in (0..whole).step_by(V::LANES) {
            // SAFETY: the vector ends at `whole <= width` or before, which y and the rows have from `first` on.
            let mut sum = unsafe { V::load(y.wrapping_add(at)) };
            for (x, a) in x.iter().zip(a) {
                // SAFETY: as above.
                let a = unsafe { V::load(a.wrapping_add(at)) };
                sum = a.mul_add(*x, sum);
            }
            // SAFETY: as above, and y is borrowed exclusively.
            unsafe { sum.store(y.wrapping_add(at)) };
        }
        if whole < width {
            // SAFETY: `width - whole` elements are left, of y and of each row.
            let mut sum = unsafe { V::load_first(y.wrapping_add(whole), width - whole) };
            for (x, a) in x.iter().zip(a) {
                // SAFETY: as above.
                let a = unsafe { V::load_first(a.wrapping_add(whole), width - whole) };
                sum = a.mul_add(*x, sum);
            }
            // SAFETY: as above, and y is borrowed exclusively.
            unsafe { sum.store_first(y.wrapping_add(whole), width - whole) };
        }
    }
}
