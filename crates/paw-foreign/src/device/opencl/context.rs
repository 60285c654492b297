//! What devices of one platform that were opened together have in common: a context, and all memory.

use opencl_sys::{cl_device_id, cl_mem};

use super::host::HostMemory;
use super::library::Api;
use super::objects::{DeviceId, OwnedObject, Table};
use super::status::made;
use crate::device::error::DeviceError;

/// A context of some devices. A buffer belongs to it and not to a device: so one can copy from another's.
pub(super) struct Context {
    pub(super) api: &'static Api,
    /// Numbers of its devices.
    pub(super) members: Vec<u32>,
    /// Buffers on devices.
    pub(super) buffers: Table<Buffer>,
    /// Memory of the host.
    pub(super) hosts: Table<HostMemory>,
    // What stands above is given back before it.
    pub(super) raw: OwnedObject,
}

impl Context {
    /// A context of `devices`, each with its number; a device may stand there twice.
    pub(super) fn of(api: &'static Api, devices: &[(u32, DeviceId)]) -> Result<Self, DeviceError> {
        let mut unique: Vec<cl_device_id> = Vec::new();
        for (_, device) in devices {
            if !unique.contains(&device.0) {
                unique.push(device.0);
            }
        }
        let count = unique.len() as u32;
        let mut status = 0;
        let none = std::ptr::null_mut();
        // SAFETY: the devices are of one platform, there are `count` of them, and nobody is to be notified.
        let raw =
            unsafe { (api.clCreateContext)(std::ptr::null(), count, unique.as_ptr(), None, none, &raw mut status) };
        let raw = made("clCreateContext", status, raw)?;
        Ok(Self {
            api,
            members: devices.iter().map(|(index, _)| *index).collect(),
            buffers: Table::of("memory"),
            hosts: Table::of("memory of the host"),
            raw: OwnedObject::new(raw, api.clReleaseContext),
        })
    }

    /// A buffer made as `flags` say, over `host` if that is not null.
    ///
    /// # Safety
    /// `host` must be null, or `bytes` long and outlive the buffer.
    pub(super) unsafe fn buffer(
        &self,
        flags: u64,
        bytes: usize,
        host: *mut u8,
        whose: &'static str,
    ) -> Result<Buffer, DeviceError> {
        let mut status = 0;
        // SAFETY: the caller vouches for `host`.
        let raw = unsafe { (self.api.clCreateBuffer)(self.raw.raw(), flags, bytes, host.cast(), &raw mut status) };
        match status {
            opencl_sys::CL_MEM_OBJECT_ALLOCATION_FAILURE
            | opencl_sys::CL_OUT_OF_RESOURCES
            | opencl_sys::CL_OUT_OF_HOST_MEMORY => Err(DeviceError::NoMemory { bytes, what: whose }),
            opencl_sys::CL_INVALID_BUFFER_SIZE if bytes > 0 => Err(DeviceError::NoMemory { bytes, what: whose }),
            _ => {
                let raw = OwnedObject::new(made("clCreateBuffer", status, raw)?, self.api.clReleaseMemObject);
                Ok(Buffer { raw, bytes })
            }
        }
    }
}

/// A buffer, and its size: OpenCL holds copies against it, but not what kernels do.
pub(super) struct Buffer {
    raw: OwnedObject,
    bytes: usize,
}

impl Buffer {
    /// OpenCL's buffer.
    pub(super) fn raw(&self) -> cl_mem {
        self.raw.raw()
    }

    /// Refuses a place that is not in it.
    pub(super) fn holds(&self, offset: usize, count: usize) -> Result<(), DeviceError> {
        within(offset, count, self.bytes)
    }
}

/// Refuses `count` bytes from `offset` of a memory that has not so many.
pub(super) fn within(offset: usize, count: usize, bytes: usize) -> Result<(), DeviceError> {
    match offset.checked_add(count) {
        Some(end) if end <= bytes => Ok(()),
        end => Err(DeviceError::Beyond { offset, end: end.unwrap_or(usize::MAX), bytes }),
    }
}
