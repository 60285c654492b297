//! A pointer that workers share because each works on elements of its own.
#![allow(unsafe_code)]

/// A pointer that workers share because each works on elements of its own. Making one is safe; using it is as unsafe
/// as any pointer, and whoever does says why no two workers meet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DisjointPtr<T>(*mut T);

// SAFETY: the pointer is only carried to the workers; every use of it is an unsafe act of the user.
unsafe impl<T: Send> Sync for DisjointPtr<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for DisjointPtr<T> {}

impl<T> DisjointPtr<T> {
    /// A pointer to the first of `elements`.
    pub(crate) fn new(elements: &mut [T]) -> DisjointPtr<T> {
        DisjointPtr(elements.as_mut_ptr())
    }

    /// A pointer to the first of `elements`, to read them.
    pub(crate) fn reader(elements: &[T]) -> DisjointPtr<T> {
        DisjointPtr(elements.as_ptr().cast_mut())
    }

    /// The same, `count` elements on.
    pub(crate) fn from(self, count: usize) -> DisjointPtr<T> {
        DisjointPtr(self.0.wrapping_add(count))
    }

    /// The pointer, `count` elements on.
    #[inline(always)]
    pub(crate) fn at(self, count: usize) -> *mut T {
        self.0.wrapping_add(count)
    }
}
