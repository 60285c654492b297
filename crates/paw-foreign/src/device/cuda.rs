//! CUDA, opened at run time.

// They have no user yet: the calls of the driver come next.
#[allow(dead_code)]
mod cublas;
#[allow(dead_code)]
mod lt;
#[allow(dead_code)]
mod nvrtc;
#[allow(dead_code)]
mod peaks;
#[allow(dead_code)]
mod products;
#[allow(dead_code)]
mod toolkit;

use std::sync::Arc;

use super::discovery::Found;
use super::driver::Driver;
use super::facts::Backend;

/// Variables to be set before it is opened.
pub(super) fn environment() -> Vec<(String, String)> {
    // Kernels are loaded when they are asked for, not when they first run behind a gate; numbers follow the bus.
    [("CUDA_MODULE_LOADING", "EAGER"), ("CUDA_DEVICE_ORDER", "PCI_BUS_ID")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
}

/// The devices that are here.
pub(super) fn discover() -> Found {
    let missing = Some("CUDA is not supported yet".to_owned());
    Found { backend: Backend::Cuda, devices: Vec::new(), missing, libraries: Vec::new() }
}

/// The devices of these numbers.
pub(super) fn open(_indexes: &[u32]) -> Result<Vec<Arc<dyn Driver>>, String> {
    Err("CUDA is not supported yet".to_owned())
}
