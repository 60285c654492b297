//! A device whose driver does nothing and reports success, to learn what paw adds to a call.

use std::ffi::{c_int, c_void};
use std::hint::black_box;
use std::path::PathBuf;
use std::sync::Arc;

use super::calls::{Address, Calls, Opaque};
use super::context::Cuda;
use super::facts;
use super::library::Library;
use crate::device::{Device, DeviceResult};

/// `cuMemcpyHtoDAsync` and `cuStreamSynchronize`.
pub(crate) type Functions =
    (unsafe extern "C" fn(Address, *const c_void, usize, Opaque) -> c_int, unsafe extern "C" fn(Opaque) -> c_int);

/// The device, and the functions of its driver.
pub(crate) fn null() -> DeviceResult<(Device, Functions)> {
    let calls = black_box(Calls::null());
    let library: &'static Library = Box::leak(Box::new(Library { calls, file: PathBuf::new(), version: 0 }));
    let ordinal = facts::ordinal(library, 0)?;
    let (facts, caps) = (facts::read(library, 0)?, facts::caps(library, ordinal));
    let device = Device::new(Arc::new(Cuda::bare(library, (ordinal, std::ptr::null_mut()), facts, caps)));
    Ok((device, (calls.memcpy_in.function, calls.stream_synchronize.function)))
}
