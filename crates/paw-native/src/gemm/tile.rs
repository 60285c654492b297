//! A part of C computed by one thread.
#![allow(unsafe_code)]

use std::ops::Range;

use super::layout::{GemmLayout, Transpose};
use super::macro_kernel::{MacroKernel, Panels, Strips};
use super::micro_kernel::Update;
use super::pack::{PackA, PackATransposed, PackB, PackBTransposed, packed_row, with_room};
use super::panel_layout::height;
use crate::disjoint_ptr::DisjointPtr;
use crate::isa::DetectedIsa;
use crate::real::Real;
use crate::vector;

/// A part of C and what it is made of. Whoever makes one vouches for the operands, and that C is nobody else's.
#[derive(Clone, Copy)]
pub(super) struct Tile<T> {
    pub(super) layout: GemmLayout,
    pub(super) alpha: T,
    pub(super) a: DisjointPtr<T>,
    pub(super) b: DisjointPtr<T>,
    pub(super) beta: T,
    pub(super) c: DisjointPtr<T>,
}

/// Steps along k summed at a time: so many that reading and writing C in between does not count, and so few that a
/// panel of B (98 KB of doubles with AVX-512) and the packed A leave room in a second-level cache of 1 MiB.
const K_BLOCK: usize = 512;
/// Bytes of A that are packed at a time, to stay in the second-level cache beside a panel of B.
const A_BYTES: usize = 512 * 1024;
/// Bytes of B that are packed at a time. Each is read once for [`A_BYTES`] of A, little enough to come from memory; the
/// fewer times A is packed anew for further columns, the better.
const B_BYTES: usize = 16 << 20;
/// Bytes of B up to which it is used where it is: it stays in the second-level cache by itself.
const IN_PLACE_BYTES: usize = 400 * 1024;
/// Rows of C up to which copying B costs more than it gains.
const FEW_ROWS: usize = 24;
/// Rows of a large B read side by side where C has few rows: as many streams as prefetchers follow.
const STREAMS: usize = 16;

impl<T: Real> Tile<T> {
    /// The tile's own part of these rows and columns.
    pub(super) fn part(&self, rows: Range<usize>, columns: Range<usize>) -> Tile<T> {
        let GemmLayout { lda, ldb, ldc, transa, transb, .. } = self.layout;
        let a = if transa == Transpose::No { rows.start * lda } else { rows.start };
        let b = if transb == Transpose::No { columns.start } else { columns.start * ldb };
        Tile {
            layout: GemmLayout { m: rows.len(), n: columns.len(), ..self.layout },
            a: self.a.from(a),
            b: self.b.from(b),
            c: self.c.from(rows.start * ldc + columns.start),
            ..*self
        }
    }

    /// Computes the tile.
    #[inline]
    pub(super) fn compute(&self, found: DetectedIsa) {
        let GemmLayout { m, n, k, transb, .. } = self.layout;
        if m == 0 || n == 0 {
            return;
        }
        if k == 0 || self.alpha == T::ZERO {
            return self.scale();
        }
        let small = n * k * size_of::<T>() <= IN_PLACE_BYTES;
        match transb {
            Transpose::No if small => self.in_place(found, 0..k),
            Transpose::No if m <= FEW_ROWS => self.streamed(found),
            _ => self.packed(found),
        }
    }

    /// C = beta C, without reading it where beta is zero.
    fn scale(&self) {
        let GemmLayout { m, n, ldc, .. } = self.layout;
        for row in 0..m {
            for column in 0..n {
                let c = self.c.at(row * ldc + column);
                let scaled = match Update::of(self.beta) {
                    Update::Replace => T::ZERO,
                    // SAFETY: the element is inside C, which is ours.
                    Update::Add => unsafe { c.read() },
                    // SAFETY: as above.
                    Update::Blend(beta) => beta * unsafe { c.read() },
                };
                // SAFETY: as above.
                unsafe { c.write(scaled) };
            }
        }
    }

    /// Computes the tile from the operands where they are, summed over this range of k.
    #[inline]
    fn in_place(&self, found: DetectedIsa, depth: Range<usize>) {
        let &Tile { layout: GemmLayout { m, n, ldb, ldc, .. }, alpha, .. } = self;
        let b = Panels::InPlace(self.b.at(depth.start * ldb).cast_const(), ldb);
        let (a, update) = (self.strips_in_place(0, depth.start), self.update(depth.start));
        MacroKernel { m, n, k: depth.len(), a, b, c: self.c.at(0), ldc, alpha, update }.run(found);
    }

