//! The register-blocked kernel: a few rows by a few vectors of C, summed over k in registers.
#![allow(unsafe_code)]

use crate::real::Real;
use crate::vector::Vector;

/// Where a block's numbers come from: element (i, p) of its A is `a[i * a_row + p * a_step]`, and row p of its B begins
/// at `b[p * b_step]`.
#[derive(Clone, Copy)]
pub(super) struct Source<T> {
    pub(super) a: *const T,
    pub(super) a_row: usize,
    pub(super) a_step: usize,
    pub(super) b: *const T,
    pub(super) b_step: usize,
    pub(super) k: usize,
}

/// Where a block's results go: `rows` rows from `c` on.
#[derive(Clone, Copy)]
pub(super) struct Target<T> {
    pub(super) c: *mut T,
    pub(super) ldc: usize,
    pub(super) rows: usize,
    pub(super) alpha: T,
    pub(super) update: Update<T>,
}

/// What becomes of the old C.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Update<T> {
    /// It is not read (beta is 0).
    Replace,
    /// The product is added to it (beta is 1).
    Add,
    /// It is multiplied by beta first.
    Blend(T),
}

impl<T: Real> Update<T> {
    pub(super) fn of(beta: T) -> Update<T> {
        if beta == T::ZERO {
            Update::Replace
        } else if beta == T::ONE {
            Update::Add
        } else {
            Update::Blend(beta)
        }
    }
}

/// How the last vector of each row is moved.
pub(super) trait Last<V: Vector>: Copy {
    /// # Safety
    /// The lanes in use must be readable.
    unsafe fn load(self, from: *const V::Element) -> V;
    /// # Safety
    /// The lanes in use must be writable, and nobody else's.
    unsafe fn store(self, vector: V, to: *mut V::Element);
}

/// All lanes are in use.
#[derive(Clone, Copy)]
pub(super) struct Whole;

/// Only the first lanes are in use.
#[derive(Clone, Copy)]
pub(super) struct First(pub(super) usize);

impl<V: Vector> Last<V> for Whole {
    #[inline(always)]
    unsafe fn load(self, from: *const V::Element) -> V {
        // SAFETY: the caller vouches for all lanes.
        unsafe { V::load(from) }
    }

    #[inline(always)]
    unsafe fn store(self, vector: V, to: *mut V::Element) {
        // SAFETY: the caller vouches for all lanes.
        unsafe { vector.store(to) }
    }
}

impl<V: Vector> Last<V> for First {
    #[inline(always)]
    unsafe fn load(self, from: *const V::Element) -> V {
        // SAFETY: the caller vouches for the first lanes.
        unsafe { V::load_first(from, self.0) }
    }

    #[inline(always)]
    unsafe fn store(self, vector: V, to: *mut V::Element) {
        // SAFETY: the caller vouches for the first lanes.
        unsafe { vector.store_first(to, self.0) }
    }
}

/// Computes `to.rows` (1 to `ROWS`) rows of `WIDE` vectors.
///
/// # Safety
/// What `from` and `to` describe must be readable and writable: k columns and `to.rows` rows of A, k rows of B and
/// `to.rows` rows of C of `WIDE` vectors, the last as `last` says. C must be nobody else's.
#[inline(always)]
pub(super) unsafe fn block<V: Vector, L: Last<V>, const ROWS: usize, const WIDE: usize>(
    from: Source<V::Element>,
    to: Target<V::Element>,
    last: L,
) {
    // Rows that do not exist are computed from the last one that does, and not stored.
    let row: [usize; ROWS] = std::array::from_fn(|i| i.min(to.rows - 1) * from.a_row);
    let mut sums = [[V::splat(V::Element::ZERO); WIDE]; ROWS];
    let (mut a, mut b) = (from.a, from.b);
    if to.update != Update::Replace {
        for i in 0..to.rows {
            V::prefetch(to.c.wrapping_add(i * to.ldc));
            V::prefetch(to.c.wrapping_add(i * to.ldc + (WIDE - 1) * V::LANES));
        }
    }
    for _ in 0..from.k {
        // SAFETY: row p of B has `WIDE` vectors, the last as `last` says.
        let b_row: [V; WIDE] = unsafe { load_row(b, last) };
        for (sums, row) in sums.iter_mut().zip(row) {
            // SAFETY: element (i, p) of A exists for every row the block has.
            let factor = V::splat(unsafe { a.wrapping_add(row).read() });
            for (sum, b) in sums.iter_mut().zip(b_row) {
                *sum = factor.mul_add(b, *sum);
            }
        }
        a = a.wrapping_add(from.a_step);
        b = b.wrapping_add(from.b_step);
    }
    for (i, sums) in sums.iter().enumerate() {
        if i < to.rows {
            // SAFETY: row i of C has `WIDE` vectors, the last as `last` says, and is ours.
            unsafe { finish_row(sums, to.c.wrapping_add(i * to.ldc), to.alpha, to.update, last) };
        }
    }
}

/// One row of `WIDE` vectors.
///
/// # Safety
/// It must be readable.
#[inline(always)]
unsafe fn load_row<V: Vector, L: Last<V>, const WIDE: usize>(from: *const V::Element, last: L) -> [V; WIDE] {
    std::array::from_fn(|vector| {
        let from = from.wrapping_add(vector * V::LANES);
        if vector + 1 < WIDE {
            // SAFETY: the caller vouches for the row.
            unsafe { V::load(from) }
        } else {
            // SAFETY: as above.
            unsafe { last.load(from) }
        }
    })
}

/// Merges the sums of one row into C.
///
/// # Safety
/// The row must be readable, writable, and nobody else's.
#[inline(always)]
unsafe fn finish_row<V: Vector, L: Last<V>, const WIDE: usize>(
    sums: &[V; WIDE],
    c: *mut V::Element,
    alpha: V::Element,
    update: Update<V::Element>,
    last: L,
) {
    let alpha = V::splat(alpha);
    let products = sums.map(|sum| sum.mul(alpha));
    let results = match update {
        Update::Replace => products,
        Update::Add => {
            // SAFETY: the caller vouches for the row.
            let old = unsafe { load_row::<V, L, WIDE>(c, last) };
            std::array::from_fn(|vector| sums[vector].mul_add(alpha, old[vector]))
        }
        Update::Blend(beta) => {
            // SAFETY: the caller vouches for the row.
            let old = unsafe { load_row::<V, L, WIDE>(c, last) };
            std::array::from_fn(|vector| old[vector].mul_add(V::splat(beta), products[vector]))
        }
    };
    for (vector, &result) in results.iter().enumerate() {
        let to = c.wrapping_add(vector * V::LANES);
        if vector + 1 < WIDE {
            // SAFETY: the caller vouches for the row.
            unsafe { result.store(to) };
        } else {
            // SAFETY: as above.
            unsafe { last.store(result, to) };
        }
    }
}
