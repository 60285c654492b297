//! A device, its context and its objects.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::sync::{Arc, Mutex, OnceLock, Weak};

use super::calls::{Address, Opaque, Ordinal, call};
use super::gates::Gates;
use super::library::Library;
use super::marks::Marks;
use super::nvml::links::Links;
use super::objects::{EmbeddedKernels, HostMemory, Kernel, Memory, Program};
use super::products::{ProductPlan, Products};
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::facts::{Capabilities, DeviceFacts};
use crate::device::span::{ObjectHandle, Span, within};
use crate::device::table::HandleTable;

/// A device with its primary context, which the whole process shares and keeps until it ends.
pub(super) struct Cuda {
    pub(super) library: &'static Library,
    pub(super) ordinal: Ordinal,
    pub(super) context: Opaque,
    pub(super) facts: DeviceFacts,
    pub(super) caps: Capabilities,
    pub(super) memories: HandleTable<Memory>,
    pub(super) hosts: HandleTable<HostMemory>,
    pub(super) queues: HandleTable<Opaque>,
    pub(super) marks: Marks,
    pub(super) programs: HandleTable<Program>,
    pub(super) kernels: HandleTable<Kernel>,
    pub(super) embedded: Result<EmbeddedKernels, DeviceError>,
    pub(super) gates: Result<Gates, DeviceError>,
    /// Libraries are opened when the first product is asked for.
    pub(super) products: Products,
    pub(super) plans: HandleTable<Arc<ProductPlan>>,
    /// The devices that were opened together with this one.
    pub(super) peers: OnceLock<Vec<Weak<Cuda>>>,
    /// Its links beside PCIe, where NVML is here; asked for when first needed.
    pub(super) links: OnceLock<Option<Links>>,
    /// Numbers of the devices for which peer access was tried.
    pub(super) ways: Mutex<Vec<u32>>,
}

// SAFETY: the pointers are the driver's, whose functions may be called by any thread in which the context is current.
unsafe impl Send for Cuda {}
// SAFETY: as above; the tables hold locks.
unsafe impl Sync for Cuda {}

thread_local! {
    /// The context that is current in this thread.
    static CURRENT: Cell<Opaque> = const { Cell::new(std::ptr::null_mut()) };
}

impl Cuda {
    /// Makes the device's context current in this thread.
    #[inline]
    pub(super) fn current(&self) -> DeviceResult {
        if CURRENT.get() == self.context {
            return Ok(());
        }
        call!(self.library, ctx_set_current(self.context))?;
        CURRENT.set(self.context);
        Ok(())
    }

    /// The stream of a queue.
    #[inline]
    pub(super) fn stream(&self, queue: ObjectHandle) -> DeviceResult<Opaque> {
        self.queues.at(queue)
    }

    /// The device address of `span`, if `bytes` from there lie in its memory.
    #[inline]
    pub(super) fn address(&self, span: Span, bytes: usize) -> DeviceResult<Address> {
        let memory = self.memories.at(span.memory)?;
        within(span.offset, bytes, memory.bytes)?;
        Ok(memory.address + span.offset as Address)
    }

    /// The host address of `span`, if `bytes` from there lie in its memory, and that memory.
    #[inline]
    pub(super) fn host(&self, span: Span, bytes: usize) -> DeviceResult<(*mut u8, HostMemory)> {
        let memory = self.hosts.at(span.memory)?;
        within(span.offset, bytes, memory.bytes)?;
        Ok((memory.at.wrapping_add(span.offset), memory))
    }

    /// Waits for everything that was queued on this device.
    pub(super) fn settle(&self) -> DeviceResult {
        self.current()?;
        call!(self.library, ctx_synchronize())
    }

    /// The device of that number, where it was opened together with this one.
    pub(super) fn peer(&self, index: u32) -> DeviceResult<Arc<Cuda>> {
        let peers = self.peers.get().into_iter().flatten().filter_map(Weak::upgrade);
        let mut peers = peers.filter(|peer| peer.facts.index == index);
        peers.next().ok_or_else(|| {
            DeviceError::Unsupported(format!("cuda{index} was not opened together with cuda{}", self.facts.index))
        })
    }
}
