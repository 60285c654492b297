//! A HIP device as a [`Driver`]: every call is forwarded.

use std::path::Path;

use super::context::Hip;
use super::{hwmon, kernels, peaks, remarks};
use crate::device::driver::Driver;
use crate::device::error::DeviceResult;
use crate::device::facts::{Capabilities, DeviceFacts, DeviceState, HostKind};
use crate::device::gemm::{GemmKind, GemmOperands};
use crate::device::program::{Argument, Builtin, Grid, KernelFacts, Source};
use crate::device::span::{ObjectHandle, Span};

impl Driver for Hip {
    fn facts(&self) -> &DeviceFacts {
        &self.facts
    }

    fn caps(&self) -> Capabilities {
        self.caps
    }

    fn state(&self) -> DeviceState {
        self.facts.bus_id.as_deref().map(|id| hwmon::state(Path::new("/"), id)).unwrap_or_default()
    }

    fn remarks(&self) -> Vec<String> {
        remarks::remarks(self)
    }

    fn alloc(&self, bytes: usize) -> DeviceResult<ObjectHandle> {
        self.memory(bytes)
    }

    fn free(&self, memory: ObjectHandle) -> DeviceResult {
        self.memory_free(memory)
    }

    fn pool_alloc(&self, queue: ObjectHandle, bytes: usize) -> DeviceResult<ObjectHandle> {
        self.pooled(queue, bytes)
    }

    fn pool_free(&self, queue: ObjectHandle, memory: ObjectHandle) -> DeviceResult {
        self.pooled_free(queue, memory)
    }

    fn host_alloc(&self, bytes: usize, kind: HostKind) -> DeviceResult<ObjectHandle> {
        self.host_memory(bytes, kind)
    }

    fn host_free(&self, host: ObjectHandle) -> DeviceResult {
        self.host_memory_free(host)
    }

    fn host_write(&self, to: Span, bytes: &[u8]) -> DeviceResult {
        self.write(to, bytes)
    }

    fn host_read(&self, from: Span, bytes: &mut [u8]) -> DeviceResult {
        self.read(from, bytes)
    }

    fn queue(&self) -> DeviceResult<ObjectHandle> {
        self.queue_new()
    }

    fn queue_free(&self, queue: ObjectHandle) -> DeviceResult {
        self.queue_drop(queue)
    }

    fn flush(&self, queue: ObjectHandle) -> DeviceResult {
        // A stream submits at once.
        self.stream(queue).map(|_| ())
    }

    #[inline]
    fn sync(&self, queue: ObjectHandle) -> DeviceResult {
        self.queue_sync(queue)
    }

    #[inline]
    fn copy_in(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> DeviceResult {
        self.copy_from_host(queue, to, from, bytes)
    }

    #[inline]
    fn copy_out(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> DeviceResult {
        self.copy_to_host(queue, to, from, bytes)
    }

    fn copy_within(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> DeviceResult {
        self.copy_inside(queue, to, from, bytes)
    }

    fn can_reach(&self, peer_index: u32) -> bool {
        self.reaches(peer_index)
    }

    fn copy_from_peer(&self, queue: ObjectHandle, to: Span, peer_index: u32, from: Span, bytes: usize) -> DeviceResult {
        self.copy_from_other(queue, to, peer_index, from, bytes)
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
        self.mark_drop(mark)
    }

    fn gate(&self, queue: ObjectHandle) -> DeviceResult<ObjectHandle> {
        self.gate_close(queue)
    }

    fn open_gate(&self, gate: ObjectHandle) -> DeviceResult {
        self.gates.as_ref().map_err(Clone::clone)?.open(gate)
    }

    fn compile(&self, source: &Source) -> DeviceResult<(ObjectHandle, String)> {
        self.program(source)
    }

    fn program_free(&self, program: ObjectHandle) -> DeviceResult {
        self.program_drop(program)
    }

    fn kernel(&self, program: ObjectHandle, name: &str) -> DeviceResult<ObjectHandle> {
        self.kernel_of(program, name)
    }

    fn builtin(&self, which: Builtin) -> DeviceResult<ObjectHandle> {
        self.embedded_kernel(which)
    }

    fn elements_per_thread(&self, which: Builtin) -> u64 {
        kernels::elements_per_thread(which)
    }

    fn kernel_facts(&self, kernel: ObjectHandle, block: u32, shared_bytes: u32) -> DeviceResult<KernelFacts> {
        self.facts_of(kernel, block, shared_bytes)
    }

    #[inline]
    fn launch(&self, queue: ObjectHandle, kernel: ObjectHandle, grid: Grid, arguments: &[Argument]) -> DeviceResult {
        self.start_kernel(queue, kernel, grid, arguments)
    }

    fn gemm_plan(&self, queue: ObjectHandle, kind: GemmKind, n: usize) -> DeviceResult<(ObjectHandle, String)> {
        self.plan_new(queue, kind, n)
    }

    fn gemm(&self, queue: ObjectHandle, plan: ObjectHandle, operands: GemmOperands) -> DeviceResult {
        self.multiply(queue, plan, operands)
    }

    fn gemm_plan_free(&self, plan: ObjectHandle) -> DeviceResult {
        self.plan_drop(plan)
    }

    fn gemv(&self, queue: ObjectHandle, kind: GemmKind, n: usize, operands: GemmOperands) -> DeviceResult<String> {
        self.multiply_vector(queue, kind, n, operands)
    }

    fn peak_per_clock(&self, kind: GemmKind) -> Option<f64> {
        peaks::per_clock(self.architecture.as_deref()?, self.facts.units, kind)
    }
}
