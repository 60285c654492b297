//! CUDA, opened at run time.

use std::sync::Arc;

use super::discovery::Found;
use super::driver::Driver;
use super::facts::Backend;

/// The devices that are here.
pub(super) fn discover() -> Found {
    let missing = Some("CUDA is not supported yet".to_owned());
    Found { backend: Backend::Cuda, devices: Vec::new(), missing, libraries: Vec::new() }
}

/// The devices of these numbers.
pub(super) fn open(_indexes: &[u32]) -> Result<Vec<Arc<dyn Driver>>, String> {
    Err("CUDA is not supported yet".to_owned())
}
