//! CUDA, opened at run time.

use std::sync::Arc;

use super::driver::Driver;
use super::facts::FoundDevices;
use super::gpu;
use super::gpu::services;
use super::opened::OpenedLibrary;
use library::library;

mod calls;
mod context;
mod cublas;
mod diagnosis;
mod library;
mod links;
mod lt;
mod managed;
mod null;
mod nvidia;
mod nvml;
mod nvrtc;
mod peaks;
mod products;
mod ptx;
mod remarks;
mod toolkit;

pub(crate) use null::null;

/// Variables to set before CUDA is opened.
pub(super) fn environment() -> Vec<(String, String)> {
    // Kernels are loaded at once, not when they first run behind a gate; device numbers follow the PCI bus.
    [("CUDA_MODULE_LOADING", "EAGER"), ("CUDA_DEVICE_ORDER", "PCI_BUS_ID")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
}

/// The devices of this host.
pub(super) fn discover() -> FoundDevices {
    gpu::open::discover(library(), |driver| {
        let mut others = products::found(driver.version);
        others.push(("NVRTC".to_owned(), nvrtc::found(driver.version)));
        others.push(("NVML".to_owned(), nvml::found()));
        others.push(("NCCL".to_owned(), nccl().map(|opened| opened.path.display().to_string())));
        others
    })
}

/// NCCL, for the driver's version of CUDA.
pub(super) fn nccl() -> Result<OpenedLibrary, String> {
    toolkit::open(&toolkit::NCCL, &toolkit::here(&toolkit::NCCL), toolkit::major(library()?.version))
}

/// The devices of these numbers.
pub(super) fn open(indexes: &[u32]) -> Result<Vec<Arc<dyn Driver>>, String> {
    gpu::open::open(library()?, indexes)
}
