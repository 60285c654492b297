//! The services of a device that libraries of matrix products use.

use std::ffi::c_void;

use super::error::DeviceError;

/// `CUstream`, `hipStream_t`.
pub(super) type Stream = *mut c_void;

/// Where the operands lie: addresses of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Addresses {
    pub(super) a: u64,
    pub(super) b: u64,
    pub(super) c: u64,
}

/// The services of a device that matrix products use; the caller has made its context current.
pub(super) trait DeviceServices {
    /// Allocates device memory and returns its address.
    fn alloc(&self, bytes: usize) -> Result<u64, DeviceError>;
    /// Frees device memory.
    fn free(&self, address: u64);
    /// Copies bytes to the device in `stream`, and waits.
    fn write(&self, stream: Stream, address: u64, bytes: &[u8]) -> Result<(), DeviceError>;
    /// Seconds that `work`, queued in `stream`, takes by the device's clock; waits for it.
    fn time(&self, stream: Stream, work: &mut dyn FnMut() -> Result<(), DeviceError>) -> Result<f64, DeviceError>;
}
