//! What OpenCL made: owned, and found again by number.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use opencl_sys::{cl_device_id, cl_int};

use crate::device::error::DeviceError;
use crate::device::span::ObjectHandle;

/// The function that gives an object back.
type Release = unsafe extern "C" fn(*mut c_void) -> cl_int;

/// A reference of ours to an object of OpenCL. It goes back with its owner; what a dead device answers then changes nothing.
pub(super) struct OwnedObject {
    raw: *mut c_void,
    release: Release,
}

// SAFETY: OpenCL 1.2, appendix A.2: all calls may come from any thread, clSetKernelArg on one kernel excepted, which `Kernel` locks.
unsafe impl Send for OwnedObject {}
// SAFETY: as above.
unsafe impl Sync for OwnedObject {}

impl OwnedObject {
    /// Takes over the reference `raw` that a creating call has just returned, to be given back by the `release` of its type.
    pub(super) fn new(raw: *mut c_void, release: Release) -> Self {
        Self { raw, release }
    }

    /// The object.
    pub(super) fn raw(&self) -> *mut c_void {
        self.raw
    }
}

impl Drop for OwnedObject {
    fn drop(&mut self) {
        // SAFETY: the reference is ours, of the type that `release` is for, and given back once.
        let _ = unsafe { (self.release)(self.raw) };
    }
}

/// A device that a platform named, which nobody owns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct DeviceId(pub(super) cl_device_id);

// SAFETY: a device of a platform lives as long as the process, and may be named by any thread.
unsafe impl Send for DeviceId {}
// SAFETY: as above.
unsafe impl Sync for DeviceId {}

/// Objects of one sort by the numbers they are known by outside. Numbers are never used twice, by whatever table.
pub(super) struct Table<T> {
    what: &'static str,
    entries: RwLock<HashMap<ObjectHandle, Arc<T>>>,
}

impl<T> Table<T> {
    /// An empty table of what is called `what`.
    pub(super) fn of(what: &'static str) -> Self {
        Self { what, entries: RwLock::default() }
    }

    /// Takes `object` in; its number.
    pub(super) fn insert(&self, object: T) -> ObjectHandle {
        self.insert_shared(Arc::new(object))
    }

    /// Takes `object` in that others hold as well; its number.
    pub(super) fn insert_shared(&self, object: Arc<T>) -> ObjectHandle {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let handle = NEXT.fetch_add(1, Ordering::Relaxed);
        self.write().insert(handle, object);
        handle
    }

    /// The object of that number.
    pub(super) fn get(&self, handle: ObjectHandle) -> Result<Arc<T>, DeviceError> {
        self.find(handle).ok_or_else(|| self.unknown(handle))
    }

    /// The object of that number, if there is one.
    pub(super) fn find(&self, handle: ObjectHandle) -> Option<Arc<T>> {
        self.read().get(&handle).map(Arc::clone)
    }

    /// Takes the object of that number out.
    pub(super) fn remove(&self, handle: ObjectHandle) -> Result<Arc<T>, DeviceError> {
        let removed = self.write().remove(&handle);
        removed.ok_or_else(|| self.unknown(handle))
    }

    /// Takes out all objects that are not to stay.
    pub(super) fn retain(&self, stays: impl Fn(&T) -> bool) {
        let mut gone = Vec::new();
        self.write().retain(|_, object| {
            let stay = stays(object);
            if !stay {
                gone.push(Arc::clone(object));
            }
            stay
        });
        // What goes may call OpenCL, which is not for under a lock.
        drop(gone);
    }

    fn unknown(&self, handle: ObjectHandle) -> DeviceError {
        DeviceError::Unsupported(format!(
            "there is no {} of number {handle}: it was given back, or never made",
            self.what
        ))
    }

    fn read(&self) -> RwLockReadGuard<'_, HashMap<ObjectHandle, Arc<T>>> {
        self.entries.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<ObjectHandle, Arc<T>>> {
        self.entries.write().unwrap_or_else(PoisonError::into_inner)
    }
}
