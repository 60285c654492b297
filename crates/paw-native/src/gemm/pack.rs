//! Copies of parts of A and B in the order the kernel reads them.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::ops::Range;

use super::panel_layout::{PanelLayout, height};
use crate::buffer::{Aligned, Pages};
use crate::isa::DetectedIsa;
use crate::real::Real;
use crate::vector::{self, Vector, VectorKernel};

/// A part of a matrix as it is stored, and where its copy goes.
#[derive(Clone, Copy)]
pub(super) struct Packing<T> {
    pub(super) from: *const T,
    /// Elements from one stored row to the next.
    pub(super) stride: usize,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) to: *mut T,
}

/// Copies B, stored as k rows of n elements, into panels as wide as blocks are.
///
/// # Safety
/// The stored rows must be readable, and `to` have room for n rounded up to whole vectors times k elements, used by the caller alone.
pub(super) unsafe fn pack_b<T: Real>(found: DetectedIsa, b: Packing<T>) {
    vector::run(found, PackB(b));
}

/// As [`pack_b`], for a B stored as n rows of k elements.
///
/// # Safety
/// As for [`pack_b`].
pub(super) unsafe fn pack_b_transposed<T: Real>(found: DetectedIsa, b: Packing<T>) {
    vector::run(found, Transposing::<T, false>(b));
}

/// Copies A, stored as m rows of k elements, into rows [`packed_row`] apart.
///
/// # Safety
/// The stored rows must be readable, and `to` have room for m packed rows, rounded up to blocks, used by the caller alone.
pub(super) unsafe fn pack_a<T: Real>(found: DetectedIsa, a: Packing<T>) {
    vector::run(found, Transposing::<T, true>(a));
}

/// As [`pack_a`], for an A stored as k rows of m elements: strips as high as a block, one column after the other.
///
/// # Safety
/// As for [`pack_a`].
pub(super) unsafe fn pack_a_transposed<T: Real>(found: DetectedIsa, a: Packing<T>) {
    vector::run(found, PackATransposed(a));
}

struct PackB<T>(Packing<T>);

impl<T: Real> VectorKernel for PackB<T> {
    type Element = T;
    type Out = ();

    #[inline(always)]
    fn run<V: Vector<Element = T>>(self) {
        let Packing { rows: k, columns: n, .. } = self.0;
        for first in (0..k).step_by(ROWS_ABREAST) {
            let rows = first..(first + ROWS_ABREAST).min(k);
            let panelling = PanelLayout::of(n.div_ceil(V::LANES), V::ISA);
            for panel in 0..panelling.panels {
                match panelling.panel(panel) {
                    (vector, 3) => self.rows_of_panel::<V, 3>(vector, rows.clone()),
                    (vector, 2) => self.rows_of_panel::<V, 2>(vector, rows.clone()),
                    (vector, _) => self.rows_of_panel::<V, 1>(vector, rows.clone()),
                }
            }
        }
    }
}

/// Rows copied into a panel or strip before the next one: enough that panels in one set of the cache do not evict each other,
/// and few enough to read side by side.
const ROWS_ABREAST: usize = 4;

impl<T: Real> PackB<T> {
    /// Copies `rows` of the panel that begins at vector `vector`.
    #[inline(always)]
    fn rows_of_panel<V: Vector<Element = T>, const WIDE: usize>(&self, vector: usize, rows: Range<usize>) {
        let column = vector * V::LANES;
        let Packing { from: b, stride, rows: k, columns: n, to } = self.0;
        let panel = to.wrapping_add(column * k);
        let last = (n - column).min(WIDE * V::LANES) - (WIDE - 1) * V::LANES;
        for p in rows {
            let (from, to) = (b.wrapping_add(p * stride + column), panel.wrapping_add(p * WIDE * V::LANES));
            for i in 0..WIDE {
                let from = from.wrapping_add(i * V::LANES);
                let count = if i + 1 < WIDE { V::LANES } else { last };
                let elements = if count == V::LANES {
                    // SAFETY: the row has a whole vector there.
                    unsafe { V::load(from) }
                } else {
                    // SAFETY: the row has `count` elements there.
                    unsafe { V::load_first(from, count) }
                };
                // SAFETY: the panel has room for whole vectors.
                unsafe { elements.store(to.wrapping_add(i * V::LANES)) };
            }
        }
    }
}

