//! HIP, AMD's run-time interface, opened at run time. It was never run on hardware: `testing/mock-hip` holds what the headers say.

use std::sync::Arc;

use super::driver::Driver;
use super::facts::FoundDevices;
use super::gpu;
use super::opened::OpenedLibrary;
use context::library;

mod amd;
mod calls;
mod context;
mod diagnosis;
mod hiprtc;
mod hwmon;
mod matrix_cores;
mod peaks;
mod products;
mod properties;
mod remarks;
mod rocblas;
mod rocm;
mod throttling;

/// Variables to set before HIP is opened: none, it loads what is compiled at run time at once.
pub(super) fn environment() -> Vec<(String, String)> {
    Vec::new()
}

/// The devices of this host.
pub(super) fn discover() -> FoundDevices {
    gpu::open::discover(library(), |hip| {
        let rccl = rccl().map(|opened| opened.path.display().to_string());
        let others = [("rocBLAS", products::found(&hip.file)), ("hiprtc", hiprtc::found(hip)), ("RCCL", rccl)];
        others.map(|(name, place)| (name.to_owned(), place)).to_vec()
    })
}

/// RCCL, of the release of the run-time library.
pub(super) fn rccl() -> Result<OpenedLibrary, String> {
    rocm::open(&rocm::RCCL, &rocm::here(&rocm::RCCL), Some(&library()?.file))
}

/// The devices of these numbers.
pub(super) fn open(indexes: &[u32]) -> Result<Vec<Arc<dyn Driver>>, String> {
    gpu::open::open(library()?, indexes)
}
