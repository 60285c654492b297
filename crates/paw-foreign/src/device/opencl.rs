//! OpenCL, opened at run time.
//!
//! The loader's functions are called directly: wrappers make an event for every command, which costs time in every sample. Types and
//! constants are `opencl-sys`'s.
#![allow(unsafe_code)]

mod buffer;
mod clblast;
mod context;
mod device;
mod driver;
mod embedded;
mod host;
mod library;
mod multiply;
mod objects;
mod plan;
mod platform;
mod programs;
mod query;
mod queues;
mod remarks;
mod status;

use std::sync::Arc;

use super::driver::Driver;
use super::facts::{Backend, DeviceFacts, FoundDevices};
use context::Context;
use device::OpenClDevice;
use library::{Api, api};
use objects::DeviceId;
use platform::PlatformDevice;

pub(super) use embedded::elements_per_thread;

/// Variables to set before OpenCL is opened.
pub(super) fn environment() -> Vec<(String, String)> {
    Vec::new()
}

/// The devices of this host.
pub(super) fn discover() -> FoundDevices {
    let found = api().and_then(|api| {
        let offered = platform::devices(api)?;
        Ok((0..)
            .zip(&offered)
            .map(|(index, &offered)| platform::facts(api, index, offered))
            .collect::<Vec<DeviceFacts>>())
    });
    let libraries = api().map(|api| vec![("CLBlast".to_owned(), clblast::whereabouts(api))]).unwrap_or_default();
    let (devices, missing) = match found {
        Ok(devices) => (devices, None),
        Err(why) => (Vec::new(), Some(why)),
    };
    FoundDevices { backend: Backend::OpenCl, devices, missing, libraries }
}

/// The devices of these numbers; those of one platform share a context.
pub(super) fn open(indexes: &[u32]) -> Result<Vec<Arc<dyn Driver>>, String> {
    let api = api()?;
    let offered = platform::devices(api)?;
    let mut wanted = Vec::new();
    for &index in indexes {
        let place = usize::try_from(index).ok().and_then(|index| offered.get(index));
        let last = offered.len() - 1;
        let place = place.ok_or_else(|| {
            format!("there is no device opencl{index}; the devices of OpenCL here are opencl0 to opencl{last}")
        })?;
        wanted.push((index, *place));
    }
    let mut contexts: Vec<(PlatformDevice, Arc<Context>)> = Vec::new();
    let mut opened: Vec<Arc<dyn Driver>> = Vec::new();
    for &(index, offered) in &wanted {
        let facts = platform::facts(api, index, offered);
        if let Some(why) = platform::refuses(api, &facts, offered) {
            return Err(format!("opencl{index} cannot be opened: {why}"));
        }
        let known = contexts.iter().find(|(other, _)| other.platform == offered.platform);
        let context = match known.map(|(_, context)| Arc::clone(context)) {
            Some(context) => context,
            None => context_of(api, offered, &wanted)?,
        };
        contexts.push((offered, Arc::clone(&context)));
        let device = OpenClDevice::open(context, DeviceId(offered.device), facts);
        opened.push(Arc::new(device.map_err(|error| format!("opencl{index} cannot be opened: {error}"))?));
    }
    Ok(opened)
}

/// A context of the chosen devices of a platform.
fn context_of(api: &'static Api, of: PlatformDevice, wanted: &[(u32, PlatformDevice)]) -> Result<Arc<Context>, String> {
    let members: Vec<(u32, DeviceId)> = wanted
        .iter()
        .filter(|(_, offered)| offered.platform == of.platform)
        .map(|&(index, offered)| (index, DeviceId(offered.device)))
        .collect();
    let context = Context::of(api, &members);
    context.map(Arc::new).map_err(|error| format!("OpenCL gives no context of its devices: {error}"))
}
