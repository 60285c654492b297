//! A Level Zero device as a [`Driver`].

use std::sync::Arc;

use super::device::{Named, ZeDevice};
use super::gates::Gate;
use super::memory::Memory;
use super::modules::{KernelArgument, Module};
use super::{ocloc, remarks};
use crate::device::driver::Driver;
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::facts::{Capabilities, DeviceFacts, DeviceState, HostKind};
use crate::device::gemm::{GemmKind, GemmOperands};
use crate::device::opencl;
use crate::device::peer::{Mover, PeerAccess, PeerCopy};
use crate::device::program::{Argument, Builtin, Grid, KernelFacts, Source};
use crate::device::span::{ObjectHandle, Span};

impl Driver for ZeDevice {
    fn facts(&self) -> &DeviceFacts {
        &self.facts
    }

    fn caps(&self) -> Capabilities {
        Capabilities { marks: true, gate: true, pool: false, mapped: true }
    }

    fn state(&self) -> DeviceState {
        self.sysman.state()
    }

    fn remarks(&self) -> Vec<String> {
        remarks::remarks()
    }

    fn alloc(&self, bytes: usize) -> DeviceResult<ObjectHandle> {
        let memory = Memory::of_device(self.context.owner(), self.handle, bytes)?;
        Ok(self.context.memories.insert(Arc::new(memory)))
    }

    fn free(&self, memory: ObjectHandle) -> DeviceResult {
        self.context.memories.remove(memory).map(drop)
    }

    fn pool_alloc(&self, _queue: ObjectHandle, _bytes: usize) -> DeviceResult<ObjectHandle> {
        Err(no_pool())
    }

    fn pool_free(&self, _queue: ObjectHandle, _memory: ObjectHandle) -> DeviceResult {
        Err(no_pool())
    }

    fn host_alloc(&self, bytes: usize, kind: HostKind) -> DeviceResult<ObjectHandle> {
        Ok(self.context.hosts.insert(Arc::new(Memory::of_host(self.context.owner(), bytes, kind)?)))
    }

    fn host_free(&self, host: ObjectHandle) -> DeviceResult {
        self.context.hosts.remove(host).map(drop)
    }

    fn address_of(&self, memory: ObjectHandle) -> DeviceResult<usize> {
        Ok(self.context.memories.at(memory)?.address())
    }

    fn host_write(&self, to: Span, bytes: &[u8]) -> DeviceResult {
        self.context.hosts.at(to.memory)?.write(to.offset, bytes)
    }

    fn host_read(&self, from: Span, bytes: &mut [u8]) -> DeviceResult {
        self.context.hosts.at(from.memory)?.read(from.offset, bytes)
    }

    fn queue(&self) -> DeviceResult<ObjectHandle> {
        self.queue_new()
    }

    fn queue_free(&self, queue: ObjectHandle) -> DeviceResult {
        self.queues.remove(queue).map(drop)
    }

    fn flush(&self, queue: ObjectHandle) -> DeviceResult {
        // An immediate command list submits at once.
        self.queues.at(queue).map(drop)
    }

    fn sync(&self, queue: ObjectHandle) -> DeviceResult {
        self.queues.at(queue)?.sync()
    }