/// A copy of A as stored, to strips (`OF_A`), or of a transposed B, to panels: both transpose squares of as many stored rows as a vector has
/// lanes, in registers.
struct Transposing<T, const OF_A: bool>(Packing<T>);

impl<T: Real, const OF_A: bool> VectorKernel for Transposing<T, OF_A> {
    type Element = T;
    type Out = ();

    #[inline(always)]
    fn run<V: Vector<Element = T>>(self) {
        // Only one of these is compiled.
        match V::LANES {
            1 => self.squares::<V, 1>(),
            2 => self.squares::<V, 2>(),
            4 => self.squares::<V, 4>(),
            8 => self.squares::<V, 8>(),
            _ => self.squares::<V, 16>(),
        }
    }
}

impl<T: Real, const OF_A: bool> Transposing<T, OF_A> {
    #[inline(always)]
    fn squares<V: Vector<Element = T>, const SIDE: usize>(&self) {
        if OF_A { self.strips::<V, SIDE>() } else { self.panels::<V, SIDE>() }
    }

    /// Fills panels of B.
    #[inline(always)]
    fn panels<V: Vector<Element = T>, const SIDE: usize>(&self) {
        let Packing { from: b, stride, rows: n, columns: k, to } = self.0;
        let panelling = PanelLayout::of(n.div_ceil(SIDE), V::ISA);
        for panel in 0..panelling.panels {
            let (vector, wide) = panelling.panel(panel);
            let (first, row) = (vector * SIDE, wide * SIDE);
            let to = to.wrapping_add(first * k);
            for column in (first..first + row).step_by(SIDE) {
                // Rows that do not exist are copies of the last one: lanes that no block stores.
                let mut from = [b; SIDE];
                for (i, from) in from.iter_mut().enumerate() {
                    *from = b.wrapping_add((column + i).min(n - 1) * stride);
                }
                let to = to.wrapping_add(column - first);
                for p in (0..k).step_by(SIDE) {
                    let steps = SIDE.min(k - p);
                    // SAFETY: the stored rows have `steps` elements from `p` on, and the panel `k` rows of `row` elements.
                    unsafe { square::<V, SIDE>(&from, p, to.wrapping_add(p * row), row, steps) };
                }
            }
        }
    }

    /// Fills strips of A. The last square of a step reaches beyond the strip where its height is no multiple of `SIDE`: into the next step,
    /// which is written after it.
    #[inline(always)]
    fn strips<V: Vector<Element = T>, const SIDE: usize>(&self) {
        let Packing { from: a, stride, rows: m, columns: k, to } = self.0;
        let high = height(V::ISA);
        for first in (0..m).step_by(high) {
            let to = to.wrapping_add(first * k);
            for p in (0..k).step_by(SIDE) {
                let steps = SIDE.min(k - p);
                for row in (0..high).step_by(SIDE).rev() {
                    // Rows that do not exist are copies of the last one: sums that no block stores.
                    let mut from = [a; SIDE];
                    for (i, from) in from.iter_mut().enumerate() {
                        *from = a.wrapping_add((first + row + i).min(m - 1) * stride);
                    }
                    // SAFETY: the stored rows have `steps` elements from `p` on, and the room `SIDE` more than the strips.
                    unsafe { square::<V, SIDE>(&from, p, to.wrapping_add(p * high + row), high, steps) };
                }
            }
        }
    }
}

