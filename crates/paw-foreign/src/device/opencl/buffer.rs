//! Buffers of OpenCL, which belong to a context.

use opencl_sys::cl_mem;

use super::library::Api;
use super::objects::OwnedObject;
use super::status::made;
use crate::device::error::DeviceError;
use crate::device::span::within;

/// A buffer and its size: OpenCL checks copies against it, but not kernels.
pub(super) struct Buffer {
    raw: OwnedObject,
    bytes: usize,
}

impl Buffer {
    /// A buffer of `context`, made as `flags` say, over `host` if that is not null.
    ///
    /// # Safety
    /// `host` must be null, or `bytes` long and outlive the buffer.
    pub(super) unsafe fn new(
        api: &'static Api,
        context: &OwnedObject,
        flags: u64,
        bytes: usize,
        host: *mut u8,
        whose: &'static str,
    ) -> Result<Self, DeviceError> {
        let mut status = 0;
        // SAFETY: the caller vouches for `host`.
        let raw = unsafe { (api.clCreateBuffer)(context.raw(), flags, bytes, host.cast(), &raw mut status) };
        match status {
            opencl_sys::CL_MEM_OBJECT_ALLOCATION_FAILURE
            | opencl_sys::CL_OUT_OF_RESOURCES
            | opencl_sys::CL_OUT_OF_HOST_MEMORY => Err(DeviceError::NoMemory { bytes, what: whose }),
            opencl_sys::CL_INVALID_BUFFER_SIZE if bytes > 0 => Err(DeviceError::NoMemory { bytes, what: whose }),
            _ => {
                let raw = OwnedObject::new(made("clCreateBuffer", status, raw)?, api.clReleaseMemObject);
                Ok(Self { raw, bytes })
            }
        }
    }

    /// OpenCL's buffer.
    pub(super) fn raw(&self) -> cl_mem {
        self.raw.raw()
    }

    /// Refuses `count` bytes from `offset` that do not lie in the buffer.
    pub(super) fn holds(&self, offset: usize, count: usize) -> Result<(), DeviceError> {
        within(offset, count, self.bytes)
    }
}
