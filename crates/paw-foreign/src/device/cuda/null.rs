//! A device whose driver does nothing and reports success, to learn what paw adds to a call.

use std::ffi::{c_int, c_void};
use std::hint::black_box;
use std::sync::Arc;

use super::context::Cuda;
use crate::device::gpu::calls::{Address, Opaque};
use crate::device::gpu::library::Library;
use crate::device::{Device, DeviceResult};

/// `cuMemcpyHtoDAsync` and `cuStreamSynchronize`.
pub(crate) type Functions =
    (unsafe extern "C" fn(Address, *const c_void, usize, Opaque) -> c_int, unsafe extern "C" fn(Opaque) -> c_int);

/// The device, and the functions of its driver.
pub(crate) fn null() -> DeviceResult<(Device, Functions)> {
    let library: &'static Library<_> = Box::leak(Box::new(black_box(Library::null())));
    let functions = (library.calls.memcpy_in.function, library.calls.stream_synchronize.function);
    Ok((Device::new(Arc::new(Cuda::null(library)?)), functions))
}
