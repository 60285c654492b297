//! Opening a device: embedded kernels, gates.

use std::sync::{Mutex, OnceLock};

use super::context::Hip;
use super::library::Library;
use super::products::Products;
use super::{facts, kernels};
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::facts::Backend;
use crate::device::marks::Marks;
use crate::device::table::{HandleTable, ObjectKind};

impl Hip {
    /// Opens the device of that number, compiles the embedded kernels and tests its gates.
    pub(super) fn open(library: &'static Library, index: u32) -> DeviceResult<Self> {
        let mut hip = Self::bare(library, index)?;
        hip.current()?;
        hip.caps.pool &= hip.keep_pool().is_ok();
        hip.embedded = kernels::load(&hip);
        hip.gates = hip.try_gates();
        hip.caps.gate &= hip.gates.is_ok();
        hip.caps.mapped &= hip.embedded.is_ok();
        Ok(hip)
    }

    /// The device without embedded kernels and gates.
    fn bare(library: &'static Library, index: u32) -> DeviceResult<Self> {
        let ordinal = facts::ordinal(index);
        let (facts, architecture) = facts::read(library, index)?;
        let device = (Backend::Hip, index);
        let absent = || DeviceError::Absent(format!("hip{index} is not open yet"));
        Ok(Self {
            library,
            ordinal,
            facts,
            architecture,
            caps: facts::caps(library, ordinal),
            memories: HandleTable::new(ObjectKind::Memory, device),
            hosts: HandleTable::new(ObjectKind::HostMemory, device),
            queues: HandleTable::new(ObjectKind::Queue, device),
            marks: Marks::new(device),
            programs: HandleTable::new(ObjectKind::Program, device),
            kernels: HandleTable::new(ObjectKind::Kernel, device),
            embedded: Err(absent()),
            gates: Err(absent()),
            products: Products::new(&library.file),
            plans: HandleTable::new(ObjectKind::Plan, device),
            peers: OnceLock::new(),
            ways: Mutex::default(),
        })
    }
}
