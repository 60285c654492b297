//! Opening a device: context, embedded kernels, gates.
#![allow(unsafe_code)]

use std::sync::{Mutex, OnceLock};

use super::calls::{Opaque, Ordinal, call};
use super::context::Cuda;
use super::library::Library;
use super::marks::Marks;
use super::products::Products;
use super::{facts, kernels, toolkit};
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::facts::{Backend, Capabilities, DeviceFacts};
use crate::device::table::{HandleTable, ObjectKind};

impl Cuda {
    /// Opens the device of that number, loads the embedded kernels and tests its gates.
    pub(super) fn open(library: &'static Library, index: u32) -> DeviceResult<Self> {
        let ordinal = facts::ordinal(library, index)?;
        let facts = facts::read(library, index)?;
        let caps = facts::caps(library, ordinal);
        let mut context = std::ptr::null_mut();
        call!(library, primary_ctx_retain(&raw mut context, ordinal))?;
        let mut cuda = Self::bare(library, (ordinal, context), facts, caps);
        cuda.current()?;
        cuda.caps.pool &= cuda.keep_pool().is_ok();
        cuda.embedded = kernels::load(&cuda);
        cuda.gates = cuda.try_gates();
        cuda.caps.gate &= cuda.gates.is_ok();
        cuda.caps.mapped &= cuda.embedded.is_ok();
        Ok(cuda)
    }

    /// The device without embedded kernels and gates.
    pub(super) fn bare(
        library: &'static Library,
        (ordinal, context): (Ordinal, Opaque),
        facts: DeviceFacts,
        caps: Capabilities,
    ) -> Self {
        let index = facts.index;
        let device = (Backend::Cuda, index);
        let absent = || DeviceError::Absent(format!("cuda{index} is not open yet"));
        Self {
            library,
            ordinal,
            context,
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
            products: Products::new(toolkit::major(library.version)),
            plans: HandleTable::new(ObjectKind::Plan, device),
            peers: OnceLock::new(),
            links: OnceLock::new(),
            ways: Mutex::default(),
        }
    }
}
