//! An open OpenCL device, and its copies.

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys::CL_MEM_READ_WRITE;

use super::buffer::Buffer;
use super::context::Context;
use super::embedded::{EmbeddedProgram, Precision};
use super::host::HostMemory;
use super::objects::{DeviceId, OwnedObject};
use super::plan::{Plan, Portable};
use super::programs::{Kernel, KernelArgument, Program};
use super::queues::{self, Gate, Queue};
use super::status::done;
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::facts::DeviceFacts;
use crate::device::program::{Builtin, Grid};
use crate::device::span::{ObjectHandle, Span};
use crate::device::table::{HandleTable, ObjectKind};

/// Kernels that every device has.
const GIVEN: &str = include_str!("paw.cl");
/// Kernels of multiplications and additions.
const ARITHMETIC: &str = include_str!("fma.cl");
/// Work-items of a group of our own kernels.
const GROUP: u64 = 64;

/// A kernel, and the number of its program.
pub(super) struct Named {
    pub(super) program: ObjectHandle,
    pub(super) kernel: Arc<Kernel>,
}

/// An open device.
pub(super) struct OpenClDevice {
    pub(super) facts: DeviceFacts,
    pub(super) id: DeviceId,
    // First: a gate opens when it is dropped, so that queues end.
    pub(super) gates: HandleTable<Arc<Gate>>,
    pub(super) marks: HandleTable<Arc<OwnedObject>>,
    pub(super) kernels: HandleTable<Arc<Named>>,
    pub(super) programs: HandleTable<Arc<Program>>,
    pub(super) queues: HandleTable<Arc<Queue>>,
    /// Its embedded kernels, built when first needed.
    embedded: EmbeddedProgram,
    arithmetic: EmbeddedProgram,
    /// Embedded kernels for matrix products.
    pub(super) portable: Portable,
    pub(super) plans: HandleTable<Arc<Plan>>,
    /// A queue for mapping.
    pub(super) service: Arc<OwnedObject>,
    pub(super) context: Arc<Context>,
}

impl OpenClDevice {
    /// Opens the device `id` of `context`.
    pub(super) fn open(context: Arc<Context>, id: DeviceId, facts: DeviceFacts) -> DeviceResult<Self> {
        let device = (facts.backend, facts.index);
        Ok(Self {
            facts,
            id,
            gates: HandleTable::new(ObjectKind::Gate, device),
            marks: HandleTable::new(ObjectKind::Mark, device),
            kernels: HandleTable::new(ObjectKind::Kernel, device),
            programs: HandleTable::new(ObjectKind::Program, device),
            queues: HandleTable::new(ObjectKind::Queue, device),
            embedded: EmbeddedProgram::new(GIVEN),
            arithmetic: EmbeddedProgram::new(ARITHMETIC),
            portable: Portable::new(),
            plans: HandleTable::new(ObjectKind::Plan, device),
            service: Arc::new(queues::raw_queue(&context, id)?),
            context,
        })
    }

    /// A buffer.
    pub(super) fn buffer(&self, bytes: usize) -> DeviceResult<ObjectHandle> {
        // SAFETY: the buffer brings its own memory.
        let buffer = unsafe {
            Buffer::new(
                self.context.api,
                &self.context.raw,
                CL_MEM_READ_WRITE,
                bytes,
                std::ptr::null_mut(),
                "the device",
            )
        }?;
        Ok(self.context.buffers.insert(Arc::new(buffer)))
    }

    /// One of the kernels that every device has.
    pub(super) fn own(&self, name: &str) -> DeviceResult<Arc<Kernel>> {
        self.embedded.kernel(&self.context, self.id, self.precision(), name)
    }

    /// A kernel of multiplications and additions; a program has none of a type that its device lacks.
    pub(super) fn arithmetic(&self, which: Builtin) -> DeviceResult<Arc<Kernel>> {
        let found = self.arithmetic.kernel(&self.context, self.id, self.precision(), which.name());
        found.map_err(|error| match error {
            DeviceError::Absent(_) => DeviceError::Unsupported(format!(
                "{} has no kernel {}, since it does not compute with that type",
                self.facts.id(),
                which.name()
            )),
            other => other,
        })
    }

    fn precision(&self) -> Precision {
        if self.facts.fp64 { Precision::Double } else { Precision::Single }
    }

    /// A device buffer, or the buffer of mapped host memory.
    pub(super) fn memory(&self, handle: ObjectHandle) -> DeviceResult<Arc<Buffer>> {
        let mapped = || self.context.hosts.at(handle).ok().and_then(|host| host.buffer().map(Arc::clone));
        self.context.buffers.at(handle).or_else(|unknown| mapped().ok_or(unknown))
    }

