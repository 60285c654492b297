//! Owned objects of Level Zero, each destroyed once.
#![allow(unsafe_code)]

use std::ffi::c_int;

use super::structures::Opaque;

/// The function that destroys an object of one type.
type Destroy = unsafe extern "C" fn(Opaque) -> c_int;

/// An object of Level Zero, destroyed when dropped; errors of a dead device are ignored then.
pub(super) struct OwnedObject {
    raw: Opaque,
    destroy: Destroy,
}

// SAFETY: objects may be used by any thread (specification, "Thread Safety"); calls on one list or kernel at a time are made under locks.
unsafe impl Send for OwnedObject {}
// SAFETY: as above.
unsafe impl Sync for OwnedObject {}

impl OwnedObject {
    /// Takes over the object `raw` that a creating call has just returned, to be destroyed by the `destroy` of its type.
    pub(super) fn new(raw: Opaque, destroy: Destroy) -> Self {
        Self { raw, destroy }
    }

    /// The object.
    #[inline]
    pub(super) fn raw(&self) -> Opaque {
        self.raw
    }
}

impl Drop for OwnedObject {
    fn drop(&mut self) {
        // SAFETY: the object is ours, of the type that `destroy` is for, and destroyed once.
        let _ = unsafe { (self.destroy)(self.raw) };
    }
}

/// A handle of a driver, a device or an event, which someone else owns for as long as it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Handle(pub(super) Opaque);

// SAFETY: as for `OwnedObject`.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}
