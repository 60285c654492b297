//! A device and its objects.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::sync::{Arc, Mutex, OnceLock, Weak};

use super::calls::{Address, Opaque, Ordinal, call};
use super::library::Library;
use super::products::{ProductPlan, Products};
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::facts::{Capabilities, DeviceFacts};
use crate::device::gates::Gates;
use crate::device::marks::Marks;
use crate::device::objects::{EmbeddedKernels, HostMemory, Kernel, Memory, Program};
use crate::device::span::{ObjectHandle, Span, within};
use crate::device::table::HandleTable;

/// A device, which the whole process shares and keeps until it ends.
pub(super) struct Hip {
    pub(super) library: &'static Library,
    pub(super) ordinal: Ordinal,
    pub(super) facts: DeviceFacts,
    /// The architecture as compilers take it: `gfx90a:sramecc+:xnack-`.
    pub(super) architecture: Option<String>,
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
    pub(super) peers: OnceLock<Vec<Weak<Hip>>>,
    /// Numbers of the devices for which peer access was tried.
    pub(super) ways: Mutex<Vec<u32>>,
}

// SAFETY: the pointers are the library's, whose functions may be called by any thread that has chosen the device.
unsafe impl Send for Hip {}
// SAFETY: as above; the tables hold locks.
unsafe impl Sync for Hip {}

thread_local! {
    /// The device that calls of this thread are for.
    static CURRENT: Cell<Option<Ordinal>> = const { Cell::new(None) };
}

impl Hip {
    /// Makes the device the one that calls of this thread are for.
    #[inline]
    pub(super) fn current(&self) -> DeviceResult {
        if CURRENT.get() == Some(self.ordinal) {
            return Ok(());
        }
        call!(self.library, set_device(self.ordinal))?;
        CURRENT.set(Some(self.ordinal));
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
        call!(self.library, device_synchronize())
    }

    /// The device of that number, where it was opened together with this one.
    pub(super) fn peer(&self, index: u32) -> DeviceResult<Arc<Hip>> {
        let peers = self.peers.get().into_iter().flatten().filter_map(Weak::upgrade);
        let mut peers = peers.filter(|peer| peer.facts.index == index);
        peers.next().ok_or_else(|| {
            DeviceError::Unsupported(format!("hip{index} was not opened together with hip{}", self.facts.index))
        })
    }
}
