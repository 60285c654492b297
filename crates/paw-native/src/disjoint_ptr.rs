//! A pointer shared by workers that access disjoint elements.
#![allow(unsafe_code)]

/// A pointer that several workers hold, each for elements of its own. Making one is safe; each use must say why no two
/// workers access the same element.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DisjointPtr<T>(*mut T);

// SAFETY: the pointer is only passed to the workers; dereferencing it is unsafe and justified there.
unsafe impl<T: Send> Sync for DisjointPtr<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for DisjointPtr<T> {}

impl<T> DisjointPtr<T> {
    /// A pointer to the first of `elements`.
    pub(crate) fn new(elements: &mut [T]) -> DisjointPtr<T> {
        DisjointPtr(elements.as_mut_ptr())
    }

    /// A pointer to the first of `elements`, for reading only.
    pub(crate) fn reader(elements: &[T]) -> DisjointPtr<T> {
        DisjointPtr(elements.as_ptr().cast_mut())
    }

    /// This pointer advanced by `count` elements, for further workers.
    pub(crate) fn from(self, count: usize) -> DisjointPtr<T> {
        DisjointPtr(self.0.wrapping_add(count))
    }

    /// The raw pointer advanced by `count` elements.
    #[inline(always)]
    pub(crate) fn at(self, count: usize) -> *mut T {
        self.0.wrapping_add(count)
    }
}
