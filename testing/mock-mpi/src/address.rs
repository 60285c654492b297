//! The caller's memory: addresses as the interface passes them, read and written in one place.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::{ptr, slice};

/// A `void *` of the caller's: a number, so that it may wait in a request.
#[repr(transparent)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Address(pub(crate) usize);

impl Address {
    /// `MPI_IN_PLACE`.
    pub(crate) const IN_PLACE: Address = Address(1);

    pub(crate) fn at(self, offset_bytes: usize) -> Address {
        Address(self.0 + offset_bytes)
    }

    /// A copy of `n` bytes.
    pub(crate) fn read(self, n: usize) -> Vec<u8> {
        self.view(n).to_vec()
    }

    /// `n` bytes, borrowed during a call that reads them.
    pub(crate) fn view<'call>(self, n: usize) -> &'call [u8] {
        if n == 0 {
            return &[];
        }
        // SAFETY: MPI's caller vouches for count elements at the address for as long as the call, or its request, lasts.
        unsafe { slice::from_raw_parts(ptr::with_exposed_provenance(self.0), n) }
    }

    /// Puts `bytes` there.
    pub(crate) fn write(self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        // SAFETY: MPI's caller vouches for a buffer of that size; `bytes` is the library's own memory and no part of it.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), ptr::with_exposed_provenance_mut(self.0), bytes.len()) }
    }
}

/// A pointer to one value or several of the caller's; null where the value is not wanted.
#[repr(transparent)]
pub(crate) struct UserPtr<T>(usize, PhantomData<T>);

impl<T> Clone for UserPtr<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for UserPtr<T> {}

impl<T: Copy> UserPtr<T> {
    pub(crate) fn set(self, value: T) {
        self.set_nth(0, value);
    }

    pub(crate) fn set_nth(self, index: usize, value: T) {
        if self.0 == 0 {
            return;
        }
        let place: *mut T = ptr::with_exposed_provenance_mut(self.0 + index * size_of::<T>());
        // SAFETY: MPI's caller vouches for room for the value, unless the pointer is null.
        unsafe { place.write_unaligned(value) }
    }

    pub(crate) fn value(self) -> T {
        self.nth(0)
    }

    pub(crate) fn nth(self, index: usize) -> T {
        let place: *const T = ptr::with_exposed_provenance(self.0 + index * size_of::<T>());
        // SAFETY: MPI's caller vouches for a value there.
        unsafe { place.read_unaligned() }
    }

    /// The first `n` values.
    pub(crate) fn values(self, n: usize) -> Vec<T> {
        (0..n).map(|index| self.nth(index)).collect()
    }
}

impl UserPtr<u8> {
    /// `text` and the zero that ends it.
    pub(crate) fn set_text(self, text: &str) {
        Address(self.0).write(text.as_bytes());
        self.set_nth(text.len(), 0);
    }
}
