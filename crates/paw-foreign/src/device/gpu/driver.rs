//! A device as a [`Driver`]: every call is forwarded.

use super::{Gpu, Vendor};
use crate::device::driver::Driver;
use crate::device::error::DeviceResult;
use crate::device::facts::{Capabilities, DeviceFacts, DeviceState, HostKind};
use crate::device::gemm::{GemmKind, GemmMath, GemmOperands};
use crate::device::managed::Side;
use crate::device::peer::{LinkLimit, Mover, PeerAccess, PeerCopy};
use crate::device::program::{Argument, Builtin, FmaKind, Grid, KernelFacts, Source};
use crate::device::span::{ObjectHandle, Span};

impl<V: Vendor> Driver for Gpu<V> {
    fn facts(&self) -> &DeviceFacts {
        &self.facts
    }

    fn caps(&self) -> Capabilities {
        self.caps
    }

    fn state(&self) -> DeviceState {
        V::state(self)
    }

    fn remarks(&self) -> Vec<String> {
        V::remarks(self)
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

    fn managed_alloc(&self, bytes: usize) -> DeviceResult<ObjectHandle> {
        V::managed(self, bytes)
    }

    fn prefetch(&self, queue: ObjectHandle, host: ObjectHandle, to: Side) -> DeviceResult {
        V::prefetch(self, queue, host, to)
    }

    fn address_of(&self, memory: ObjectHandle) -> DeviceResult<usize> {
        Ok(self.address(Span { memory, offset: 0 }, 0)? as usize)
    }

    fn stream_of(&self, queue: ObjectHandle) -> DeviceResult<usize> {
        self.current()?;
        Ok(self.stream(queue)?.expose_provenance())
    }

    fn host_address_of(&self, host: ObjectHandle) -> DeviceResult<usize> {
        Ok(self.host(Span { memory: host, offset: 0 }, 0)?.0.expose_provenance())
    }

    fn host_touch(&self, host: ObjectHandle) -> DeviceResult {
        self.touch(host)
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
        let (access, mover) = (PeerAccess::Read, Mover::Engine);
        self.copy_beside(queue, PeerCopy { own: to, peer_index, theirs: from, bytes, access, mover })
    }

    #[inline]
    fn copy_with_peer(&self, queue: ObjectHandle, copy: PeerCopy) -> DeviceResult {
        self.copy_beside(queue, copy)
    }

    fn kernels_reach(&self, peer_index: u32) -> bool {
        self.reaches(peer_index) && self.embedded.is_ok()
    }

    fn link_to_host(&self) -> Option<LinkLimit> {
        V::link_to_host(self)
    }

    fn link_to_peer(&self, peer_index: u32) -> Option<LinkLimit> {
        V::link_to_peer(self, peer_index)
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
        V::elements_per_thread(which)
    }

    fn kernel_facts(&self, kernel: ObjectHandle, block: u32, shared_bytes: u32) -> DeviceResult<KernelFacts> {
        self.facts_of(kernel, block, shared_bytes)
    }

    #[inline]
    fn launch(&self, queue: ObjectHandle, kernel: ObjectHandle, grid: Grid, arguments: &[Argument]) -> DeviceResult {
        self.start_kernel(queue, kernel, grid, arguments)
    }

    fn gemm_plan(&self, queue: ObjectHandle, kind: GemmKind, n: usize) -> DeviceResult<(ObjectHandle, String)> {
        self.plan_new(queue, kind, GemmMath::Default, n)
    }

    fn gemm_plan_by(
        &self,
        queue: ObjectHandle,
        kind: GemmKind,
        math: GemmMath,
        n: usize,
    ) -> DeviceResult<(ObjectHandle, String)> {
        self.plan_new(queue, kind, math, n)
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
        V::peak_per_clock(self, kind)
    }

    fn vector_peak_per_clock(&self, kind: FmaKind) -> Option<f64> {
        V::vector_peak_per_clock(self, kind)
    }

    fn matrix_peak_per_clock(&self, kind: GemmKind) -> Option<f64> {
        V::matrix_peak_per_clock(self, kind)
    }
}
