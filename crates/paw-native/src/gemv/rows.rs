//! y = alpha A x + beta y: dot products of rows.
#![allow(unsafe_code)]

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

/// Rows at a time: four streams from memory, and x is loaded once for four rows.
const ABREAST: usize = 4;

impl<T: Real> VectorKernel for Rows<'_, T> {
    type Element = T;
    type Out = ();

    #[inline(always)]
    fn run<V: Vector<Element = T>>(mut self) {
        let rows = self.y.len();
        let end = if rows == 0 { 0 } else { (rows - 1) * self.lda + self.columns };
        assert!(self.a.len() >= end && self.x.len() == self.columns, "the rows lie inside A and x fits them");
        let blocks = rows / ABREAST * ABREAST;
        for row in (0..blocks).step_by(ABREAST) {
            let dots = self.dots::<V, ABREAST, 2>(row);
            self.finish(row, dots);
        }
        for row in blocks..rows {
            let dots = self.dots::<V, 1, 4>(row);
            self.finish(row, dots);
        }
    }
}

impl<T: Real> Rows<'_, T> {
    /// The products of `ROWS` rows with x, `WIDE` vectors of each row at a time.
    #[inline(always)]
    fn dots<V: Vector<Element = T>, const ROWS: usize, const WIDE: usize>(&self, row: usize) -> [T; ROWS] {
        let (x, n) = (self.x.as_ptr(), self.columns);
        let a: [*const T; ROWS] = std::array::from_fn(|i| self.a.as_ptr().wrapping_add((row + i) * self.lda));
        let mut sums = [[V::splat(T::ZERO); WIDE]; ROWS];
        let (wide, whole) = (n / (WIDE * V::LANES) * (WIDE * V::LANES), n / V::LANES * V::LANES);
        for column in (0..wide).step_by(WIDE * V::LANES) {
            for vector in 0..WIDE {
                let at = column + vector * V::LANES;
                // SAFETY: the vector ends at `wide <= n` or before, the length of x.
                let x = unsafe { V::load(x.wrapping_add(at)) };
                for (sums, a) in sums.iter_mut().zip(a) {
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
        totals(sums.map(|sums| sums[1..].iter().fold(sums[0], |sum, &next| sum.add(next))))
    }

    /// Writes finished dot products to y.
    #[inline(always)]
    fn finish<const ROWS: usize>(&mut self, row: usize, dots: [T; ROWS]) {
        for (y, dot) in self.y[row..row + ROWS].iter_mut().zip(dots) {
            *y = if self.beta == T::ZERO { self.alpha * dot } else { self.alpha * dot + self.beta * *y };
        }
    }
}

/// Most lanes of a vector.
const MOST_LANES: usize = 16;

/// The sum of the lanes of each vector. Interleaving two vectors and adding the halves halves the vectors that are left, for half of
/// the shuffles that sums one by one would take.
#[inline(always)]
fn totals<V: Vector<Element: Real>, const COUNT: usize>(mut sums: [V; COUNT]) -> [V::Element; COUNT] {
    if V::LANES < COUNT || COUNT == 1 {
        return sums.map(|sums| sums.sum());
    }
    let mut left = COUNT;
    while left > 1 {
        left /= 2;
        for i in 0..left {
            let [low, high] = sums[i].interleave(sums[i + left]);
            sums[i] = low.add(high);
        }
    }
    let mut lanes = [V::Element::ZERO; MOST_LANES];
    // SAFETY: the array holds as many numbers as any vector.
    unsafe { sums[0].store(lanes.as_mut_ptr()) };
    std::array::from_fn(|i| {
        let parts = lanes[..V::LANES].iter().skip(i).step_by(COUNT);
        parts.fold(V::Element::ZERO, |sum, &part| sum + part)
    })
}
