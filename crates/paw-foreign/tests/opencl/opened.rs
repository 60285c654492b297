//! Devices as the tests open them.

use paw_foreign::device::{Backend, Device, open};

/// The first device.
pub fn device() -> Device {
    devices(&[0]).remove(0)
}

/// The devices of these numbers, opened together.
pub fn devices(indexes: &[u32]) -> Vec<Device> {
    open(Backend::OpenCl, indexes).expect("PoCL is installed: apt-get install pocl-opencl-icd ocl-icd-libopencl1")
}

/// Bytes that repeat nowhere near.
pub fn pattern(bytes: usize, seed: usize) -> Vec<u8> {
    (0..bytes).map(|i| ((i + seed).wrapping_mul(2_654_435_761) >> 7) as u8).collect()
}
