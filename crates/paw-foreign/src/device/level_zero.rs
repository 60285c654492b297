//! Level Zero, opened at run time.
//!
//! Queues are immediate command lists. Types and prototypes are those of `ze_api.h` and `zes_api.h` v1.4-r1.4.8; what is newer is used
//! where loader and driver have it.

use std::sync::Arc;

use super::driver::Driver;
use super::facts::{Backend, DeviceFacts, FoundDevices};
use context::Context;
use device::ZeDevice;
use facts::OfferedDevice;
use library::{Api, api};

mod calls;
mod context;
mod device;
mod diagnosis;
mod driver;
mod embedded;
mod events;
mod facts;
mod gates;
mod library;
mod memory;
mod modules;
mod objects;
mod ocloc;
mod plan;
mod products;
mod queue;
mod remarks;
mod status;
mod structures;
mod sysman;

/// Variables to set before Level Zero is opened: devices in the order of the PCI bus, and system management.
pub(super) fn environment() -> Vec<(String, String)> {
    remarks::OURS.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// The devices of this host.
pub(super) fn discover() -> FoundDevices {
    let found = api().and_then(|api| {
        let offered = (0..).zip(offered(api)?);
        offered.map(|(index, device)| known(api, index, device)).collect::<Result<Vec<DeviceFacts>, String>>()
    });
    let libraries = api().map(|_| vec![("ocloc".to_owned(), ocloc::whereabouts())]).unwrap_or_default();
    let (devices, missing) = match found {
        Ok(devices) => (devices, None),
        Err(why) => (Vec::new(), Some(why)),
    };
    FoundDevices { backend: Backend::LevelZero, devices, missing, libraries }
}

/// The devices of these numbers; those of one driver share a context.
pub(super) fn open(indexes: &[u32]) -> Result<Vec<Arc<dyn Driver>>, String> {
    let api = api()?;
    let offered = offered(api)?;
    let mut wanted: Vec<(u32, OfferedDevice)> = Vec::new();
    for &index in indexes {
        let place = usize::try_from(index).ok().and_then(|index| offered.get(index));
        let last = offered.len() - 1;
        let place = place.ok_or_else(|| {
            format!("there is no device ze{index}; the devices of Level Zero here are ze0 to ze{last}")
        })?;
        wanted.push((index, *place));
    }
    let mut contexts: Vec<Arc<Context>> = Vec::new();
    let mut opened: Vec<Arc<dyn Driver>> = Vec::new();
    for &(index, device) in &wanted {
        let facts = known(api, index, device)?;
        let refused = |error| format!("ze{index} cannot be opened: {error}");
        let context = match contexts.iter().find(|context| context.driver == device.driver) {
            Some(context) => Arc::clone(context),
            None => {
                let members = wanted.iter().filter(|(_, other)| other.driver == device.driver);
                let members = members.map(|(index, other)| (*index, other.device)).collect();
                Arc::new(Context::of(api, device.driver, members).map_err(refused)?)
            }
        };
        contexts.push(Arc::clone(&context));
        opened.push(Arc::new(ZeDevice::open(context, device, facts).map_err(refused)?));
    }
    Ok(opened)
}

fn offered(api: &Api) -> Result<Vec<OfferedDevice>, String> {
    match facts::devices(api) {
        Ok(devices) if devices.is_empty() => Err(diagnosis::without_device(&api.file)),
        other => other.map_err(|error| diagnosis::unstarted(&api.file, &error)),
    }
}

fn known(api: &Api, index: u32, device: OfferedDevice) -> Result<DeviceFacts, String> {
    facts::read(api, index, device).map_err(|error| format!("ze{index}: {error}"))
}
