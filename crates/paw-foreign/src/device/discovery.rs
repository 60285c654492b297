//! Which devices are here. To be asked in a process that may be lost: a driver may crash or hang when it is opened.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::driver::Driver;
use super::facts::{Backend, DeviceFacts};
use super::handles::Device;
use super::{cuda, opencl};

/// What was found through one back-end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoundDevices {
    /// Through which.
    pub backend: Backend,
    /// Its devices; none where `missing` says why.
    pub devices: Vec<DeviceFacts>,
    /// One sentence: what is missing, and the way out.
    #[serde(default)]
    pub missing: Option<String>,
    /// Other libraries that belong to it, by what they are for: `cuBLAS`, `NVRTC`, `NVML`, `CLBlast`, and where each was found, or why not.
    #[serde(default)]
    pub libraries: Vec<(String, Result<String, String>)>,
}

/// Opens the back-end's library and asks for its devices.
pub fn discover(backend: Backend) -> FoundDevices {
    match backend {
        Backend::Cuda => cuda::discover(),
        Backend::OpenCl => opencl::discover(),
    }
}

/// Variables that must stand in the environment of a process before it opens the back-end: set by whoever starts it.
pub fn environment(backend: Backend) -> Vec<(String, String)> {
    match backend {
        Backend::Cuda => cuda::environment(),
        Backend::OpenCl => opencl::environment(),
    }
}

/// Opens the devices of these numbers, so that they can copy from each other where they can at all. The error is one sentence.
pub fn open(backend: Backend, indexes: &[u32]) -> Result<Vec<Device>, String> {
    let drivers: Vec<Arc<dyn Driver>> = match backend {
        Backend::Cuda => cuda::open(indexes)?,
        Backend::OpenCl => opencl::open(indexes)?,
    };
    Ok(drivers.into_iter().map(Device::new).collect())
}