    /// Queues a copy from the host to the device.
    pub(super) fn write(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> DeviceResult {
        let queue = self.queues.at(queue)?;
        let (host, buffer) = (self.context.hosts.at(from.memory)?, self.context.buffers.at(to.memory)?);
        let Some(address) = host.address(from.offset, bytes)? else {
            return self.copy_by_kernel(&queue, (&buffer, to.offset), (mapped(&host)?, from.offset), bytes);
        };
        let (none, event) = (std::ptr::null(), std::ptr::null_mut());
        let address: *const c_void = address.cast();
        // SAFETY: that many bytes can be read there, and the queue keeps them until it was waited for.
        let status = unsafe {
            let api = self.context.api;
            (api.clEnqueueWriteBuffer)(queue.raw(), buffer.raw(), 0, to.offset, bytes, address, 0, none, event)
        };
        queue.keep(host);
        done("clEnqueueWriteBuffer", status)
    }

    /// Queues a copy from the device to the host.
    pub(super) fn read(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> DeviceResult {
        let queue = self.queues.at(queue)?;
        let (host, buffer) = (self.context.hosts.at(to.memory)?, self.context.buffers.at(from.memory)?);
        let Some(address) = host.address(to.offset, bytes)? else {
            return self.copy_by_kernel(&queue, (mapped(&host)?, to.offset), (&buffer, from.offset), bytes);
        };
        let (none, event) = (std::ptr::null(), std::ptr::null_mut());
        let address: *mut c_void = address.cast();
        // SAFETY: that many bytes can be written there, and the queue keeps them until it was waited for.
        let status = unsafe {
            let api = self.context.api;
            (api.clEnqueueReadBuffer)(queue.raw(), buffer.raw(), 0, from.offset, bytes, address, 0, none, event)
        };
        queue.keep(host);
        done("clEnqueueReadBuffer", status)
    }

    /// Queues a copy between buffers of the context. The implementation may cache the content of another
    /// device's buffer, and need not fetch it again until it is written.
    pub(super) fn copy(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> DeviceResult {
        let queue = self.queues.at(queue)?;
        let (target, source) = (self.context.buffers.at(to.memory)?, self.context.buffers.at(from.memory)?);
        let (none, event) = (std::ptr::null(), std::ptr::null_mut());
        let (source, target) = (source.raw(), target.raw());
        let api = self.context.api;
        // SAFETY: buffers of the queue's context; OpenCL checks the ranges against their sizes, and keeps them until it is done.
        done("clEnqueueCopyBuffer", unsafe {
            (api.clEnqueueCopyBuffer)(queue.raw(), source, target, from.offset, to.offset, bytes, 0, none, event)
        })
    }

    /// Queues that bytes of a buffer become `byte`.
    pub(super) fn set(&self, queue: ObjectHandle, to: Span, byte: u8, bytes: usize) -> DeviceResult {
        let queue = self.queues.at(queue)?;
        let buffer = self.context.buffers.at(to.memory)?;
        let (none, event) = (std::ptr::null(), std::ptr::null_mut());
        let pattern: *const c_void = (&raw const byte).cast();
        let api = self.context.api;
        // SAFETY: a pattern of one byte, which OpenCL copies.
        done("clEnqueueFillBuffer", unsafe {
            (api.clEnqueueFillBuffer)(queue.raw(), buffer.raw(), pattern, 1, to.offset, bytes, 0, none, event)
        })
    }

    /// Copies by the widest elements that both offsets allow, and the rest by bytes. Elements are counted from a buffer's beginning.
    fn copy_by_kernel(
        &self,
        queue: &Queue,
        (to, to_offset): (&Arc<Buffer>, usize),
        (from, from_offset): (&Arc<Buffer>, usize),
        bytes: usize,
    ) -> DeviceResult {
        to.holds(to_offset, bytes)?;
        from.holds(from_offset, bytes)?;
        let fits = |width: &usize| to_offset.is_multiple_of(*width) && from_offset.is_multiple_of(*width);
        let width = [16, 4].into_iter().find(fits).unwrap_or(1);
        let wide = bytes / width * width;
        for (width, begin, bytes) in [(width, 0, wide), (1, wide, bytes - wide)] {
            if bytes == 0 {
                continue;
            }
            let kernel = self.own(match width {
                16 => "paw_move_16",
                4 => "paw_move_4",
                _ => "paw_move_1",
            })?;
            let elements = |bytes: usize| KernelArgument::word64(((bytes / width) as i64).to_ne_bytes());
            let values = [
                KernelArgument::Buffer(Arc::clone(to)),
                elements(to_offset + begin),
                KernelArgument::Buffer(Arc::clone(from)),
                elements(from_offset + begin),
                elements(bytes),
            ];
            let blocks = ((bytes / width) as u64).div_ceil(GROUP);
            kernel.launch(queue, Grid { blocks, threads: GROUP as u32, shared_bytes: 0 }, &values)?;
        }
        Ok(())
    }
}

fn mapped(host: &HostMemory) -> DeviceResult<&Arc<Buffer>> {
    host.buffer().ok_or_else(|| DeviceError::Unsupported("this memory of the host is not mapped".to_owned()))
}