/// Writes `columns` (1 to `SIDE`) columns of `SIDE` rows from column `first` on as rows `stride` elements apart: rows become columns in as many rounds
/// as it takes to halve `SIDE` to one, each of which interleaves the first half of the vectors with the second.
///
/// # Safety
/// The columns must be readable, and the rows at `to` writable by the caller alone.
#[inline(always)]
unsafe fn square<V: Vector, const SIDE: usize>(
    from: &[*const V::Element; SIDE],
    first: usize,
    to: *mut V::Element,
    stride: usize,
    columns: usize,
) {
    // SAFETY: the caller guarantees at least one column.
    let mut rows = [V::splat(unsafe { from[0].wrapping_add(first).read() }); SIDE];
    for (row, from) in rows.iter_mut().zip(from) {
        let from = from.wrapping_add(first);
        *row = if columns == SIDE {
            // SAFETY: the caller guarantees a whole vector of each row.
            unsafe { V::load(from) }
        } else {
            // SAFETY: the caller guarantees these columns.
            unsafe { V::load_first(from, columns) }
        };
    }
    for _ in 0..SIDE.trailing_zeros() {
        let halves = rows;
        for i in 0..SIDE / 2 {
            let [even, odd] = halves[i].interleave(halves[i + SIDE / 2]);
            (rows[2 * i], rows[2 * i + 1]) = (even, odd);
        }
    }
    for (column, row) in rows.iter().take(columns).enumerate() {
        // SAFETY: the caller guarantees the row.
        unsafe { row.store(to.wrapping_add(column * stride)) };
    }
}

struct PackATransposed<T>(Packing<T>);

impl<T: Real> VectorKernel for PackATransposed<T> {
    type Element = T;
    type Out = ();

    #[inline(always)]
    fn run<V: Vector<Element = T>>(self) {
        let Packing { from: a, stride, rows: k, columns: m, to } = self.0;
        let strip = height(V::ISA);
        for chunk in (0..k).step_by(ROWS_ABREAST) {
            for first in (0..m).step_by(strip) {
                for p in chunk..(chunk + ROWS_ABREAST).min(k) {
                    let from = a.wrapping_add(p * stride + first);
                    let to = to.wrapping_add(first * k + p * strip);
                    if first + strip.next_multiple_of(V::LANES) <= m && p + 1 < k {
                        for i in (0..strip).step_by(V::LANES) {
                            // SAFETY: the stored row has whole vectors there.
                            let elements = unsafe { V::load(from.wrapping_add(i)) };
                            // SAFETY: what reaches beyond the step is the next one, which is written after it.
                            unsafe { elements.store(to.wrapping_add(i)) };
                        }
                    } else {
                        // SAFETY: the stored row has the elements, and the strip has room for `strip` of them.
                        unsafe { copy::<V>(from, to, strip.min(m - first), from) };
                    }
                }
            }
        }
    }
}

/// Copies `len` elements and asks for those at `next`.
///
/// # Safety
/// `len` elements must be readable at `from` and writable at `to`, and not overlap.
#[inline(always)]
unsafe fn copy<V: Vector>(from: *const V::Element, to: *mut V::Element, len: usize, next: *const V::Element) {
    let whole = len / V::LANES * V::LANES;
    for i in (0..whole).step_by(V::LANES) {
        V::prefetch(next.wrapping_add(i));
        // SAFETY: the vector ends at `len` or before.
        let elements = unsafe { V::load(from.wrapping_add(i)) };
        // SAFETY: as above.
        unsafe { elements.store(to.wrapping_add(i)) };
    }
    if whole < len {
        // SAFETY: `len - whole` elements are left.
        let elements = unsafe { V::load_first(from.wrapping_add(whole), len - whole) };
        // SAFETY: as above.
        unsafe { elements.store_first(to.wrapping_add(whole), len - whole) };
    }
}

thread_local! {
    /// Room for packed operands, kept from call to call.
    static ROOM: RefCell<Option<Aligned<u64>>> = const { RefCell::new(None) };
}

/// Calls `task` with two page-aligned buffers with room for `elements[0]` and `elements[1]` elements.
pub(super) fn with_room<T: Real>(elements: [usize; 2], task: impl FnOnce([*mut T; 2])) {
    let words = elements.map(|count| (count * size_of::<T>()).div_ceil(size_of::<u64>()));
    let first = words[0].next_multiple_of(Aligned::<u64>::PAGE_LEN);
    ROOM.with_borrow_mut(|room| {
        if room.as_ref().is_none_or(|room| room.len() < first + words[1]) {
            *room = None;
            match Aligned::try_new(first + words[1], Pages::Huge) {
                Ok(fresh) => *room = Some(fresh),
                Err(refused) => panic!("no room to pack the operands of a matrix product: {refused}"),
            }
        }
        let start = room.as_mut().map_or(std::ptr::null_mut(), |room| room.as_mut_ptr());
        task([start.cast(), start.wrapping_add(first).cast()]);
    });
}
