//! Owned objects of OpenCL, each released once.

use std::ffi::c_void;

use opencl_sys::{cl_device_id, cl_int};

/// The function that releases an object.
type Release = unsafe extern "C" fn(*mut c_void) -> cl_int;

/// An owned reference to an object of OpenCL, released when dropped; errors of a dead device are ignored then.
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

/// The id of a device of a platform, which needs no release.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct DeviceId(pub(super) cl_device_id);

// SAFETY: a device of a platform lives as long as the process, and may be named by any thread.
unsafe impl Send for DeviceId {}
// SAFETY: as above.
unsafe impl Sync for DeviceId {}
