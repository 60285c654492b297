//! Discovery of devices. Call it in a process that may be lost: a driver may crash or hang when it is opened.

use std::sync::Arc;

use super::driver::Driver;
use super::facts::{Backend, FoundDevices};
use super::handles::Device;
use super::opened::OpenedLibrary;
use super::{cuda, hip, level_zero, opencl};
use crate::object::NO_LOADER;

/// Opens the back-end's library and asks for its devices.
pub fn discover(backend: Backend) -> FoundDevices {
    if let Some(why) = NO_LOADER {
        return FoundDevices { backend, devices: Vec::new(), missing: Some(why.to_owned()), libraries: Vec::new() };
    }
    match backend {
        Backend::Cuda => cuda::discover(),
        Backend::Hip => hip::discover(),
        Backend::OpenCl => opencl::discover(),
        Backend::LevelZero => level_zero::discover(),
    }
}

/// Variables that must be set for a process before it starts and opens the back-end.
pub fn environment(backend: Backend) -> Vec<(String, String)> {
    match backend {
        Backend::Cuda => cuda::environment(),
        Backend::Hip => hip::environment(),
        Backend::OpenCl => opencl::environment(),
        Backend::LevelZero => level_zero::environment(),
    }
}

/// Opens the back-end's library of collectives between devices: NCCL or RCCL. The error is one sentence.
pub(crate) fn collectives(backend: Backend) -> Result<OpenedLibrary, String> {
    match backend {
        Backend::Cuda => cuda::nccl(),
        Backend::Hip => hip::rccl(),
        Backend::OpenCl | Backend::LevelZero => {
            Err(format!("no library of collectives between devices of {} is known to paw", backend.title()))
        }
    }
}

/// Opens the devices of these numbers together, so that they can copy from each other if possible. The error is one sentence.
pub fn open(backend: Backend, indexes: &[u32]) -> Result<Vec<Device>, String> {
    let drivers: Vec<Arc<dyn Driver>> = match backend {
        Backend::Cuda => cuda::open(indexes)?,
        Backend::Hip => hip::open(indexes)?,
        Backend::OpenCl => opencl::open(indexes)?,
        Backend::LevelZero => level_zero::open(indexes)?,
    };
    Ok(drivers.into_iter().map(Device::new).collect())
}
