//! A tile: the part of C that one thread computes.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ops::Range;

use super::cache_blocks::{
    ALIAS_BYTES, a_bytes, aliased_rows, few_steps_rows, in_place_bytes, in_place_rows, slim, slim_steps, steps_most,
    streams,
};
use super::fetch::LINE_BYTES;
use super::layout::{GemmLayout, Transpose};
use super::macro_kernel::{MacroKernel, Panels, Strips, at_hand};
use super::micro_kernel::Update;
use super::pack::{Packing, pack_a, pack_a_transposed, pack_b, pack_b_transposed, with_room};
use super::panel_layout::{height, lanes, width};
use crate::disjoint_ptr::DisjointPtr;
use crate::isa::DetectedIsa;
use crate::real::Real;

/// A part of C, and the parts of A and B it is computed from.
#[derive(Clone, Copy)]
pub(super) struct Tile<T> {
    pub(super) layout: GemmLayout,
    pub(super) alpha: T,
    pub(super) a: DisjointPtr<T>,
    pub(super) b: DisjointPtr<T>,
    pub(super) beta: T,
    pub(super) c: DisjointPtr<T>,
}

/// Longest rows of A or B, in elements, that are close enough together as they are stored.
const SHORT_ROW: usize = 512;
/// Most columns of C for which packing A costs more than it gains.
const FEW_COLUMNS: usize = 128;
/// Bytes of B packed at a time, read from memory once for each packed part of A. The larger, the less often A is packed again.
const B_BYTES: usize = 16 << 20;
/// Most rows of C for which packing B costs more than it gains.
const FEW_ROWS: usize = 24;
/// Most steps along k for which it does however many rows there are: a panel of so few rows stays in the first-level cache and its
/// address translation as it is stored.
const FEW_STEPS: usize = 64;
/// Half the ways of a first-level cache.
const HALF_THE_WAYS: usize = 4;

/// Most numbers in a vector: packing A may write as many beyond it.
const MOST_LANES: usize = 16;
/// Most elements of a transposed B that are copied to the stack.
const ON_STACK: usize = 1024;

