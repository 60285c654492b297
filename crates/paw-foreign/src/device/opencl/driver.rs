//! An OpenCL device as a [`Driver`].

use std::sync::Arc;

use super::device::{Named, OpenClDevice};
use super::embedded;
use super::host::HostMemory;
use super::programs::{KernelArgument, Program};
use super::queues::{self, Gate, Queue};
use super::remarks;
use crate::device::driver::{Driver, missing};
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::facts::{Capabilities, DeviceFacts, HostKind};
use crate::device::gemm::{GemmKind, GemmOperands};
use crate::device::peer::{Mover, PeerAccess, PeerCopy};
use crate::device::program::{Argument, Builtin, Grid, KernelFacts, Source};
use crate::device::span::{ObjectHandle, Span};

impl Driver for OpenClDevice {
    fn facts(&self) -> &DeviceFacts {
        &self.facts
    }

    fn caps(&self) -> Capabilities {
        Capabilities { marks: true, gate: true, pool: false, mapped: true }
    }

    fn remarks(&self) -> Vec<String> {
        remarks::remarks()
    }

    fn alloc(&self, bytes: usize) -> DeviceResult<ObjectHandle> {
        self.buffer(bytes)
    }

    fn free(&self, memory: ObjectHandle) -> DeviceResult {
        self.context.buffers.remove(memory).map(drop)
    }

    fn pool_alloc(&self, _queue: ObjectHandle, _bytes: usize) -> DeviceResult<ObjectHandle> {
        Err(no_pool())
    }

    fn pool_free(&self, _queue: ObjectHandle, _memory: ObjectHandle) -> DeviceResult {
        Err(no_pool())
    }

    fn host_alloc(&self, bytes: usize, kind: HostKind) -> DeviceResult<ObjectHandle> {
        Ok(self.context.hosts.insert(Arc::new(HostMemory::new(
            self.context.api,
            &self.context.raw,
            &self.service,
            bytes,
            kind,
        )?)))
    }

    fn host_free(&self, host: ObjectHandle) -> DeviceResult {
        self.context.hosts.remove(host).map(drop)
    }

    fn host_write(&self, to: Span, bytes: &[u8]) -> DeviceResult {
        self.context.hosts.at(to.memory)?.write(to.offset, bytes)
    }

    fn host_read(&self, from: Span, bytes: &mut [u8]) -> DeviceResult {
        self.context.hosts.at(from.memory)?.read(from.offset, bytes)
    }

    fn queue(&self) -> DeviceResult<ObjectHandle> {
        Ok(self.queues.insert(Arc::new(Queue::new(&self.context, self.id)?)))
    }

    fn queue_free(&self, queue: ObjectHandle) -> DeviceResult {
        let queue = self.queues.remove(queue)?;
        drop(self.gates.remove_all(|gate| gate.is_before(&queue)));
        queue.sync()
    }

    fn flush(&self, queue: ObjectHandle) -> DeviceResult {
        self.queues.at(queue)?.flush()
    }

    fn sync(&self, queue: ObjectHandle) -> DeviceResult {
        self.queues.at(queue)?.sync()
    }

