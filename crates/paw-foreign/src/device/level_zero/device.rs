//! An open Level Zero device, and its copies.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::calls::call;
use super::context::Context;
use super::embedded::{ARITHMETIC, ATOMICS, EmbeddedModule, GIVEN, HALVES};
use super::events::{Events, Ticks};
use super::facts::{self, OfferedDevice};
use super::gates::{Gate, Gates};
use super::memory::Memory;
use super::modules::{Kernel, KernelArgument, Module};
use super::objects::Handle;
use super::plan::{Plan, Portable};
use super::queue::{EngineKind, Engines, Queue, QueueOrder};
use super::sysman::Sysman;
use crate::device::driver::missing;
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::facts::DeviceFacts;
use crate::device::peer::{Mover, PeerAccess, PeerCopy};
use crate::device::program::{Builtin, FmaKind, Grid};
use crate::device::span::{ObjectHandle, Span};
use crate::device::table::{HandleTable, ObjectKind};

/// Work-items of a group of our own kernels.
const GROUP: u64 = 256;

/// A kernel, and the number of its program.
pub(super) struct Named {
    pub(super) program: ObjectHandle,
    pub(super) kernel: Arc<Kernel>,
}

/// A mark: an event that goes back to the others when it is dropped.
pub(super) struct Mark {
    pub(super) event: Handle,
    events: Arc<Events>,
}

impl Drop for Mark {
    fn drop(&mut self) {
        let _ = self.events.give_back(self.event);
    }
}

/// An open device.
pub(super) struct ZeDevice {
    pub(super) facts: DeviceFacts,
    pub(super) handle: Handle,
    /// The device's number at PCI's registry, by which its compiler knows it.
    pub(super) product: u32,
    pub(super) block_max: u32,
    // First: gates open when they are dropped, so that queues end.
    pub(super) gates: Gates<Gate>,
    pub(super) marks: HandleTable<Arc<Mark>>,
    pub(super) kernels: HandleTable<Arc<Named>>,
    pub(super) programs: HandleTable<Arc<Module>>,
    pub(super) queues: HandleTable<Arc<Queue>>,
    pub(super) plans: HandleTable<Arc<Plan>>,
    pub(super) given: EmbeddedModule,
    pub(super) arithmetic: EmbeddedModule,
    halves: EmbeddedModule,
    atomics: EmbeddedModule,
    /// What modules may ask of it.
    module_flags: u32,
    pub(super) portable: Portable,
    pub(super) sysman: Sysman,
    ticks: Ticks,
    engines: Engines,
    /// Engines that copy alone, where another device's memory may be copied.
    copy_engines: Option<Engines>,
    order: QueueOrder,
    queues_made: AtomicU32,
    timed: Arc<Events>,
    pub(super) plain: Arc<Events>,
    // Last: everything above belongs to it.
    pub(super) context: Arc<Context>,
}

impl ZeDevice {
    /// Opens a device of `context`.
    pub(super) fn open(context: Arc<Context>, offered: OfferedDevice, facts: DeviceFacts) -> DeviceResult<Self> {
        let (api, handle) = (context.api, offered.device);
        let version = api.version(offered.driver.0)?;
        let properties = facts::properties(api, handle, version)?;
        let device = (facts.backend, facts.index);
        let precision = usize::from(!facts.fp64);
        let (engines, copy_engines) = facts::engines(api, handle)?;
        Ok(Self {
            handle,
            product: properties.device_id,
            block_max: facts::limits(api, handle)?.max_total_group_size,
            gates: Gates::new(),
            marks: HandleTable::new(ObjectKind::Mark, device),
            kernels: HandleTable::new(ObjectKind::Kernel, device),
            programs: HandleTable::new(ObjectKind::Program, device),
            queues: HandleTable::new(ObjectKind::Queue, device),
            plans: HandleTable::new(ObjectKind::Plan, device),
            given: EmbeddedModule::new(GIVEN[precision]),
            arithmetic: EmbeddedModule::new(ARITHMETIC[precision]),
            halves: EmbeddedModule::new(HALVES),
            atomics: EmbeddedModule::new(ATOMICS),
            module_flags: facts::module_flags(api, handle)?,
            portable: Portable::new(),
            sysman: Sysman::of(api, handle),
            ticks: Ticks::of(version, &properties),
            engines,
            copy_engines: copy_engines.filter(|_| context.members.len() > 1),
            order: QueueOrder::of(version),
            queues_made: AtomicU32::new(0),
            timed: Arc::new(Events::timed(&context)),
            plain: Arc::new(Events::plain(&context)),
            facts,
            context,
        })
    }

