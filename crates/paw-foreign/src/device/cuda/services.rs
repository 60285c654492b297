//! What libraries of matrix products need of a device.

use std::ffi::c_void;

use crate::device::DeviceError;

/// `CUstream`.
pub(super) type Stream = *mut c_void;

/// Where the operands lie: addresses of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Addresses {
    pub(super) a: u64,
    pub(super) b: u64,
    pub(super) c: u64,
}

/// What products need of the driver. Whoever calls into this room has made the device's context current.
pub(super) trait DeviceServices {
    /// Memory of the device, by address.
    fn alloc(&self, bytes: usize) -> Result<u64, DeviceError>;
    /// Gives it back.
    fn free(&self, address: u64);
    /// Copies bytes to the device in `stream`, and waits.
    fn write(&self, stream: Stream, address: u64, bytes: &[u8]) -> Result<(), DeviceError>;
    /// Queues `work` in `stream` between two marks, waits, and says how many seconds lie between them by the device's clock.
    fn time(&self, stream: Stream, work: &mut dyn FnMut() -> Result<(), DeviceError>) -> Result<f64, DeviceError>;
}