    fn copy_in(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> DeviceResult {
        self.write(queue, to, from, bytes)
    }

    fn copy_out(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> DeviceResult {
        self.read(queue, to, from, bytes)
    }

    fn copy_within(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> DeviceResult {
        self.copy(queue, to, from, bytes)
    }

    fn can_reach(&self, peer_index: u32) -> bool {
        self.context.members.contains(&peer_index)
    }

    fn copy_from_peer(&self, queue: ObjectHandle, to: Span, peer_index: u32, from: Span, bytes: usize) -> DeviceResult {
        let (access, mover) = (PeerAccess::Read, Mover::Engine);
        self.copy_with_peer(queue, PeerCopy { own: to, peer_index, theirs: from, bytes, access, mover })
    }

    fn copy_with_peer(&self, queue: ObjectHandle, copy: PeerCopy) -> DeviceResult {
        let PeerCopy { own, peer_index, theirs, bytes, access, mover } = copy;
        if mover == Mover::Kernel {
            let why =
                "OpenCL moves a buffer to the device whose kernel uses it: kernels use no memory of another device";
            return Err(DeviceError::Unsupported(why.to_owned()));
        }
        if !self.can_reach(peer_index) {
            let (id, peer) = (self.facts.id(), format!("opencl{peer_index}"));
            let why =
                format!("{id} does not reach {peer}: they were not opened together, or are of different platforms");
            return Err(DeviceError::Unsupported(why));
        }
        match access {
            PeerAccess::Read => self.copy(queue, own, theirs, bytes),
            PeerAccess::Write => self.copy(queue, theirs, own, bytes),
        }
    }

    fn fill(&self, queue: ObjectHandle, to: Span, byte: u8, bytes: usize) -> DeviceResult {
        self.set(queue, to, byte, bytes)
    }

    fn mark(&self, queue: ObjectHandle) -> DeviceResult<ObjectHandle> {
        Ok(self.marks.insert(Arc::new(self.queues.at(queue)?.mark()?)))
    }

    fn elapsed_s(&self, from: ObjectHandle, to: ObjectHandle) -> DeviceResult<f64> {
        queues::elapsed_s(self.context.api, &*self.marks.at(from)?, &*self.marks.at(to)?)
    }

    fn mark_free(&self, mark: ObjectHandle) -> DeviceResult {
        self.marks.remove(mark).map(drop)
    }

    fn gate(&self, queue: ObjectHandle) -> DeviceResult<ObjectHandle> {
        Ok(self.gates.insert(Arc::new(Gate::new(&self.context, self.queues.at(queue)?)?)))
    }

    fn open_gate(&self, gate: ObjectHandle) -> DeviceResult {
        // A gate that is not in the table was opened before.
        drop(self.gates.remove(gate));
        Ok(())
    }

    fn compile(&self, source: &Source) -> DeviceResult<(ObjectHandle, String)> {
        let (program, log) = Program::build(&self.context, self.id, source)?;
        Ok((self.programs.insert(Arc::new(program)), log))
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
        let kernel = match which {
            Builtin::Matrix(_) => return Err(missing("OpenCL", which)),
            Builtin::Fma(_) | Builtin::Intensity(_) => self.arithmetic(which),
            _ => self.own(which.name()),
        };
        let kernel = kernel.map_err(|error| match (which, error) {
            (Builtin::Update, DeviceError::Absent(_)) => DeviceError::Unsupported(format!(
                "{} has no atomic operations on 64 bits (cl_khr_int64_extended_atomics)",
                self.facts.id()
            )),
            (_, error) => error,
        })?;
        Ok(self.kernels.insert(Arc::new(Named { program: 0, kernel })))
    }

    fn elements_per_thread(&self, which: Builtin) -> u64 {
        embedded::elements_per_thread(which, self.facts.fp64)
    }

    fn kernel_facts(&self, kernel: ObjectHandle, _block: u32, _shared_bytes: u32) -> DeviceResult<KernelFacts> {
        Ok(self.kernels.at(kernel)?.kernel.facts(self.id, self.facts.kind))
    }

    fn launch(&self, queue: ObjectHandle, kernel: ObjectHandle, grid: Grid, arguments: &[Argument]) -> DeviceResult {
        let (queue, named) = (self.queues.at(queue)?, self.kernels.at(kernel)?);
        let values: DeviceResult<Vec<KernelArgument>> =
            arguments.iter().map(|argument| self.value(*argument)).collect();
        named.kernel.launch(&queue, grid, &values?)
    }

    fn gemm_plan(&self, queue: ObjectHandle, kind: GemmKind, n: usize) -> DeviceResult<(ObjectHandle, String)> {
        self.queues.at(queue)?;
        let plan = self.plan(kind, n)?;
        let by = plan.by();
        Ok((self.plans.insert(Arc::new(plan)), by))
    }

    fn gemm(&self, queue: ObjectHandle, plan: ObjectHandle, operands: GemmOperands) -> DeviceResult {
        self.multiply(&*self.queues.at(queue)?, &*self.plans.at(plan)?, operands)
    }

    fn gemm_plan_free(&self, plan: ObjectHandle) -> DeviceResult {
        self.plans.remove(plan).map(drop)
    }

    fn gemv(&self, queue: ObjectHandle, kind: GemmKind, n: usize, operands: GemmOperands) -> DeviceResult<String> {
        let plan = self.plan(kind, n)?;
        if plan.reads_result() {
            self.set(queue, operands.c, 0, n.saturating_mul(kind.output().bytes()))?;
        }
        self.multiply_vector(&*self.queues.at(queue)?, &plan, operands)?;
        Ok(plan.by())
    }

    fn peak_per_clock(&self, _kind: GemmKind) -> Option<f64> {
        None
    }
}

impl OpenClDevice {
    fn value(&self, argument: Argument) -> DeviceResult<KernelArgument> {
        Ok(match argument {
            Argument::Memory(handle) => KernelArgument::Buffer(self.memory(handle)?),
            Argument::I32(number) => KernelArgument::word32(number.to_ne_bytes()),
            Argument::I64(number) => KernelArgument::word64(number.to_ne_bytes()),
            Argument::F32(number) => KernelArgument::word32(number.to_ne_bytes()),
            Argument::F64(number) => KernelArgument::word64(number.to_ne_bytes()),
        })
    }
}

fn no_pool() -> DeviceError {
    DeviceError::Unsupported("OpenCL has no pool of memory in the order of a queue; allocate without one".to_owned())
}