    /// A queue.
    pub(super) fn queue_new(&self) -> DeviceResult<ObjectHandle> {
        let number = self.queues_made.fetch_add(1, Ordering::Relaxed);
        let engines = (self.engines, self.copy_engines, number);
        let queue = Queue::new(&self.context, self.handle, engines, self.order, &self.plain)?;
        Ok(self.queues.insert(Arc::new(queue)))
    }

    /// Queues a mark.
    pub(super) fn mark_new(&self, queue: ObjectHandle) -> DeviceResult<ObjectHandle> {
        let queue = self.queues.at(queue)?;
        let mark = Mark { event: self.timed.take()?, events: Arc::clone(&self.timed) };
        queue.signal(mark.event)?;
        Ok(self.marks.insert(Arc::new(mark)))
    }

    /// Seconds between two passed marks.
    pub(super) fn between_s(&self, from: ObjectHandle, to: ObjectHandle) -> DeviceResult<f64> {
        let (from, to) = (self.marks.at(from)?, self.marks.at(to)?);
        self.ticks.elapsed_s(self.context.api, from.event, to.event)
    }

    /// One of the kernels that every device has.
    pub(super) fn own(&self, name: &str) -> DeviceResult<Arc<Kernel>> {
        self.given.kernel(&self.context, self.handle, name)
    }

    /// An embedded kernel.
    pub(super) fn embedded(&self, which: Builtin) -> DeviceResult<Arc<Kernel>> {
        let has = |flag: u32| self.module_flags & flag != 0;
        let lacks = |what: &str| Err(DeviceError::Unsupported(format!("{} has no {what}", self.facts.id())));
        let module = match which {
            Builtin::Matrix(_) => return Err(missing("Level Zero", which)),
            Builtin::Fma(FmaKind::F16) if has(facts::FP16) => &self.halves,
            Builtin::Fma(FmaKind::F16) => return lacks("arithmetic on halves (ZE_DEVICE_MODULE_FLAG_FP16)"),
            Builtin::Update if has(facts::INT64_ATOMICS) => &self.atomics,
            Builtin::Update => return lacks("atomic operations on 64 bits (ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS)"),
            Builtin::Fma(FmaKind::F64) | Builtin::Intensity(FmaKind::F64) if !self.facts.fp64 => {
                return lacks("arithmetic on doubles (ZE_DEVICE_MODULE_FLAG_FP64)");
            }
            Builtin::Fma(_) | Builtin::Intensity(_) => &self.arithmetic,
            _ => &self.given,
        };
        module.kernel(&self.context, self.handle, which.name())
    }

    /// Memory that a kernel may use: a device's, or the host's where it is mapped.
    pub(super) fn memory(&self, handle: ObjectHandle) -> DeviceResult<Arc<Memory>> {
        let mapped = || self.context.hosts.at(handle).ok().filter(|host| host.is_mapped());
        self.context.memories.at(handle).or_else(|unknown| mapped().ok_or(unknown))
    }

