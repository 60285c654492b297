//! Memory of the device, and memory of the host that it copies from and to.
#![allow(unsafe_code)]

use std::alloc::{self, Layout};
use std::ffi::c_void;

use super::calls::{call, call_if_there};
use super::objects::{HostMemory, Memory};
use super::{Gpu, Vendor};
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::facts::HostKind;
use crate::device::span::{ObjectHandle, Span};

/// Bytes of the smallest page.
pub(in crate::device) const PAGE: usize = 4096;
/// `CUDA_ERROR_OUT_OF_MEMORY`, `hipErrorOutOfMemory`.
const OUT_OF_MEMORY: i64 = 2;
/// `CU_MEMHOSTALLOC_PORTABLE`, `hipHostMallocPortable`, and the same of memory that is registered: every device of the process may use
/// the memory. Never write-combined, which the processor reads slowly.
const PORTABLE: u32 = 1;
/// `CU_MEMHOSTALLOC_DEVICEMAP`, `hipHostMallocMapped`.
const MAPPED: u32 = 2;
/// `CU_MEMPOOL_ATTR_RELEASE_THRESHOLD`, `hipMemPoolAttrReleaseThreshold`.
const RELEASE_THRESHOLD: i32 = 4;

impl<V: Vendor> Gpu<V> {
    /// [`crate::device::Driver::alloc`]
    pub(super) fn memory(&self, bytes: usize) -> DeviceResult<ObjectHandle> {
        self.current()?;
        let mut address = 0;
        call!(self.library, mem_alloc(&raw mut address, bytes.max(1))).map_err(|e| scarce(e, bytes, "the device"))?;
        Ok(self.memories.insert(Memory { address, bytes }))
    }

    /// [`crate::device::Driver::free`]
    pub(super) fn memory_free(&self, memory: ObjectHandle) -> DeviceResult {
        self.current()?;
        let memory = self.memories.remove(memory)?;
        call!(self.library, mem_free(memory.address))
    }

    /// [`crate::device::Driver::pool_alloc`]
    pub(super) fn pooled(&self, queue: ObjectHandle, bytes: usize) -> DeviceResult<ObjectHandle> {
        self.current()?;
        let stream = self.stream(queue)?;
        let mut address = 0;
        call_if_there!(self.library, calls.mem_alloc_async(&raw mut address, bytes.max(1), stream))
            .map_err(|e| scarce(e, bytes, "the device"))?;
        Ok(self.memories.insert(Memory { address, bytes }))
    }

    /// [`crate::device::Driver::pool_free`]
    pub(super) fn pooled_free(&self, queue: ObjectHandle, memory: ObjectHandle) -> DeviceResult {
        self.current()?;
        let memory = self.memories.remove(memory)?;
        match self.stream(queue) {
            Ok(stream) => call_if_there!(self.library, calls.mem_free_async(memory.address, stream)),
            // The queue is gone: the ordinary call frees memory of a pool as well.
            Err(_) => call!(self.library, mem_free(memory.address)),
        }
    }

    /// Makes the pool keep freed memory: by default every synchronisation returns it to the system, which fast programs avoid.
    pub(super) fn keep_pool(&self) -> DeviceResult {
        if !self.caps.pool {
            return Ok(());
        }
        let mut pool = std::ptr::null_mut();
        call_if_there!(self.library, calls.device_get_default_mem_pool(&raw mut pool, self.ordinal))?;
        let mut all = u64::MAX;
        let all = (&raw mut all).cast::<c_void>();
        call_if_there!(self.library, calls.mem_pool_set_attribute(pool, RELEASE_THRESHOLD, all))
    }

    /// [`crate::device::Driver::host_alloc`]
    pub(super) fn host_memory(&self, bytes: usize, kind: HostKind) -> DeviceResult<ObjectHandle> {
        self.current()?;
        let memory = match kind {
            HostKind::Pageable | HostKind::Registered => self.own(bytes, kind)?,
            HostKind::Pinned => self.locked(bytes, kind, PORTABLE)?,
            HostKind::Mapped => self.locked(bytes, kind, PORTABLE | MAPPED)?,
        };
        Ok(self.hosts.insert(memory))
    }

