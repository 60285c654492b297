//! OpenCL, opened at run time.

use std::sync::Arc;

use super::discovery::Found;
use super::driver::Driver;
use super::facts::Backend;

/// Variables to be set before it is opened.
pub(super) fn environment() -> Vec<(String, String)> {
    Vec::new()
}

/// The devices that are here.
pub(super) fn discover() -> Found {
    let missing = Some("OpenCL is not supported yet".to_owned());
    Found { backend: Backend::OpenCl, devices: Vec::new(), missing, libraries: Vec::new() }
}

/// The devices of these numbers.
pub(super) fn open(_indexes: &[u32]) -> Result<Vec<Arc<dyn Driver>>, String> {
    Err("OpenCL is not supported yet".to_owned())
}
