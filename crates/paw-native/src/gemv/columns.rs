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

/// Bytes of y worked on before the next: the smallest first-level cache, so that y stays there or in the one below while rows of A
/// stream past, and long enough that memory is read in runs of many pages, which is worth more.
const BLOCK_BYTES: usize = 32 * 1024;
/// Rows added to y at a time: y is loaded and stored once for eight rows.
const ABREAST: usize = 8;
/// Most vectors of y that stay in registers from the first row to the last: with two sums of each, sixteen registers suffice.
const NARROW: usize = 6;

impl<T: Real> VectorKernel for Columns<'_, T> {
    type Element = T;
    type Out = ();

    #[inline(always)]
    fn run<V: Vector<Element = T>>(mut self) {
        let columns = self.y.len();
        let end = if self.rows == 0 { 0 } else { (self.rows - 1) * self.lda + columns };
        assert!(self.a.len() >= end && self.x.len() == self.rows, "the columns lie inside A and x fits them");
        super::scale(self.beta, self.y);
        if columns <= NARROW * V::LANES {
            return match columns.div_ceil(V::LANES) {
                0 | 1 => self.narrow::<V, 1, 8>(),
                2 => self.narrow::<V, 2, 4>(),
                3 => self.narrow::<V, 3, 4>(),
                4 => self.narrow::<V, 4, 2>(),
                5 => self.narrow::<V, 5, 2>(),
                _ => self.narrow::<V, NARROW, 2>(),
            };
        }
        let block = BLOCK_BYTES / size_of::<T>();
        for first in (0..columns).step_by(block) {
            let width = block.min(columns - first);
            let mut row = 0;
            while row < self.rows {
                row += match self.rows - row {
                    ABREAST.. => self.add_rows::<V, ABREAST>(row, first, width),
                    4.. => self.add_rows::<V, 4>(row, first, width),
                    _ => self.add_rows::<V, 1>(row, first, width),
                };
            }
        }
    }
}

impl<T: Real> Columns<'_, T> {
    /// Adds all rows to a y of `WIDE` vectors, of which the last may be partial. The rows are read as `STREAMS` streams, each with sums of
    /// its own: together they hide the latency of an addition, and of memory.
    #[inline(always)]
    fn narrow<V: Vector<Element = T>, const WIDE: usize, const STREAMS: usize>(&mut self) {
        let last = self.y.len() - (WIDE - 1) * V::LANES;
        let stream = self.rows / STREAMS;
        let mut sums = [[V::splat(T::ZERO); WIDE]; STREAMS];
        for row in 0..stream {
            for (number, sums) in sums.iter_mut().enumerate() {
                self.add_row(number * stream + row, last, sums);
            }
        }
        for row in STREAMS * stream..self.rows {
            self.add_row(row, last, &mut sums[0]);
        }
        for vector in 0..WIDE {
            let count = if vector + 1 < WIDE { V::LANES } else { last };
            let y = self.y[vector * V::LANES..][..count].as_mut_ptr();
            let mut sum = sums[0][vector];
            for next in &sums[1..] {
                sum = sum.add(next[vector]);
            }
            // SAFETY: y has `count` elements there.
            let old = unsafe { V::load_first(y, count) };
            // SAFETY: as above, and y is borrowed exclusively.
            unsafe { sum.mul_add(V::splat(self.alpha), old).store_first(y, count) };
        }
    }

    /// Adds a row times its element of x to sums of `WIDE` vectors, `last` elements of the last one.
    #[inline(always)]
    fn add_row<V: Vector<Element = T>, const WIDE: usize>(&self, row: usize, last: usize, sums: &mut [V; WIDE]) {
        let a = self.a.as_ptr().wrapping_add(row * self.lda);
        let x = V::splat(self.x[row]);
        for (vector, sum) in sums.iter_mut().enumerate() {
            let a = a.wrapping_add(vector * V::LANES);
            let a = if vector + 1 < WIDE {
                // SAFETY: the row has a whole vector there.
                unsafe { V::load(a) }
            } else {
                // SAFETY: the row has `last` elements there.
                unsafe { V::load_first(a, last) }
            };
            *sum = a.mul_add(x, *sum);
        }
    }

    /// Adds `ROWS` rows, each times its element of alpha x, to `width` elements of y from `first` on; returns how many they are.
    #[inline(always)]
    fn add_rows<V: Vector<Element = T>, const ROWS: usize>(&mut self, row: usize, first: usize, width: usize) -> usize {
        let y = self.y[first..first + width].as_mut_ptr();
        let mut a = [self.a.as_ptr(); ROWS];
        let mut x = [V::splat(T::ZERO); ROWS];
        for i in 0..ROWS {
            a[i] = a[i].wrapping_add((row + i) * self.lda + first);
            x[i] = V::splat(self.alpha * self.x[row + i]);
        }
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
        ROWS
    }
}
