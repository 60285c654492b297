//! The devices of a library: found, and opened with their embedded kernels and gates.
#![allow(unsafe_code)]

use std::sync::{Arc, Mutex, OnceLock};

use super::calls::Ordinal;
use super::facts;
use super::kernels;
use super::library::Library;
use super::marks::Marks;
use super::{Gpu, Vendor};
use crate::device::driver::Driver;
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::facts::{Capabilities, DeviceFacts, FoundDevices};
use crate::device::table::{HandleTable, ObjectKind};

/// `CUDA_ERROR_NO_DEVICE`, `hipErrorNoDevice`.
const NO_DEVICE: i64 = 100;

/// The other libraries of a vendor by what they are called, and where each is, or why not.
type Others = Vec<(String, Result<String, String>)>;

/// The devices of a library, and the other libraries that go with it.
pub(in crate::device) fn discover<V: Vendor>(
    library: Result<&'static Library<V>, String>,
    others: impl FnOnce(&'static Library<V>) -> Others,
) -> FoundDevices {
    let mut found = FoundDevices { backend: V::BACKEND, devices: Vec::new(), missing: None, libraries: Vec::new() };
    match library {
        Ok(library) => {
            match devices(library) {
                Ok(devices) => found.devices = devices,
                Err(why) => found.missing = Some(why),
            }
            found.libraries = others(library);
        }
        Err(why) => found.missing = Some(why),
    }
    found
}

fn devices<V: Vendor>(library: &'static Library<V>) -> Result<Vec<DeviceFacts>, String> {
    let count = match library.count() {
        Ok(0) | Err(DeviceError::Refused { code: NO_DEVICE, .. }) => {
            return Err(format!("{} has no device; look at {}", library.file.display(), V::WITHOUT_DEVICES));
        }
        other => other.map_err(|error| error.to_string())?,
    };
    let read = |index| facts::read(library, index).map_err(|error| format!("{}{index}: {error}", V::BACKEND));
    (0..count).map(read).collect()
}

/// The devices of these numbers, which know of each other.
pub(in crate::device) fn open<V: Vendor>(
    library: &'static Library<V>,
    indexes: &[u32],
) -> Result<Vec<Arc<dyn Driver>>, String> {
    let devices = devices(library)?;
    let mut opened = Vec::new();
    for index in indexes {
        let id = format!("{}{index}", V::BACKEND);
        if !devices.iter().any(|facts| facts.index == *index) {
            return Err(format!("there is no {id}; there is {}", listed(&devices)));
        }
        let gpu = Gpu::<V>::open(library, *index).map_err(|error| format!("{id} does not open: {error}"))?;
        opened.push(Arc::new(gpu));
    }
    for gpu in &opened {
        let others = opened.iter().filter(|other| !Arc::ptr_eq(gpu, other)).map(Arc::downgrade);
        // Set once, before the device is shared.
        let _ = gpu.peers.set(others.collect());
    }
    Ok(opened.into_iter().map(|gpu| gpu as Arc<dyn Driver>).collect())
}

fn listed(devices: &[DeviceFacts]) -> String {
    let ids: Vec<String> = devices.iter().map(|facts| format!("{} ({})", facts.id(), facts.name)).collect();
    ids.join(", ")
}

impl<V: Vendor> Gpu<V> {
    /// Opens the device of that number, loads the embedded kernels and tests its gates.
    fn open(library: &'static Library<V>, index: u32) -> DeviceResult<Self> {
        let ordinal = V::ordinal(library, index)?;
        let (facts, caps) = (facts::read(library, index)?, facts::caps(library, ordinal));
        let own = V::open(library, ordinal)?;
        let mut gpu = Self::bare(library, (ordinal, own), facts, caps);
        gpu.current()?;
        gpu.caps.pool &= gpu.keep_pool().is_ok();
        gpu.embedded = kernels::load(&gpu);
        gpu.gates = gpu.try_gates();
        gpu.caps.gate &= gpu.gates.is_ok();
        gpu.caps.mapped &= gpu.embedded.is_ok();
        Ok(gpu)
    }

    /// The first device of a library whose functions do nothing.
    pub(in crate::device) fn null(library: &'static Library<V>) -> DeviceResult<Self> {
        let ordinal = V::ordinal(library, 0)?;
        let (facts, caps) = (facts::read(library, 0)?, facts::caps(library, ordinal));
        Ok(Self::bare(library, (ordinal, V::open(library, ordinal)?), facts, caps))
    }

    /// The device without embedded kernels and gates.
    fn bare(
        library: &'static Library<V>,
        (ordinal, own): (Ordinal, V),
        facts: DeviceFacts,
        caps: Capabilities,
    ) -> Self {
        let device = (V::BACKEND, facts.index);
        let id = facts.id();
        let absent = || DeviceError::Absent(format!("{id} is not open yet"));
        Self {
            library,
            ordinal,
            own,
            facts,
            caps,
            memories: HandleTable::new(ObjectKind::Memory, device),
            hosts: HandleTable::new(ObjectKind::HostMemory, device),
            queues: HandleTable::new(ObjectKind::Queue, device),
            marks: Marks::new(device),
            programs: HandleTable::new(ObjectKind::Program, device),
            kernels: HandleTable::new(ObjectKind::Kernel, device),
            embedded: Err(absent()),
            gates: Err(absent()),
            products: V::products(library),
            plans: HandleTable::new(ObjectKind::Plan, device),
            peers: OnceLock::new(),
            ways: Mutex::default(),
        }
    }
}
