//! y = alpha A x + beta y: dot products of rows.
#![allow(unsafe_code)]

use crate::gemm::ALIAS_BYTES;
use crate::real::Real;
use crate::vector::{Vector, VectorKernel};

/// Some rows of the product; `a` begins at the first of them.
pub(super) struct Rows<'a, T> {
    pub(super) alpha: T,
    pub(super) a: &'a [T],
    pub(super) lda: usize,
    pub(super) columns: usize,
    pub(super) x: &'a [T],
    pub(super) beta: T,
    pub(super) y: &'a mut [T],
}

/// Rows at a time: eight streams from memory, as many as prefetchers follow, and x is loaded once for eight rows, whose sums are as many
/// as hide the latency of an addition.
const ABREAST: usize = 8;

/// Bytes of A from which on it comes from memory: more than most threads' share of a last-level cache.
const FAR_BYTES: usize = 16 << 20;
/// Bytes ahead at which rows of such an A are prefetched, because prefetchers stop at the end of each page. It helped a Zen 4 with AVX-512,
/// and took an eighth of the speed of a Zen 3.
const AHEAD_BYTES: usize = 1024;

impl<T: Real> VectorKernel for Rows<'_, T> {
    type Element = T;
    type Out = ();

    #[inline(always)]
    fn run<V: Vector<Element = T>>(mut self) {
        let rows = self.y.len();
        let end = if rows == 0 { 0 } else { (rows - 1) * self.lda + self.columns };
        assert!(self.a.len() >= end && self.x.len() == self.columns, "the rows lie inside A and x fits them");
        let is_far = V::ISA.registers() == 32 && rows * self.columns * size_of::<T>() >= FAR_BYTES;
        // Eight rows and x would not fit the set of a first-level cache that all of them fall into.
        let aliased = (self.lda * size_of::<T>()).is_multiple_of(ALIAS_BYTES);
        let mut row = 0;
        while row < rows {
            row += match rows - row {
                ABREAST.. if is_far => self.dots_of::<V, ABREAST, 1, AHEAD_BYTES>(row),
                ABREAST.. if !aliased => self.dots_of::<V, ABREAST, 1, 0>(row),
                4.. => self.dots_of::<V, 4, 2, 0>(row),
                _ => self.dots_of::<V, 1, 4, 0>(row),
            };
        }
    }
}

impl<T: Real> Rows<'_, T> {
    /// Computes the elements of y of `ROWS` rows; returns how many they are.
    #[inline(always)]
    fn dots_of<V: Vector<Element = T>, const ROWS: usize, const WIDE: usize, const AHEAD: usize>(
        &mut self,
        row: usize,
    ) -> usize {
        let dots = self.dots::<V, ROWS, WIDE, AHEAD>(row);
        self.finish(row, dots);
        ROWS
    }

    /// The products of `ROWS` rows with x, `WIDE` vectors of each row at a time, prefetched `AHEAD` bytes ahead unless that is zero.
    #[inline(always)]
    fn dots<V: Vector<Element = T>, const ROWS: usize, const WIDE: usize, const AHEAD: usize>(
        &self,
        row: usize,
    ) -> [T; ROWS] {
        let (x, n) = (self.x.as_ptr(), self.columns);
        let mut a = [self.a.as_ptr(); ROWS];
        for (i, a) in a.iter_mut().enumerate() {
            *a = a.wrapping_add((row + i) * self.lda);
        }
        let mut sums = [[V::splat(T::ZERO); WIDE]; ROWS];
        let (wide, whole) = (n / (WIDE * V::LANES) * (WIDE * V::LANES), n / V::LANES * V::LANES);
        for column in (0..wide).step_by(WIDE * V::LANES) {
            for vector in 0..WIDE {
                let at = column + vector * V::LANES;
                // SAFETY: the vector ends at `wide <= n` or before, the length of x.
                let x = unsafe { V::load(x.wrapping_add(at)) };
                for (sums, a) in sums.iter_mut().zip(a) {
                    if AHEAD > 0 {
                        V::prefetch_near(a.wrapping_add(at + AHEAD / size_of::<T>()));
                    }
                    // SAFETY: and of the row, which is inside A.
                    let a = unsafe { V::load(a.wrapping_add(at)) };
                    sums[vector] = a.mul_add(x, sums[vector]);
                }
            }
        }
        for at in (wide..whole).step_by(V::LANES) {
            // SAFETY: the vector ends at `whole <= n` or before.
            let x = unsafe { V::load(x.wrapping_add(at)) };
            for (sums, a) in sums.iter_mut().zip(a) {
                // SAFETY: as above.
                let a = unsafe { V::load(a.wrapping_add(at)) };
                sums[0] = a.mul_add(x, sums[0]);
            }
        }
        if whole < n {
            // SAFETY: `n - whole` elements are left, of x and of each row.
            let x = unsafe { V::load_first(x.wrapping_add(whole), n - whole) };
            for (sums, a) in sums.iter_mut().zip(a) {
                // SAFETY: as above.
                let a = unsafe { V::load_first(a.wrapping_add(whole), n - whole) };
                sums[0] = a.mul_add(x, sums[0]);
            }
        }
        let mut dots = [T::ZERO; ROWS];
        for (dot, sums) in dots.iter_mut().zip(sums) {
            let mut sum = sums[0];
            for next in &sums[1..] {
                sum = sum.add(*next);
            }
            *dot = sum.sum();
        }
        dots
    }

    /// Writes finished dot products to y.
    #[inline(always)]
    fn finish<const ROWS: usize>(&mut self, row: usize, dots: [T; ROWS]) {
        for (y, dot) in self.y[row..row + ROWS].iter_mut().zip(dots) {
            *y = if self.beta == T::ZERO { self.alpha * dot } else { self.alpha * dot + self.beta * *y };
        }
    }
}
