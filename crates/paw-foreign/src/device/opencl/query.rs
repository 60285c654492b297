//! Queries to OpenCL's objects: first for the answer's size, then for the answer.

use std::ffi::c_void;

use opencl_sys::{cl_device_id, cl_event, cl_int, cl_kernel, cl_platform_id, cl_program, cl_uint};

use super::library::Api;
use super::status::done;
use crate::device::error::DeviceError;

/// The object of a query.
#[derive(Clone, Copy)]
pub(super) enum Query {
    /// A platform.
    Platform(cl_platform_id),
    /// A device.
    Device(cl_device_id),
    /// When an event happened.
    Profile(cl_event),
    /// A program.
    Program(cl_program),
    /// A program, as built for a device.
    Build(cl_program, cl_device_id),
    /// A kernel.
    Kernel(cl_kernel),
    /// An argument of a kernel.
    Parameter(cl_kernel, cl_uint),
    /// A kernel, on a device.
    WorkGroup(cl_kernel, cl_device_id),
}

impl Query {
    /// Bytes of the answer to `parameter`.
    pub(super) fn bytes(self, api: &Api, parameter: cl_uint) -> Result<Vec<u8>, DeviceError> {
        let mut size = 0;
        let none = std::ptr::null_mut();
        // SAFETY: no room is offered, and the size is written to a word of ours.
        unsafe { self.ask(api, parameter, 0, none, &raw mut size) }?;
        let mut answer = vec![0u8; size];
        // SAFETY: the room offered is the whole vector.
        unsafe { self.ask(api, parameter, size, answer.as_mut_ptr().cast(), std::ptr::null_mut()) }?;
        Ok(answer)
    }

    /// The answer as text, without the final zero.
    pub(super) fn text(self, api: &Api, parameter: cl_uint) -> Result<String, DeviceError> {
        let bytes = self.bytes(api, parameter)?;
        Ok(String::from_utf8_lossy(&bytes).trim_matches(|c: char| c == '\0' || c.is_whitespace()).to_owned())
    }

    /// The answer as an unsigned integer of up to eight bytes.
    pub(super) fn number(self, api: &Api, parameter: cl_uint) -> Result<u64, DeviceError> {
        let bytes = self.bytes(api, parameter)?;
        let mut word = [0u8; 8];
        let width = bytes.len().min(8);
        word[..width].copy_from_slice(&bytes[..width]);
        Ok(u64::from_le_bytes(word))
    }

    /// # Safety
    /// `size` bytes can be written at `room`, and a word at `needed` unless it is null.
    unsafe fn ask(
        self,
        api: &Api,
        parameter: cl_uint,
        size: usize,
        room: *mut c_void,
        needed: *mut usize,
    ) -> Result<(), DeviceError> {
        // SAFETY: the caller vouches for the room; the object is one that OpenCL gave out and that its owner keeps.
        let (call, status): (&'static str, cl_int) = unsafe {
            match self {
                Query::Platform(id) => {
                    ("clGetPlatformInfo", (api.clGetPlatformInfo)(id, parameter, size, room, needed))
                }
                Query::Device(id) => ("clGetDeviceInfo", (api.clGetDeviceInfo)(id, parameter, size, room, needed)),
                Query::Profile(event) => {
                    ("clGetEventProfilingInfo", (api.clGetEventProfilingInfo)(event, parameter, size, room, needed))
                }
                Query::Program(program) => {
                    ("clGetProgramInfo", (api.clGetProgramInfo)(program, parameter, size, room, needed))
                }
                Query::Build(program, device) => (
                    "clGetProgramBuildInfo",
                    (api.clGetProgramBuildInfo)(program, device, parameter, size, room, needed),
                ),
                Query::Kernel(kernel) => {
                    ("clGetKernelInfo", (api.clGetKernelInfo)(kernel, parameter, size, room, needed))
                }
                Query::Parameter(kernel, position) => {
                    ("clGetKernelArgInfo", (api.clGetKernelArgInfo)(kernel, position, parameter, size, room, needed))
                }
                Query::WorkGroup(kernel, device) => (
                    "clGetKernelWorkGroupInfo",
                    (api.clGetKernelWorkGroupInfo)(kernel, device, parameter, size, room, needed),
                ),
            }
        };
        done(call, status)
    }
}
