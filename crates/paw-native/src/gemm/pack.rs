//! Copies of parts of A and B in the order the kernel reads them.
#![allow(unsafe_code)]

use std::cell::RefCell;

use super::sweep::{height, width};
use crate::buffer::{Aligned, Pages};
use crate::real::Real;
use crate::vector::{Kernel, Vector};

/// Bytes that rows of packed A are apart beyond their length: a cache line, so that the rows of a strip do not all fall
/// into one set of the cache.
const SKEW_BYTES: usize = 64;

/// Elements from row to row of packed A.
pub(super) fn packed_row<T>(k: usize) -> usize {
    k + SKEW_BYTES / size_of::<T>()
}

/// Copies `k` rows of `n` elements of B, `ldb` apart, into panels as wide as blocks are. Whoever makes one vouches for
/// them, and for room for `n` rounded up to whole vectors times `k` elements at `to`.
pub(super) struct PackB<T> {
    pub(super) b: *const T,
    pub(super) ldb: usize,
    pub(super) k: usize,
    pub(super) n: usize,
    pub(super) to: *mut T,
}

impl<T: Real> Kernel for PackB<T> {
    type Element = T;
    type Out = ();

    #[inline(always)]
    fn run<V: Vector<Element = T>>(self) {
        for p in 0..self.k {
            let row = self.b.wrapping_add(p * self.ldb);
            let vectors = self.n.div_ceil(V::LANES);
            let mut vector = 0;
            while vector < vectors {
                let wide = width(vectors - vector);
                let to = self.to.wrapping_add(vector * V::LANES * self.k + p * wide * V::LANES);
                for i in 0..wide {
                    let column = (vector + i) * V::LANES;
                    let to = to.wrapping_add(i * V::LANES);
                    if column + V::LANES <= self.n {
                        // SAFETY: the row has the vector's elements.
                        let elements = unsafe { V::load(row.wrapping_add(column)) };
                        // SAFETY: the panel has room for them.
                        unsafe { elements.store(to) };
                    } else {
                        // SAFETY: the row has so many more elements.
                        let elements = unsafe { V::load_first(row.wrapping_add(column), self.n - column) };
                        // SAFETY: the panel has room for a whole vector.
                        unsafe { elements.store(to) };
                    }
                }
                vector += wide;
            }
        }
    }
}

/// As [`PackB`], for a B stored as `n` rows of `k` elements.
pub(super) struct PackBTransposed<T> {
    pub(super) b: *const T,
    pub(super) ldb: usize,
    pub(super) k: usize,
    pub(super) n: usize,
    pub(super) to: *mut T,
}

impl<T: Real> Kernel for PackBTransposed<T> {
    type Element = T;
    type Out = ();

    #[inline(always)]
    fn run<V: Vector<Element = T>>(self) {
        let vectors = self.n.div_ceil(V::LANES);
        let mut vector = 0;
        while vector < vectors {
            let wide = width(vectors - vector);
            let (first, row) = (vector * V::LANES, wide * V::LANES);
            for column in first..(first + row).min(self.n) {
                let from = self.b.wrapping_add(column * self.ldb);
                let to = self.to.wrapping_add(first * self.k + column - first);
                for p in 0..self.k {
                    // SAFETY: the stored row has `k` elements.
                    let element = unsafe { from.wrapping_add(p).read() };
                    // SAFETY: the panel has `k` rows of `row` elements.
                    unsafe { to.wrapping_add(p * row).write(element) };
                }
            }
            vector += wide;
        }
    }
}

/// Copies `m` rows of `k` elements of A, `lda` apart, into rows [`packed_row`] apart. Whoever makes one vouches for
/// them, and for the room at `to`.
pub(super) struct PackA<T> {
    pub(super) a: *const T,
    pub(super) lda: usize,
    pub(super) m: usize,
    pub(super) k: usize,
    pub(super) to: *mut T,
}

impl<T: Real> Kernel for PackA<T> {
    type Element = T;
    type Out = ();

    #[inline(always)]
    fn run<V: Vector<Element = T>>(self) {
        for i in 0..self.m {
            let from = self.a.wrapping_add(i * self.lda);
            let to = self.to.wrapping_add(i * packed_row::<T>(self.k));
            // SAFETY: both rows have `k` elements, and `to` lies in a buffer of our own.
            unsafe { copy::<V>(from, to, self.k) };
        }
    }
}

/// As [`PackA`], for an A stored as `k` rows of `m` elements: strips of as many rows as a block has, one column after the other.
pub(super) struct PackATransposed<T> {
    pub(super) a: *const T,
    pub(super) lda: usize,
    pub(super) m: usize,
    pub(super) k: usize,
    pub(super) to: *mut T,
}

impl<T: Real> Kernel for PackATransposed<T> {
    type Element = T;
    type Out = ();

    #[inline(always)]
    fn run<V: Vector<Element = T>>(self) {
        let strip = height(V::ISA);
        for p in 0..self.k {
            let from = self.a.wrapping_add(p * self.lda);
            for first in (0..self.m).step_by(strip) {
                let to = self.to.wrapping_add(first * self.k + p * strip);
                // SAFETY: the stored row has the elements, and the strip has room for `strip` of them.
                unsafe { copy::<V>(from.wrapping_add(first), to, strip.min(self.m - first)) };
            }
        }
    }
}

/// Copies `len` elements.
///
/// # Safety
/// They must be readable and writable, and the places apart.
#[inline(always)]
unsafe fn copy<V: Vector>(from: *const V::Element, to: *mut V::Element, len: usize) {
    let whole = len / V::LANES * V::LANES;
    for i in (0..whole).step_by(V::LANES) {
        // SAFETY: the vector ends at `len` or before.
        let elements = unsafe { V::load(from.wrapping_add(i)) };
        // SAFETY: as above.
        unsafe { elements.store(to.wrapping_add(i)) };
    }
    if whole < len {
        // SAFETY: so many are left.
        let elements = unsafe { V::load_first(from.wrapping_add(whole), len - whole) };
        // SAFETY: as above.
        unsafe { elements.store_first(to.wrapping_add(whole), len - whole) };
    }
}

thread_local! {
    /// Room for packed operands, kept from call to call.
    static ROOM: RefCell<Option<Aligned<u64>>> = const { RefCell::new(None) };
}

/// Calls `task` with room for so many elements in each of two places; both start on a page.
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