    fn own(&self, bytes: usize, kind: HostKind) -> DeviceResult<HostMemory> {
        let layout = layout(bytes).ok_or(DeviceError::NoMemory { bytes, what: "the host" })?;
        // SAFETY: the layout is not empty.
        let at = unsafe { alloc::alloc(layout) };
        if at.is_null() {
            return Err(DeviceError::NoMemory { bytes, what: "the host" });
        }
        // SAFETY: all of it was allocated just now; writing touches every page.
        unsafe { at.write_bytes(0, layout.size()) };
        if kind == HostKind::Registered {
            let registered = call!(self.library, mem_host_register(at.cast(), layout.size(), PORTABLE));
            if let Err(error) = registered {
                // SAFETY: allocated above with this layout, and not registered.
                unsafe { alloc::dealloc(at, layout) };
                return Err(scarce(error, bytes, "the host's share that may be locked"));
            }
        }
        Ok(HostMemory { at, bytes, kind, is_managed: false, address: 0 })
    }

    fn locked(&self, bytes: usize, kind: HostKind, flags: u32) -> DeviceResult<HostMemory> {
        let mut at: *mut c_void = std::ptr::null_mut();
        call!(self.library, mem_host_alloc(&raw mut at, bytes.max(1), flags))
            .map_err(|e| scarce(e, bytes, "the host's share that may be locked"))?;
        // SAFETY: the library allocated that many bytes just now.
        unsafe { at.cast::<u8>().write_bytes(0, bytes) };
        let mut address = 0;
        if kind == HostKind::Mapped
            && let Err(error) = call!(self.library, mem_host_get_device_pointer(&raw mut address, at, 0))
        {
            call!(self.library, mem_free_host(at))?;
            return Err(error);
        }
        Ok(HostMemory { at: at.cast(), bytes, kind, is_managed: false, address })
    }

    /// [`crate::device::Driver::host_free`]
    pub(super) fn host_memory_free(&self, host: ObjectHandle) -> DeviceResult {
        let memory = self.hosts.remove(host)?;
        // A copy may still be in flight. After an error nothing arrives any more.
        let settled = self.settle();
        match memory.kind {
            _ if memory.is_managed => call!(self.library, mem_free(memory.address))?,
            HostKind::Pinned | HostKind::Mapped => call!(self.library, mem_free_host(memory.at.cast()))?,
            HostKind::Registered => {
                call!(self.library, mem_host_unregister(memory.at.cast()))?;
                release(memory);
            }
            HostKind::Pageable => release(memory),
        }
        settled
    }

    /// [`crate::device::Driver::host_touch`]
    pub(super) fn touch(&self, host: ObjectHandle) -> DeviceResult {
        let memory = self.hosts.at(host)?;
        for offset in (0..memory.bytes).step_by(PAGE) {
            // SAFETY: the byte lies within the memory, which was written when it was made.
            unsafe { memory.at.add(offset).read_volatile() };
        }
        Ok(())
    }

    /// [`crate::device::Driver::host_write`]
    pub(super) fn write(&self, to: Span, bytes: &[u8]) -> DeviceResult {
        let (at, _) = self.host(to, bytes.len())?;
        // SAFETY: the part lies within the memory, which nothing else of this process refers to.
        unsafe { at.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }

    /// [`crate::device::Driver::host_read`]
    pub(super) fn read(&self, from: Span, bytes: &mut [u8]) -> DeviceResult {
        let (at, _) = self.host(from, bytes.len())?;
        // SAFETY: the part lies within the memory, which was written when it was made.
        unsafe { at.copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }
}

/// Whole pages: page-locking affects no other allocation.
fn layout(bytes: usize) -> Option<Layout> {
    let size = bytes.max(1).checked_next_multiple_of(PAGE)?;
    Layout::from_size_align(size, PAGE).ok()
}

fn release(memory: HostMemory) {
    if let Some(layout) = layout(memory.bytes) {
        // SAFETY: `own` allocated it with this layout, and its handle is gone.
        unsafe { alloc::dealloc(memory.at, layout) };
    }
}

pub(in crate::device) fn scarce(error: DeviceError, bytes: usize, what: &'static str) -> DeviceError {
    match error {
        DeviceError::Refused { code: OUT_OF_MEMORY, .. } => DeviceError::NoMemory { bytes, what },
        other => other,
    }
}