    /// Queues a copy from the host to the device.
    pub(super) fn write(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> DeviceResult {
        let (target, source) = (self.context.memories.at(to.memory)?, self.context.hosts.at(from.memory)?);
        self.copy(queue, (&target, to.offset), (&source, from.offset), bytes)
    }

    /// Queues a copy from the device to the host.
    pub(super) fn read(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> DeviceResult {
        let (target, source) = (self.context.hosts.at(to.memory)?, self.context.memories.at(from.memory)?);
        self.copy(queue, (&target, to.offset), (&source, from.offset), bytes)
    }

    /// Queues a copy between memories of devices of the context.
    pub(super) fn copy_between(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> DeviceResult {
        let (target, source) = (self.context.memories.at(to.memory)?, self.context.memories.at(from.memory)?);
        self.copy(queue, (&target, to.offset), (&source, from.offset), bytes)
    }

    /// Queues a copy between this device's memory and another's: by an engine for copies alone where the device has one, else by an
    /// engine that runs kernels too; or by a kernel.
    pub(super) fn copy_beside(&self, queue: ObjectHandle, copy: PeerCopy) -> DeviceResult {
        self.peer(copy.peer_index)?;
        if !self.reaches(copy.peer_index) {
            return Err(DeviceError::Unsupported(format!(
                "{} cannot use the memory of ze{}, and Level Zero copies by no other way",
                self.facts.id(),
                copy.peer_index
            )));
        }
        let (to, from) = match copy.access {
            PeerAccess::Read => (copy.own, copy.theirs),
            PeerAccess::Write => (copy.theirs, copy.own),
        };
        let (target, source) = (self.context.memories.at(to.memory)?, self.context.memories.at(from.memory)?);
        let queue = self.queues.at(queue)?;
        match copy.mover {
            Mover::Kernel => self.copy_by_kernel(&queue, (&target, to.offset), (&source, from.offset), copy.bytes),
            Mover::Engine => {
                queue.take_turn(EngineKind::Copying)?;
                self.append_copy(&queue, (&target, to.offset), (&source, from.offset), copy.bytes)
            }
        }
    }

    fn copy(
        &self,
        queue: ObjectHandle,
        (target, to): (&Arc<Memory>, usize),
        (source, from): (&Arc<Memory>, usize),
        bytes: usize,
    ) -> DeviceResult {
        let queue = self.queues.at(queue)?;
        if target.is_mapped() || source.is_mapped() {
            return self.copy_by_kernel(&queue, (target, to), (source, from), bytes);
        }
        queue.take_turn(EngineKind::Computing)?;
        self.append_copy(&queue, (target, to), (source, from), bytes)
    }

    /// Appends a copy call to the list whose turn it is.
    fn append_copy(
        &self,
        queue: &Queue,
        (target, to): (&Arc<Memory>, usize),
        (source, from): (&Arc<Memory>, usize),
        bytes: usize,
    ) -> DeviceResult {
        let (to_at, from_at) = (target.at(to, bytes)?, source.at(from, bytes)?);
        if bytes == 0 {
            return Ok(());
        }
        let (to_at, from_at): (*mut c_void, *const c_void) = (to_at.cast(), from_at.cast_const().cast());
        let (none, no_events) = (std::ptr::null_mut(), std::ptr::null());
        queue.append(&[target, source], |list| {
            call!(self.context.api, append_copy(list, to_at, from_at, bytes, none, 0, no_events))
        })
    }

    /// Queues that bytes of a memory become `byte`.
    pub(super) fn set(&self, queue: ObjectHandle, to: Span, byte: u8, bytes: usize) -> DeviceResult {
        let queue = self.queues.at(queue)?;
        let memory = self.context.memories.at(to.memory)?;
        let at: *mut c_void = memory.at(to.offset, bytes)?.cast();
        if bytes == 0 {
            return Ok(());
        }
        queue.take_turn(EngineKind::Computing)?;
        let pattern: *const c_void = (&raw const byte).cast();
        let (none, no_events) = (std::ptr::null_mut(), std::ptr::null());
        queue.append(&[&memory], |list| {
            call!(self.context.api, append_fill(list, at, pattern, 1, bytes, none, 0, no_events))
        })
    }

    /// Copies by the widest elements that both addresses allow, and the rest by bytes.
    fn copy_by_kernel(
        &self,
        queue: &Queue,
        (target, to): (&Arc<Memory>, usize),
        (source, from): (&Arc<Memory>, usize),
        bytes: usize,
    ) -> DeviceResult {
        let together = target.at(to, bytes)?.addr() | source.at(from, bytes)?.addr();
        let width = [16, 4].into_iter().find(|width| together.is_multiple_of(*width)).unwrap_or(1);
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
            let number = |number: usize| KernelArgument::word64((number as i64).to_ne_bytes());
            let values = [
                KernelArgument::Memory(Arc::clone(target), to + begin),
                number(0),
                KernelArgument::Memory(Arc::clone(source), from + begin),
                number(0),
                number(bytes / width),
            ];
            let blocks = ((bytes / width) as u64).div_ceil(self.group());
            kernel.launch(queue, Grid { blocks, threads: self.group() as u32, shared_bytes: 0 }, &values)?;
        }
        Ok(())
    }

    fn group(&self) -> u64 {
        GROUP.min(u64::from(self.block_max.max(1)))
    }

    /// The device of that number, where it was opened together with this one and has the same driver.
    pub(super) fn peer(&self, index: u32) -> DeviceResult<Handle> {
        let peer = self.context.members.iter().find(|(member, _)| *member == index && index != self.facts.index);
        peer.map(|(_, handle)| *handle).ok_or_else(|| {
            DeviceError::Unsupported(format!(
                "ze{index} was not opened together with {}, or has another driver",
                self.facts.id()
            ))
        })
    }

    /// Whether this device reads the memory of the device of that number.
    pub(super) fn reaches(&self, index: u32) -> bool {
        let Ok(peer) = self.peer(index) else { return false };
        let mut can = 0;
        let asked = call!(self.context.api, device_can_access_peer(self.handle.0, peer.0, &raw mut can));
        asked.is_ok() && can != 0
    }
}
