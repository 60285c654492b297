//! The services of a device that libraries of matrix products use.

use std::ffi::c_void;

use crate::device::error::{DeviceError, DeviceResult};
use crate::device::gemm::GemmKind;

/// `CUstream`, `hipStream_t`.
pub(in crate::device) type Stream = *mut c_void;

/// Where the operands lie: addresses of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::device) struct Addresses {
    pub(in crate::device) a: u64,
    pub(in crate::device) b: u64,
    pub(in crate::device) c: u64,
}

/// The services of a device that matrix products use; the caller has made its context current.
pub(in crate::device) trait DeviceServices {
    /// Allocates device memory and returns its address.
    fn alloc(&self, bytes: usize) -> Result<u64, DeviceError>;
    /// Frees device memory.
    fn free(&self, address: u64);
    /// Copies bytes to the device in `stream`, and waits.
    fn write(&self, stream: Stream, address: u64, bytes: &[u8]) -> Result<(), DeviceError>;
    /// Seconds that `work`, queued in `stream`, takes by the device's clock; waits for it.
    fn time(&self, stream: Stream, work: &mut dyn FnMut() -> Result<(), DeviceError>) -> Result<f64, DeviceError>;
}

/// A product that a library has planned in a stream.
pub(in crate::device) trait ProductPlan: Send + Sync {
    /// Queues C = A·B in its stream.
    fn run(&self, at: Addresses) -> DeviceResult;
    /// Type and order of the plan's matrices.
    fn shape(&self) -> (GemmKind, usize);
    /// The stream that the plan was made for.
    fn stream(&self) -> Stream;
    /// Destroys the plan and frees its memory.
    fn give_up(self, _ground: &dyn DeviceServices)
    where
        Self: Sized,
    {
    }
}
