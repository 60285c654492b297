//! Memory of the host, of every kind: own pages, or a buffer that the host sees.

use std::alloc::{Layout, alloc, dealloc};
use std::sync::Arc;

use opencl_sys::{CL_MAP_READ, CL_MAP_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_READ_WRITE, CL_MEM_USE_HOST_PTR};

use super::buffer::Buffer;
use super::library::Api;
use super::objects::OwnedObject;
use super::status::{done, made};
use crate::device::error::DeviceError;
use crate::device::facts::HostKind;
use crate::device::span::within;

/// Memory begins with a page, and is touched page by page.
const PAGE: usize = 4096;
const WHOSE: &str = "the host";

/// Memory of the host.
pub(super) struct HostMemory {
    bytes: usize,
    store: Store,
}

enum Store {
    /// Pages of our own.
    Pages(Pages),
    /// A buffer that stays mapped into the host's address space; over pages of our own, if they were registered.
    Locked { view: View, _pages: Option<Pages> },
    /// A buffer that is mapped only while the processor accesses it, so that kernels can use it otherwise.
    Mapped { api: &'static Api, service: Arc<OwnedObject>, buffer: Arc<Buffer> },
}

impl HostMemory {
    /// `bytes` of that kind, in `context`. `service` is a queue for mapping.
    pub(super) fn new(
        api: &'static Api,
        context: &OwnedObject,
        service: &Arc<OwnedObject>,
        bytes: usize,
        kind: HostKind,
    ) -> Result<Self, DeviceError> {
        let both = CL_MEM_READ_WRITE;
        let store = match kind {
            HostKind::Pageable => Store::Pages(Pages::new(bytes)?),
            HostKind::Pinned => {
                // A page more, so that what is used can begin with one.
                let room = bytes.checked_add(PAGE).ok_or(DeviceError::NoMemory { bytes, what: WHOSE })?;
                // SAFETY: the buffer brings its own memory.
                let buffer = unsafe {
                    Buffer::new(api, context, both | CL_MEM_ALLOC_HOST_PTR, room, std::ptr::null_mut(), WHOSE)
                }?;
                let mut view = View::new(api, Arc::clone(service), buffer, room)?;
                // SAFETY: less than a page further, in memory of a page more than is used; filling makes every page be there.
                unsafe {
                    view.base = view.mapped.add(view.mapped.align_offset(PAGE));
                    view.base.write_bytes(0, bytes);
                }
                Store::Locked { view, _pages: None }
            }
            HostKind::Registered => {
                let pages = Pages::new(bytes)?;
                // SAFETY: the pages are that long, and are dropped after the view in the same store.
                let buffer =
                    unsafe { Buffer::new(api, context, both | CL_MEM_USE_HOST_PTR, bytes, pages.base, WHOSE) }?;
                let view = View::new(api, Arc::clone(service), buffer, bytes)?;
                Store::Locked { view, _pages: Some(pages) }
            }
            HostKind::Mapped => {
                // SAFETY: the buffer brings its own memory.
                let buffer = unsafe {
                    Buffer::new(api, context, both | CL_MEM_ALLOC_HOST_PTR, bytes, std::ptr::null_mut(), WHOSE)
                }?;
                let view = View::new(api, Arc::clone(service), buffer, bytes)?;
                // SAFETY: the whole of it is mapped for writing.
                unsafe { view.base.write_bytes(0, bytes) };
                Store::Mapped { api, service: Arc::clone(service), buffer: Arc::new(view.end()?) }
            }
        };
        Ok(Self { bytes, store })
    }

    /// The address `offset` bytes from the beginning, for `bytes` from there; `None` where kernels use the memory.
    pub(super) fn address(&self, offset: usize, bytes: usize) -> Result<Option<*mut u8>, DeviceError> {
        within(offset, bytes, self.bytes)?;
        let base = match &self.store {
            Store::Pages(pages) => pages.base,
            Store::Locked { view, .. } => view.base,
            Store::Mapped { .. } => return Ok(None),
        };
        // SAFETY: the offset is within the memory.
        Ok(Some(unsafe { base.add(offset) }))
    }

    /// The buffer, where kernels use it.
    pub(super) fn buffer(&self) -> Option<&Arc<Buffer>> {
        match &self.store {
            Store::Mapped { buffer, .. } => Some(buffer),
            _ => None,
        }
    }

