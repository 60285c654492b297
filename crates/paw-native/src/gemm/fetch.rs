//! Prefetches that a block issues while it computes.

use crate::real::Real;
use crate::vector::Vector;

/// Bytes of a cache line on x86-64 and most AArch64 cores.
pub(super) const LINE_BYTES: usize = 64;

/// Prefetches of rows of C and lines of B for later blocks, issued in portions, because a burst would delay the block's own loads.
/// The addresses need not be valid.
#[derive(Clone, Copy)]
pub(super) struct Fetch<T> {
    /// The row of C in the next portion.
    pub(super) c: *const T,
    /// Elements from row to row of C.
    pub(super) ldc: usize,
    /// The lines of B in the next portion.
    pub(super) b: *const T,
    /// Lines of B in each portion.
    pub(super) lines: usize,
    /// Steps along k between two portions.
    pub(super) steps: usize,
    /// Portions left.
    pub(super) portions: usize,
}

impl<T: Real> Fetch<T> {
    /// Prefetches the next portion, `WIDE` vectors of C wide, and returns the number of steps along k until the one after.
    #[inline(always)]
    pub(super) fn next<V: Vector<Element = T>, const WIDE: usize>(&mut self) -> usize {
        if self.portions == 0 {
            return usize::MAX;
        }
        self.portions -= 1;
        for vector in 0..WIDE {
            V::prefetch(self.c.wrapping_add(vector * V::LANES));
        }
        self.c = self.c.wrapping_add(self.ldc);
        for _ in 0..self.lines {
            V::prefetch_near(self.b);
            self.b = self.b.wrapping_add(LINE_BYTES / size_of::<T>());
        }
        self.steps
    }
}
