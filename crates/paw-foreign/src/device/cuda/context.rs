//! One device, its context, and what was made there.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::sync::{Arc, Mutex, OnceLock, Weak};

use super::blas::Blas;
use super::calls::{Address, Opaque, Ordinal, call};
use super::gate::Gates;
use super::kernels::{EmbeddedKernels, Kernel, Program};
use super::library::Library;
use super::memory::{HostMemory, Memory};
use super::queue::Marks;
use super::table::{ObjectKind, Table};
use super::{facts, kernels};
use crate::device::driver::{ObjectHandle, Span};
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::facts::{Capabilities, DeviceFacts};

/// A device of the driver, with the context that all of this process shares.
///
/// The context is kept until the process ends: a thread remembers which one is its own.
pub(super) struct Cuda {
    pub(super) library: &'static Library,
    pub(super) ordinal: Ordinal,
    pub(super) context: Opaque,
    pub(super) facts: DeviceFacts,
    pub(super) caps: Capabilities,
    pub(super) memories: Table<Memory>,
    pub(super) hosts: Table<HostMemory>,
    pub(super) queues: Table<Opaque>,
    pub(super) marks: Marks,
    pub(super) programs: Table<Program>,
    pub(super) kernels: Table<Kernel>,
    pub(super) embedded: Result<EmbeddedKernels, DeviceError>,
    pub(super) gates: Result<Gates, DeviceError>,
    pub(super) blas: Blas,
    /// The devices that were opened together with this one.
    pub(super) peers: OnceLock<Vec<Weak<Cuda>>>,
    /// Numbers of devices to which a way was looked for.
    pub(super) ways: Mutex<Vec<u32>>,
}

// SAFETY: what the pointers stand for belongs to the driver, whose functions may be called by any thread in a current context.
unsafe impl Send for Cuda {}
// SAFETY: as above; the tables hold locks.
unsafe impl Sync for Cuda {}

thread_local! {
    /// The context that is current in this thread.
    static CURRENT: Cell<Opaque> = const { Cell::new(std::ptr::null_mut()) };
}

impl Cuda {
    /// The device of that number, with what every device needs: the embedded kernels, loaded and tried.
    pub(super) fn open(library: &'static Library, index: u32) -> DeviceResult<Self> {
        let ordinal = facts::ordinal(library, index)?;
        let facts = facts::read(library, index)?;
        let caps = facts::caps(library, ordinal);
        let mut context = std::ptr::null_mut();
        call!(library, primary_ctx_retain(&raw mut context, ordinal))?;
        let absent = || DeviceError::Absent(format!("cuda{index} is not open yet"));
        let mut cuda = Self {
            library,
            ordinal,
            context,
            facts,
            caps,
            memories: Table::new(ObjectKind::Memory, index),
            hosts: Table::new(ObjectKind::HostMemory, index),
            queues: Table::new(ObjectKind::Queue, index),
            marks: Marks::new(index),
            programs: Table::new(ObjectKind::Program, index),
            kernels: Table::new(ObjectKind::Kernel, index),
            embedded: Err(absent()),
            gates: Err(absent()),
            blas: Blas::new(index, library.version),
            peers: OnceLock::new(),
            ways: Mutex::default(),
        };
        cuda.current()?;
        cuda.caps.pool &= cuda.keep_pool().is_ok();
        cuda.embedded = kernels::load(&cuda);
        cuda.gates = Gates::try_out(&cuda);
        cuda.caps.gate &= cuda.gates.is_ok();
        cuda.caps.mapped &= cuda.embedded.is_ok();
        Ok(cuda)
    }

    /// Makes its context that of this thread.
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

    /// The address of a place on the device from which `bytes` are used.
    #[inline]
    pub(super) fn address(&self, span: Span, bytes: usize) -> DeviceResult<Address> {
        let memory = self.memories.at(span.memory)?;
        within(span.offset, bytes, memory.bytes)?;
        Ok(memory.address + span.offset as Address)
    }

    /// The address of a place of the host, and how its memory was made.
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

fn within(offset: usize, count: usize, bytes: usize) -> DeviceResult {
    match offset.checked_add(count) {
        Some(end) if end <= bytes => Ok(()),
        end => Err(DeviceError::Beyond { offset, end: end.unwrap_or(usize::MAX), bytes }),
    }
}
