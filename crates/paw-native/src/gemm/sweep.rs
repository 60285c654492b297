//! One pass over a part of C: every block of it, summed over one range of k.
#![allow(unsafe_code)]

use super::block::{First, Last, Source, Target, Update, Whole, block};
use crate::isa::Isa;
use crate::real::Real;
use crate::vector::{Kernel, Vector};

/// A matrix A as blocks read it: element (i, p) of the strip that begins at row r is
/// `start[r * strip + i * row + p * step]`.
#[derive(Clone, Copy)]
pub(super) struct Strips<T> {
    pub(super) start: *const T,
    pub(super) strip: usize,
    pub(super) row: usize,
    pub(super) step: usize,
}

/// A matrix B as blocks read it.
#[derive(Clone, Copy)]
pub(super) enum Panels<T> {
    /// As stored, so many elements from row to row.
    InPlace(*const T, usize),
    /// Copied by [`super::pack::PackB`]: the columns of one block beside each other, row after row.
    Packed(*const T),
}

/// One pass over a part of C. Whoever makes one vouches for it: A has m rows and k columns, B k rows and n columns, C m
/// rows and n columns, all readable; C writable, and nobody else's.
pub(super) struct Sweep<T> {
    pub(super) m: usize,
    pub(super) n: usize,
    pub(super) k: usize,
    pub(super) a: Strips<T>,
    pub(super) b: Panels<T>,
    pub(super) c: *mut T,
    pub(super) ldc: usize,
    pub(super) alpha: T,
    pub(super) update: Update<T>,
}

/// Rows of a block: with three vectors in each, they and their operands fill the registers.
pub(super) const fn height(isa: Isa) -> usize {
    if isa.registers() == 32 { 8 } else { 4 }
}

/// Vectors in a block's row where `left` are left: three, but never one alone if that can be avoided, since a block one
/// vector wide loads more than it computes.
#[inline(always)]
pub(super) fn width(left: usize) -> usize {
    match left {
        0..=2 => left,
        4 => 2,
        _ => 3,
    }
}

impl<T: Real> Kernel for Sweep<T> {
    type Element = T;
    type Out = ();

    #[inline(always)]
    fn run<V: Vector<Element = T>>(self) {
        let vectors = self.n.div_ceil(V::LANES);
        let mut vector = 0;
        while vector < vectors {
            let wide = width(vectors - vector);
            let columns = (self.n - vector * V::LANES).min(wide * V::LANES);
            let last = columns - (wide - 1) * V::LANES;
            let panel = self.panel::<V>(vector, wide);
            match (wide, last == V::LANES) {
                (3, true) => panel.strips::<V, _, 3>(Whole),
                (3, false) => panel.strips::<V, _, 3>(First(last)),
                (2, true) => panel.strips::<V, _, 2>(Whole),
                (2, false) => panel.strips::<V, _, 2>(First(last)),
                (_, true) => panel.strips::<V, _, 1>(Whole),
                (_, false) => panel.strips::<V, _, 1>(First(last)),
            }
            vector += wide;
        }
    }
}

/// The part of a sweep that shares the same columns of B.
struct Panel<'a, T> {
    sweep: &'a Sweep<T>,
    b: *const T,
    b_step: usize,
    c: *mut T,
}

impl<T: Real> Sweep<T> {
    /// The columns from vector `vector` on, `wide` vectors of them.
    #[inline(always)]
    fn panel<V: Vector<Element = T>>(&self, vector: usize, wide: usize) -> Panel<'_, T> {
        let column = vector * V::LANES;
        let (b, b_step) = match self.b {
            Panels::InPlace(start, stride) => (start.wrapping_add(column), stride),
            Panels::Packed(start) => (start.wrapping_add(column * self.k), wide * V::LANES),
        };
        Panel { sweep: self, b, b_step, c: self.c.wrapping_add(column) }
    }
}

impl<T: Real> Panel<'_, T> {
    #[inline(always)]
    fn strips<V: Vector<Element = T>, L: Last<V>, const WIDE: usize>(self, last: L) {
        if V::ISA.registers() == 32 {
            self.strips_of::<V, L, WIDE, 8, 4>(last);
        } else {
            self.strips_of::<V, L, WIDE, 4, 2>(last);
        }
    }

    /// All blocks of the panel, `HIGH` rows each; the rows left over go through a block of half the height or of one.
    #[inline(always)]
    fn strips_of<V: Vector<Element = T>, L: Last<V>, const WIDE: usize, const HIGH: usize, const HALF: usize>(
        self,
        last: L,
    ) {
        let m = self.sweep.m;
        let mut first = 0;
        while first < m {
            let rows = (m - first).min(HIGH);
            let (from, to) = self.block_at(first, rows);
            if rows > HALF {
                // SAFETY: the maker of the sweep vouches for the operands; the rows and columns lie inside them.
                unsafe { block::<V, L, HIGH, WIDE>(from, to, last) };
            } else if rows > 1 {
                // SAFETY: as above.
                unsafe { block::<V, L, HALF, WIDE>(from, to, last) };
            } else {
                // SAFETY: as above.
                unsafe { block::<V, L, 1, WIDE>(from, to, last) };
            }
            first += rows;
        }
    }

    #[inline(always)]
    fn block_at(&self, first: usize, rows: usize) -> (Source<T>, Target<T>) {
        let &Sweep { k, a, ldc, alpha, update, .. } = self.sweep;
        let start = a.start.wrapping_add(first * a.strip);
        let from = Source { a: start, a_row: a.row, a_step: a.step, b: self.b, b_step: self.b_step, k };
        (from, Target { c: self.c.wrapping_add(first * ldc), ldc, rows, alpha, update })
    }
}