/// Room on the stack, at the start of a cache line.
#[repr(align(64))]
struct Room<T>([MaybeUninit<T>; ON_STACK]);

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
    ///
    /// # Safety
    /// The operands must be as large as `layout` says, A and B readable, and C readable and writable by the caller alone.
    #[inline(always)]
    pub(super) unsafe fn compute(self, found: DetectedIsa) {
        let GemmLayout { m, n, k, transb, .. } = self.layout;
        let isa = found.isa();
        let is_small = transb == Transpose::No && n * k * size_of::<T>() <= in_place_bytes(isa);
        let is_packed = m > in_place_rows(isa) || m >= aliased_rows(isa) && self.is_aliased();
        if is_small && !is_packed && m > 0 && n > 0 && k > 0 && self.alpha != T::ZERO {
            // SAFETY: the caller guarantees the operands.
            return unsafe { self.in_place(found, 0..k, self.c_at_hand()) };
        }
        // A copy is passed on: a tile whose address is known elsewhere lies in memory, which a small product would notice.
        // SAFETY: as above.
        unsafe { Tile { ..self }.compute_large(found) };
    }

    /// Computes a tile that is not small, or empty.
    ///
    /// # Safety
    /// As for `compute`.
    #[inline(never)]
    unsafe fn compute_large(&self, found: DetectedIsa) {
        let GemmLayout { m, n, k, transa, transb, .. } = self.layout;
        if m == 0 || n == 0 {
            return;
        }
        if k == 0 || self.alpha == T::ZERO {
            // SAFETY: the caller guarantees C.
            return unsafe { self.scale() };
        }
        let isa = found.isa();
        if transb == Transpose::Yes && n.next_multiple_of(lanes::<T>(isa)) * k <= ON_STACK {
            // SAFETY: the caller guarantees the operands.
            return unsafe { self.on_stack(found) };
        }
        match transb {
            // SAFETY: the caller guarantees the operands.
            Transpose::No if m <= FEW_ROWS => unsafe { self.cut_along_k(found, streams(isa, m)) },
            // SAFETY: as above.
            Transpose::No if k <= FEW_STEPS && m <= few_steps_rows(isa) && !self.is_aliased() => unsafe {
                self.cut_along_n(found)
            },
            Transpose::No if self.is_slim(found) => {
                let cached = in_place_bytes(isa) / size_of::<T>() / n;
                // SAFETY: as above.
                unsafe { self.cut_along_k(found, cached.min(slim_steps(isa, transa == Transpose::Yes))) }
            }
            // SAFETY: as above.
            _ => unsafe { self.packed(found) },
        }
    }

    /// Whether C has few columns, and rows of B, and of A where it is transposed, are short enough to be close together as they are.
    fn is_slim(&self, found: DetectedIsa) -> bool {
        let GemmLayout { m, n, lda, ldb, transa, .. } = self.layout;
        let panel = width(found.isa()) * lanes::<T>(found.isa());
        let (panels, rows) = slim(found.isa());
        n <= panels * panel && m <= rows && ldb <= SHORT_ROW && (transa == Transpose::No || lda <= SHORT_ROW)
    }

    /// Whether the rows of B, as they are stored, fall into so few sets of a first-level cache that those of a panel evict each other:
    /// they may take half of it.
    #[inline(always)]
    fn is_aliased(&self) -> bool {
        let stride = (self.layout.ldb * size_of::<T>()) | ALIAS_BYTES;
        let sets = (ALIAS_BYTES >> stride.trailing_zeros()).min(ALIAS_BYTES / LINE_BYTES);
        self.layout.k > sets * HALF_THE_WAYS
    }

    /// Whether all of C stays in the second-level cache.
    #[inline(always)]
    fn c_at_hand(&self) -> bool {
        at_hand::<T>(self.layout.m * self.layout.n)
    }

    /// C = beta C, without reading it where beta is zero.
    ///
    /// # Safety
    /// As for `compute`.
    unsafe fn scale(&self) {
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
    ///
    /// # Safety
    /// As for `compute`.
    #[inline(always)]
    unsafe fn in_place(self, found: DetectedIsa, depth: Range<usize>, c_at_hand: bool) {
        let Tile { layout: GemmLayout { m, n, ldb, ldc, .. }, alpha, .. } = self;
        let b = Panels::InPlace(self.b.at(depth.start * ldb).cast_const(), ldb);
        let (a, update) = (self.strips_in_place(0, depth.start), self.update(depth.start));
        let kernel = MacroKernel { m, n, k: depth.len(), a, b, c: self.c.at(0), ldc, alpha, update, c_at_hand };
        // SAFETY: the caller guarantees the operands.
        unsafe { kernel.run(found) };
    }

    /// Computes the tile in place, at most `most` steps along k at a time, for which either a few rows of B are streams from memory
    /// while C stays cached, or B stays cached while A is a stream.
    ///
    /// # Safety
    /// As for `compute`.
    unsafe fn cut_along_k(&self, found: DetectedIsa, most: usize) {
        let GemmLayout { k, .. } = self.layout;
        let steps = even(k, most);
        for p in (0..k).step_by(steps) {
            // SAFETY: as for this function.
            unsafe { self.in_place(found, p..(p + steps).min(k), self.c_at_hand()) };
        }
    }

    /// Computes the tile in place, as many columns at a time as keep their part of B cached.
    ///
    /// # Safety
    /// As for `compute`.
    unsafe fn cut_along_n(&self, found: DetectedIsa) {
        let GemmLayout { m, n, k, .. } = self.layout;
        let panel = width(found.isa()) * lanes::<T>(found.isa());
        let columns = even(n, in_place_bytes(found.isa()) / size_of::<T>() / k).next_multiple_of(panel);
        for column in (0..n).step_by(columns) {
            // SAFETY: as for this function.
            unsafe { self.part(0..m, column..(column + columns).min(n)).in_place(found, 0..k, self.c_at_hand()) };
        }
    }

    /// Computes a small tile from a copy of its transposed B on the stack.
    ///
    /// # Safety
    /// As for `compute`; B must have at most [`ON_STACK`] elements, its rows rounded up to whole vectors.
    unsafe fn on_stack(&self, found: DetectedIsa) {
        let &Tile { layout: GemmLayout { m, n, k, ldc, .. }, alpha, .. } = self;
        let mut room = Room([const { MaybeUninit::<T>::uninit() }; ON_STACK]);
        let to = room.0.as_mut_ptr().cast::<T>();
        // SAFETY: the caller guarantees B, and the room for it.
        unsafe { self.pack_b(found, 0..k, 0..n, to) };
        let (a, b, c) = (self.strips_in_place(0, 0), Panels::Packed(to.cast_const()), self.c.at(0));
        let kernel = MacroKernel { m, n, k, a, b, c, ldc, alpha, update: self.update(0), c_at_hand: self.c_at_hand() };
        // SAFETY: as above.
        unsafe { kernel.run(found) };
    }

    /// A as stored, from this row of op(A) and this step along k.
    #[inline]
    fn strips_in_place(&self, row: usize, step: usize) -> Strips<T> {
        let lda = self.layout.lda;
        match self.layout.transa {
            Transpose::No => {
                Strips { start: self.a.at(row * lda + step), strip: lda, row: lda, step: 1, packed: false }
            }
            Transpose::Yes => Strips { start: self.a.at(step * lda + row), strip: 1, row: 1, step: lda, packed: false },
        }
    }

    /// How the range of k that begins here is combined with C: the first by beta, each further one by addition.
    #[inline]
    fn update(&self, start: usize) -> Update<T> {
        if start == 0 { Update::of(self.beta) } else { Update::Add }
    }

    /// Computes the tile from packed copies, block after block: Goto and van de Geijn, Anatomy of high-performance
    /// matrix multiplication (ACM TOMS 34, 2008), with the roles of A and B exchanged for row-major C.
    ///
    /// # Safety
    /// As for `compute`.
    unsafe fn packed(&self, found: DetectedIsa) {
        let GemmLayout { m, n, k, .. } = self.layout;
        let k_block = even(k, steps_most(found.isa()));
        let high = height(found.isa());
        let m_block = even(m, (a_bytes(found.isa()) / size_of::<T>() / k_block).max(high)).next_multiple_of(high);
        // A panel of few steps, or used by few strips, is best read from the second-level cache.
        let b_bytes = if m <= m_block || k <= FEW_STEPS { in_place_bytes(found.isa()) } else { B_BYTES };
        let n_block = even(n, (b_bytes / size_of::<T>() / k_block).max(128)).next_multiple_of(64);
        let room = [m_block * k_block + MOST_LANES, n_block * k_block];
        with_room(room, |[a_room, b_room]| {
            for column in (0..n).step_by(n_block) {
                let columns = column..(column + n_block).min(n);
                for p in (0..k).step_by(k_block) {
                    let depth = p..(p + k_block).min(k);
                    // SAFETY: the part is inside B, which the caller guarantees, and the room holds a block of it.
                    unsafe { self.pack_b(found, depth.clone(), columns.clone(), b_room) };
                    for row in (0..m).step_by(m_block) {
                        let rows = row..(row + m_block).min(m);
                        // SAFETY: as above, of A and C too.
                        unsafe { self.pass(found, rows, columns.clone(), depth.clone(), [a_room, b_room]) };
                    }
                }
            }
        });
    }

    /// One block of C, summed over one range of k.
    ///
    /// # Safety
    /// As for `compute`; the first room must hold a block of A, and the second the packed block of B.
    unsafe fn pass(
        &self,
        found: DetectedIsa,
        rows: Range<usize>,
        columns: Range<usize>,
        depth: Range<usize>,
        room: [*mut T; 2],
    ) {
        let &Tile { layout: GemmLayout { ldc, .. }, alpha, .. } = self;
        // SAFETY: as for this function.
        let a = unsafe { self.pack_a(found, rows.clone(), depth.clone(), room[0]) };
        let update = self.update(depth.start);
        let c = self.c.at(rows.start * ldc + columns.start);
        let c_at_hand = self.c_at_hand();
        let (m, n, k) = (rows.len(), columns.len(), depth.len());
        let kernel =
            MacroKernel { m, n, k, a, b: Panels::Packed(room[1].cast_const()), c, ldc, alpha, update, c_at_hand };
        // SAFETY: as for this function.
        unsafe { kernel.run(found) };
    }

    /// # Safety
    /// The part must be inside B, and `to` have room for it.
    unsafe fn pack_b(&self, found: DetectedIsa, depth: Range<usize>, columns: Range<usize>, to: *mut T) {
        let GemmLayout { ldb, transb, .. } = self.layout;
        let (k, n) = (depth.len(), columns.len());
        match transb {
            Transpose::No => {
                let from = self.b.at(depth.start * ldb + columns.start).cast_const();
                // SAFETY: the caller guarantees the part and the room.
                unsafe { pack_b(found, Packing { from, stride: ldb, rows: k, columns: n, to }) };
            }
            Transpose::Yes => {
                let from = self.b.at(columns.start * ldb + depth.start).cast_const();
                // SAFETY: as above.
                unsafe { pack_b_transposed(found, Packing { from, stride: ldb, rows: n, columns: k, to }) };
            }
        }
    }

    /// # Safety
    /// The part must be inside A, and `to` have room for it.
    unsafe fn pack_a(&self, found: DetectedIsa, rows: Range<usize>, depth: Range<usize>, to: *mut T) -> Strips<T> {
        let GemmLayout { lda, transa, .. } = self.layout;
        let (m, k) = (rows.len(), depth.len());
        let from = self.strips_in_place(rows.start, depth.start).start;
        let high = height(found.isa());
        match transa {
            Transpose::No if self.layout.n <= FEW_COLUMNS => return self.strips_in_place(rows.start, depth.start),
            Transpose::No => {
                // SAFETY: the caller guarantees the part and the room.
                unsafe { pack_a(found, Packing { from, stride: lda, rows: m, columns: k, to }) };
            }
            Transpose::Yes => {
                // SAFETY: as above.
                unsafe { pack_a_transposed(found, Packing { from, stride: lda, rows: k, columns: m, to }) };
            }
        }
        Strips { start: to, strip: k, row: 1, step: high, packed: true }
    }
}

/// The length of blocks of at most `most` that cut `len` most evenly.
fn even(len: usize, most: usize) -> usize {
    len.div_ceil(len.div_ceil(most).max(1)).max(1)
}
