//! The last vector of a row, which may have more lanes than the row has columns.
#![allow(unsafe_code)]

use crate::vector::Vector;

/// How the last vector of each row is loaded and stored.
pub(super) trait LastVector: Copy {
    /// Whether lanes may be unused, which a vector of one lane has none of.
    const IS_PART: bool;

    /// # Safety
    /// The lanes in use must be readable.
    unsafe fn load<V: Vector>(self, from: *const V::Element) -> V;
    /// # Safety
    /// The lanes in use must be writable by the caller alone.
    unsafe fn store<V: Vector>(self, vector: V, to: *mut V::Element);
}

/// All lanes are in use.
#[derive(Clone, Copy)]
pub(super) struct AllLanes;

/// Only the first lanes are in use.
#[derive(Clone, Copy)]
pub(super) struct FirstLanes(pub(super) usize);

impl LastVector for AllLanes {
    const IS_PART: bool = false;

    #[inline(always)]
    unsafe fn load<V: Vector>(self, from: *const V::Element) -> V {
        // SAFETY: the caller guarantees all lanes.
        unsafe { V::load(from) }
    }

    #[inline(always)]
    unsafe fn store<V: Vector>(self, vector: V, to: *mut V::Element) {
        // SAFETY: the caller guarantees all lanes.
        unsafe { vector.store(to) }
    }
}

impl LastVector for FirstLanes {
    const IS_PART: bool = true;

    #[inline(always)]
    unsafe fn load<V: Vector>(self, from: *const V::Element) -> V {
        // SAFETY: the caller guarantees the first lanes.
        unsafe { V::load_first(from, self.0) }
    }

    #[inline(always)]
    unsafe fn store<V: Vector>(self, vector: V, to: *mut V::Element) {
        // SAFETY: the caller guarantees the first lanes.
        unsafe { vector.store_first(to, self.0) }
    }
}