    /// Computes a tile of few rows: B is too large to stay anywhere and comes by once, a few rows at a time, while C
    /// stays in the caches.
    fn streamed(&self, found: DetectedIsa) {
        let k = self.layout.k;
        for p in (0..k).step_by(STREAMS) {
            self.in_place(found, p..(p + STREAMS).min(k));
        }
    }

    /// A as stored, from this row of op(A) and this step along k.
    #[inline]
    fn strips_in_place(&self, row: usize, step: usize) -> Strips<T> {
        let lda = self.layout.lda;
        match self.layout.transa {
            Transpose::No => Strips { start: self.a.at(row * lda + step), strip: lda, row: lda, step: 1 },
            Transpose::Yes => Strips { start: self.a.at(step * lda + row), strip: 1, row: 1, step: lda },
        }
    }

    /// What becomes of C in the range of k that begins here: what the first range left is added to by the next.
    #[inline]
    fn update(&self, start: usize) -> Update<T> {
        if start == 0 { Update::of(self.beta) } else { Update::Add }
    }

    /// Computes the tile from packed copies, block after block: Goto and van de Geijn, Anatomy of high-performance
    /// matrix multiplication (ACM TOMS 34, 2008), with the roles of A and B exchanged for row-major C.
    fn packed(&self, found: DetectedIsa) {
        let GemmLayout { m, n, k, .. } = self.layout;
        let k_block = even(k, K_BLOCK);
        let high = height(found.isa());
        let m_block = even(m, (A_BYTES / size_of::<T>() / k_block).max(high)).next_multiple_of(high);
        let n_block = even(n, (B_BYTES / size_of::<T>() / k_block).max(128)).next_multiple_of(64);
        let room = [m_block * packed_row::<T>(k_block), n_block * k_block];
        with_room(room, |[a_room, b_room]| {
            for column in (0..n).step_by(n_block) {
                let columns = column..(column + n_block).min(n);
                for p in (0..k).step_by(k_block) {
                    let depth = p..(p + k_block).min(k);
                    self.pack_b(found, depth.clone(), columns.clone(), b_room);
                    for row in (0..m).step_by(m_block) {
                        let rows = row..(row + m_block).min(m);
                        self.pass(found, rows, columns.clone(), depth.clone(), [a_room, b_room]);
                    }
                }
            }
        });
    }

    /// One block of C, summed over one range of k.
    fn pass(
        &self,
        found: DetectedIsa,
        rows: Range<usize>,
        columns: Range<usize>,
        depth: Range<usize>,
        room: [*mut T; 2],
    ) {
        let &Tile { layout: GemmLayout { ldc, .. }, alpha, .. } = self;
        let (a, update) = (self.pack_a(found, rows.clone(), depth.clone(), room[0]), self.update(depth.start));
        let c = self.c.at(rows.start * ldc + columns.start);
        let (m, n, k) = (rows.len(), columns.len(), depth.len());
        MacroKernel { m, n, k, a, b: Panels::Packed(room[1].cast_const()), c, ldc, alpha, update }.run(found);
    }

    fn pack_b(&self, found: DetectedIsa, depth: Range<usize>, columns: Range<usize>, to: *mut T) {
        let GemmLayout { ldb, transb, .. } = self.layout;
        let (k, n) = (depth.len(), columns.len());
        match transb {
            Transpose::No => {
                let b = self.b.at(depth.start * ldb + columns.start).cast_const();
                vector::run(found, PackB { b, ldb, k, n, to });
            }
            Transpose::Yes => {
                let b = self.b.at(columns.start * ldb + depth.start).cast_const();
                vector::run(found, PackBTransposed { b, ldb, k, n, to });
            }
        }
    }

    fn pack_a(&self, found: DetectedIsa, rows: Range<usize>, depth: Range<usize>, to: *mut T) -> Strips<T> {
        let GemmLayout { lda, transa, .. } = self.layout;
        let (m, k, in_place) = (rows.len(), depth.len(), self.strips_in_place(rows.start, depth.start));
        let a = in_place.start;
        match transa {
            // Short rows lie close enough together as they are.
            Transpose::No if lda <= K_BLOCK => in_place,
            Transpose::No => {
                vector::run(found, PackA { a, lda, m, k, to });
                let row = packed_row::<T>(k);
                Strips { start: to, strip: row, row, step: 1 }
            }
            Transpose::Yes => {
                vector::run(found, PackATransposed { a, lda, m, k, to });
                Strips { start: to, strip: k, row: 1, step: height(found.isa()) }
            }
        }
    }
}

/// The length of blocks of at most `most` that cut `len` most evenly.
fn even(len: usize, most: usize) -> usize {
    len.div_ceil(len.div_ceil(most).max(1)).max(1)
}
