//! HIP, AMD's run-time interface, opened at run time. It was never run on hardware: `testing/mock-hip` holds what the headers say.

use std::sync::Arc;

use super::driver::Driver;
use super::error::DeviceError;
use super::facts::{Backend, DeviceFacts, FoundDevices};
use context::Hip;
use library::{Library, library};

mod blas;
mod calls;
mod context;
mod copy;
mod diagnosis;
mod driver;
mod facts;
mod gate;
mod hiprtc;
mod hwmon;
mod kernels;
mod library;
mod memory;
mod open;
mod peaks;
mod products;
mod program;
mod properties;
mod queue;
mod remarks;
mod rocblas;
mod rocm;

/// `hipErrorNoDevice`.
const NO_DEVICE: i64 = 100;

/// Variables to set before HIP is opened: none, it loads what is compiled at run time at once.
pub(super) fn environment() -> Vec<(String, String)> {
    Vec::new()
}

/// The devices of this host.
pub(super) fn discover() -> FoundDevices {
    let mut found = FoundDevices { backend: Backend::Hip, devices: Vec::new(), missing: None, libraries: Vec::new() };
    match library() {
        Ok(hip) => {
            match devices(hip) {
                Ok(devices) => found.devices = devices,
                Err(why) => found.missing = Some(why),
            }
            found.libraries.push(("rocBLAS".to_owned(), products::found(&hip.file)));
            found.libraries.push(("hiprtc".to_owned(), hiprtc::found(hip)));
        }
        Err(why) => found.missing = Some(why),
    }
    found
}

fn devices(library: &'static Library) -> Result<Vec<DeviceFacts>, String> {
    let count = match library.count() {
        Ok(0) | Err(DeviceError::Refused { code: NO_DEVICE, .. }) => {
            return Err(format!(
                "{} has no device; look at HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES",
                library.file.display()
            ));
        }
        other => other.map_err(|error| error.to_string())?,
    };
    let read =
        |index| facts::read(library, index).map(|(facts, _)| facts).map_err(|error| format!("hip{index}: {error}"));
    (0..count).map(read).collect()
}

/// The devices of these numbers.
pub(super) fn open(indexes: &[u32]) -> Result<Vec<Arc<dyn Driver>>, String> {
    let library = library()?;
    let devices = devices(library)?;
    let mut opened = Vec::new();
    for index in indexes {
        if !devices.iter().any(|facts| facts.index == *index) {
            return Err(format!("there is no hip{index}; there is {}", listed(&devices)));
        }
        let hip = Hip::open(library, *index).map_err(|error| format!("hip{index} does not open: {error}"))?;
        opened.push(Arc::new(hip));
    }
    for hip in &opened {
        let others = opened.iter().filter(|other| !Arc::ptr_eq(hip, other)).map(Arc::downgrade);
        // Set once, before the device is shared.
        let _ = hip.peers.set(others.collect());
    }
    Ok(opened.into_iter().map(|hip| hip as Arc<dyn Driver>).collect())
}

fn listed(devices: &[DeviceFacts]) -> String {
    let ids: Vec<String> = devices.iter().map(|facts| format!("{} ({})", facts.id(), facts.name)).collect();
    ids.join(", ")
}
