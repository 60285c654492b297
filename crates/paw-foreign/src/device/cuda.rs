//! CUDA, opened at run time.

use std::sync::Arc;

use super::driver::Driver;
use super::facts::{Backend, DeviceFacts, FoundDevices};
use super::{gates, marks, objects, services};
use context::Cuda;
use library::{Library, library};

mod blas;
mod calls;
mod context;
mod copy;
mod cublas;
mod diagnosis;
mod driver;
mod facts;
mod gate;
mod kernels;
mod library;
mod links;
mod lt;
mod managed;
mod memory;
mod null;
mod nvml;
mod nvrtc;
mod open;
mod peaks;
mod products;
mod program;
mod ptx;
mod queue;
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
    let mut found = FoundDevices { backend: Backend::Cuda, devices: Vec::new(), missing: None, libraries: Vec::new() };
    match library() {
        Ok(driver) => {
            match devices(driver) {
                Ok(devices) => found.devices = devices,
                Err(why) => found.missing = Some(why),
            }
            found.libraries = blas::found(driver.version);
            found.libraries.push(("NVRTC".to_owned(), nvrtc::found(driver.version)));
            found.libraries.push(("NVML".to_owned(), nvml::found()));
        }
        Err(why) => found.missing = Some(why),
    }
    found
}

fn devices(driver: &'static Library) -> Result<Vec<DeviceFacts>, String> {
    let count = driver.count().map_err(|error| error.to_string())?;
    if count == 0 {
        return Err(format!("the driver {} has no device; look at CUDA_VISIBLE_DEVICES", driver.file.display()));
    }
    (0..count).map(|index| facts::read(driver, index).map_err(|error| format!("cuda{index}: {error}"))).collect()
}

/// The devices of these numbers.
pub(super) fn open(indexes: &[u32]) -> Result<Vec<Arc<dyn Driver>>, String> {
    let driver = library()?;
    let devices = devices(driver)?;
    let mut opened = Vec::new();
    for index in indexes {
        if !devices.iter().any(|facts| facts.index == *index) {
            return Err(format!("there is no cuda{index}; there is {}", listed(&devices)));
        }
        let cuda = Cuda::open(driver, *index).map_err(|error| format!("cuda{index} does not open: {error}"))?;
        opened.push(Arc::new(cuda));
    }
    for cuda in &opened {
        let others = opened.iter().filter(|other| !Arc::ptr_eq(cuda, other)).map(Arc::downgrade);
        // Set once, before the device is shared.
        let _ = cuda.peers.set(others.collect());
    }
    Ok(opened.into_iter().map(|cuda| cuda as Arc<dyn Driver>).collect())
}

fn listed(devices: &[DeviceFacts]) -> String {
    let ids: Vec<String> = devices.iter().map(|facts| format!("{} ({})", facts.id(), facts.name)).collect();
    ids.join(", ")
}