    #[inline]
    fn copy_in(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> DeviceResult {
        self.write(queue, to, from, bytes)
    }

    #[inline]
    fn copy_out(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> DeviceResult {
        self.read(queue, to, from, bytes)
    }

    fn copy_within(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> DeviceResult {
        self.copy_between(queue, to, from, bytes)
    }

    fn can_reach(&self, peer_index: u32) -> bool {
        self.reaches(peer_index)
    }

    fn copy_from_peer(&self, queue: ObjectHandle, to: Span, peer_index: u32, from: Span, bytes: usize) -> DeviceResult {
        let (access, mover) = (PeerAccess::Read, Mover::Engine);
        self.copy_beside(queue, PeerCopy { own: to, peer_index, theirs: from, bytes, access, mover })
    }

    fn copy_with_peer(&self, queue: ObjectHandle, copy: PeerCopy) -> DeviceResult {
        self.copy_beside(queue, copy)
    }

    fn kernels_reach(&self, peer_index: u32) -> bool {
        self.reaches(peer_index)
    }

    fn fill(&self, queue: ObjectHandle, to: Span, byte: u8, bytes: usize) -> DeviceResult {
        self.set(queue, to, byte, bytes)
    }

    fn mark(&self, queue: ObjectHandle) -> DeviceResult<ObjectHandle> {
        self.mark_new(queue)
    }

    fn elapsed_s(&self, from: ObjectHandle, to: ObjectHandle) -> DeviceResult<f64> {
        self.between_s(from, to)
    }

    fn mark_free(&self, mark: ObjectHandle) -> DeviceResult {
        self.marks.remove(mark).map(drop)
    }

    fn gate(&self, queue: ObjectHandle) -> DeviceResult<ObjectHandle> {
        let queue = self.queues.at(queue)?;
        Ok(self.gates.closed(Gate::close(self.context.api, &self.plain, queue)?))
    }

    fn open_gate(&self, gate: ObjectHandle) -> DeviceResult {
        self.gates.open(gate)
    }

    fn compile(&self, source: &Source) -> DeviceResult<(ObjectHandle, String)> {
        let (words, said, flags) = if source.words.is_empty() {
            let (words, said) = ocloc::compile(source, self.product)?;
            (words, said, String::new())
        } else {
            (source.words.clone(), String::new(), source.options.join(" "))
        };
        let (module, log) = Module::build(&self.context, self.handle, &words, &flags)?;
        let log = [said, log].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
        Ok((self.programs.insert(Arc::new(module)), log))
    }

    fn program_free(&self, program: ObjectHandle) -> DeviceResult {
        drop(self.kernels.remove_all(|named| named.program == program));
        self.programs.remove(program).map(drop)
    }

    fn kernel(&self, program: ObjectHandle, name: &str) -> DeviceResult<ObjectHandle> {
        let kernel = self.programs.at(program)?.kernel(name)?;
        Ok(self.kernels.insert(Arc::new(Named { program, kernel: Arc::new(kernel) })))
    }

    fn builtin(&self, which: Builtin) -> DeviceResult<ObjectHandle> {
        let kernel = self.embedded(which)?;
        Ok(self.kernels.insert(Arc::new(Named { program: 0, kernel })))
    }

    fn elements_per_thread(&self, which: Builtin) -> u64 {
        opencl::elements_per_thread(which, self.facts.fp64)
    }

    fn kernel_facts(&self, kernel: ObjectHandle, _block: u32, _shared_bytes: u32) -> DeviceResult<KernelFacts> {
        Ok(self.kernels.at(kernel)?.kernel.facts(self.block_max))
    }

    fn launch(&self, queue: ObjectHandle, kernel: ObjectHandle, grid: Grid, arguments: &[Argument]) -> DeviceResult {
        let (queue, named) = (self.queues.at(queue)?, self.kernels.at(kernel)?);
        let values = arguments.iter().map(|argument| self.value(*argument)).collect::<DeviceResult<Vec<_>>>()?;
        named.kernel.launch(&queue, grid, &values)
    }

    fn gemm_plan(&self, queue: ObjectHandle, kind: GemmKind, n: usize) -> DeviceResult<(ObjectHandle, String)> {
        self.queues.at(queue)?;
        let plan = self.plan(kind, n)?;
        Ok((self.plans.insert(Arc::new(plan)), self.multiplier()))
    }

    fn gemm(&self, queue: ObjectHandle, plan: ObjectHandle, operands: GemmOperands) -> DeviceResult {
        self.multiply(&*self.queues.at(queue)?, &*self.plans.at(plan)?, operands)
    }

    fn gemm_plan_free(&self, plan: ObjectHandle) -> DeviceResult {
        self.plans.remove(plan).map(drop)
    }

    fn gemv(&self, queue: ObjectHandle, kind: GemmKind, n: usize, operands: GemmOperands) -> DeviceResult<String> {
        let plan = self.plan(kind, n)?;
        self.multiply_vector(&*self.queues.at(queue)?, &plan, operands)?;
        Ok(self.multiplier())
    }

    fn peak_per_clock(&self, _kind: GemmKind) -> Option<f64> {
        None
    }
}

impl ZeDevice {
    fn value(&self, argument: Argument) -> DeviceResult<KernelArgument> {
        Ok(match argument {
            Argument::Memory(handle) => KernelArgument::Memory(self.memory(handle)?, 0),
            Argument::I32(number) => KernelArgument::word32(number.to_ne_bytes()),
            Argument::I64(number) => KernelArgument::word64(number.to_ne_bytes()),
            Argument::F32(number) => KernelArgument::word32(number.to_ne_bytes()),
            Argument::F64(number) => KernelArgument::word64(number.to_ne_bytes()),
        })
    }
}

fn no_pool() -> DeviceError {
    DeviceError::Unsupported(
        "Level Zero has no pool of memory in the order of a queue; allocate without one".to_owned(),
    )
}