    /// Copies `bytes` to `offset`.
    pub(super) fn write(&self, offset: usize, bytes: &[u8]) -> Result<(), DeviceError> {
        self.seen(offset, bytes.len(), |there| {
            // SAFETY: as many bytes are there; a slice of safe code never overlaps them, because they are never lent.
            unsafe { there.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        })
    }

    /// Copies from `offset` into `bytes`.
    pub(super) fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.seen(offset, bytes.len(), |there| {
            // SAFETY: as above.
            unsafe { there.copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) };
        })
    }

    fn seen(&self, offset: usize, bytes: usize, act: impl FnOnce(*mut u8)) -> Result<(), DeviceError> {
        if bytes == 0 {
            return within(offset, 0, self.bytes);
        }
        if let Some(there) = self.address(offset, bytes)? {
            act(there);
            return Ok(());
        }
        let Store::Mapped { api, service, buffer } = &self.store else { return Ok(()) };
        let there = map(api, service, buffer, offset, bytes)?;
        act(there);
        unmap(api, service, buffer, there)
    }
}

/// A buffer mapped into the host's address space until this is dropped.
struct View {
    api: &'static Api,
    service: Arc<OwnedObject>,
    /// Taken out when the view ends and the buffer stays.
    buffer: Option<Buffer>,
    mapped: *mut u8,
    base: *mut u8,
}

// SAFETY: the address may be used by any thread; it is never borrowed.
unsafe impl Send for View {}
// SAFETY: as above; what several threads write at once they write through raw pointers.
unsafe impl Sync for View {}

impl View {
    fn new(api: &'static Api, service: Arc<OwnedObject>, buffer: Buffer, bytes: usize) -> Result<Self, DeviceError> {
        let mapped = map(api, &service, &buffer, 0, bytes)?;
        Ok(Self { api, service, buffer: Some(buffer), mapped, base: mapped })
    }

    /// Ends the view; the buffer stays.
    fn end(mut self) -> Result<Buffer, DeviceError> {
        let gone = || DeviceError::Unsupported("the buffer is gone".to_owned());
        let buffer = self.buffer.take().ok_or_else(gone)?;
        unmap(self.api, &self.service, &buffer, self.mapped)?;
        Ok(buffer)
    }
}

impl Drop for View {
    fn drop(&mut self) {
        if let Some(buffer) = &self.buffer {
            let _ = unmap(self.api, &self.service, buffer, self.mapped);
        }
    }
}

fn map(api: &Api, queue: &OwnedObject, buffer: &Buffer, offset: usize, bytes: usize) -> Result<*mut u8, DeviceError> {
    let mut status = 0;
    let both = CL_MAP_READ | CL_MAP_WRITE;
    let none = std::ptr::null();
    // SAFETY: queue and buffer are of one context; the call waits, and no event is asked for.
    let address = unsafe {
        (api.clEnqueueMapBuffer)(
            queue.raw(),
            buffer.raw(),
            1,
            both,
            offset,
            bytes,
            0,
            none,
            std::ptr::null_mut(),
            &raw mut status,
        )
    };
    made("clEnqueueMapBuffer", status, address).map(<*mut _>::cast)
}

fn unmap(api: &Api, queue: &OwnedObject, buffer: &Buffer, there: *mut u8) -> Result<(), DeviceError> {
    let none = std::ptr::null();
    let call = "clEnqueueUnmapMemObject";
    // SAFETY: `there` is where the buffer was mapped, and nobody uses it any more.
    done(call, unsafe {
        (api.clEnqueueUnmapMemObject)(queue.raw(), buffer.raw(), there.cast(), 0, none, std::ptr::null_mut())
    })?;
    // SAFETY: the queue is ours.
    done("clFinish", unsafe { (api.clFinish)(queue.raw()) })
}

/// Pages of our own, every one touched.
struct Pages {
    base: *mut u8,
    layout: Layout,
}

// SAFETY: memory of our own that is never lent, used through raw pointers alone.
unsafe impl Send for Pages {}
// SAFETY: as above.
unsafe impl Sync for Pages {}

impl Pages {
    fn new(bytes: usize) -> Result<Self, DeviceError> {
        let short = DeviceError::NoMemory { bytes, what: WHOSE };
        let layout = Layout::from_size_align(bytes.max(1), PAGE).map_err(|_| short.clone())?;
        // SAFETY: the layout is not empty.
        let base = unsafe { alloc(layout) };
        if base.is_null() {
            return Err(short);
        }
        // SAFETY: that many bytes were allocated; filling touches every page.
        unsafe { base.write_bytes(0, layout.size()) };
        Ok(Self { base, layout })
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and given back once.
        unsafe { dealloc(self.base, self.layout) };
    }
}
