//! A CUDA device as a [`Driver`]: each call goes to the room that does it.

use super::context::Cuda;
use super::peaks;
use super::{nvml, remarks};
use crate::device::driver::{Driver, Handle, Span};
use crate::device::error::DeviceError;
use crate::device::facts::{Caps, Facts, HostKind, State};
use crate::device::gemm::{Gemm, GemmKind};
use crate::device::program::{Argument, Builtin, Grid, KernelFacts, Source};

type Done<T = ()> = Result<T, DeviceError>;

impl Driver for Cuda {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn caps(&self) -> Caps {
        self.caps
    }

    fn state(&self) -> State {
        self.facts.bus_id.as_deref().map(nvml::state).unwrap_or_default()
    }

    fn remarks(&self) -> Vec<String> {
        remarks::remarks(self)
    }

    fn alloc(&self, bytes: usize) -> Done<Handle> {
        self.memory(bytes)
    }

    fn free(&self, memory: Handle) -> Done {
        self.memory_free(memory)
    }

    fn pool_alloc(&self, queue: Handle, bytes: usize) -> Done<Handle> {
        self.pooled(queue, bytes)
    }

    fn pool_free(&self, queue: Handle, memory: Handle) -> Done {
        self.pooled_free(queue, memory)
    }

    fn host_alloc(&self, bytes: usize, kind: HostKind) -> Done<Handle> {
        self.host_memory(bytes, kind)
    }

    fn host_free(&self, host: Handle) -> Done {
        self.host_memory_free(host)
    }

    fn host_write(&self, to: Span, bytes: &[u8]) -> Done {
        self.write(to, bytes)
    }

    fn host_read(&self, from: Span, bytes: &mut [u8]) -> Done {
        self.read(from, bytes)
    }

    fn queue(&self) -> Done<Handle> {
        self.queue_new()
    }

    fn queue_free(&self, queue: Handle) -> Done {
        self.queue_drop(queue)
    }

    fn flush(&self, queue: Handle) -> Done {
        // A stream hands over at once.
        self.stream(queue).map(|_| ())
    }

    #[inline]
    fn sync(&self, queue: Handle) -> Done {
        self.queue_sync(queue)
    }

    #[inline]
    fn copy_in(&self, queue: Handle, to: Span, from: Span, bytes: usize) -> Done {
        self.copy_from_host(queue, to, from, bytes)
    }

    #[inline]
    fn copy_out(&self, queue: Handle, to: Span, from: Span, bytes: usize) -> Done {
        self.copy_to_host(queue, to, from, bytes)
    }

    fn copy_within(&self, queue: Handle, to: Span, from: Span, bytes: usize) -> Done {
        self.copy_inside(queue, to, from, bytes)
    }

    fn can_reach(&self, peer_index: u32) -> bool {
        self.reaches(peer_index)
    }

    fn copy_from_peer(&self, queue: Handle, to: Span, peer_index: u32, from: Span, bytes: usize) -> Done {
        self.copy_from_other(queue, to, peer_index, from, bytes)
    }

    fn fill(&self, queue: Handle, to: Span, byte: u8, bytes: usize) -> Done {
        self.set(queue, to, byte, bytes)
    }

    fn mark(&self, queue: Handle) -> Done<Handle> {
        self.mark_new(queue)
    }

    fn elapsed_s(&self, from: Handle, to: Handle) -> Done<f64> {
        self.between_s(from, to)
    }

    fn mark_free(&self, mark: Handle) -> Done {
        self.mark_drop(mark)
    }

    fn gate(&self, queue: Handle) -> Done<Handle> {
        self.gates.as_ref().map_err(Clone::clone)?.close(self, queue)
    }

    fn open_gate(&self, gate: Handle) -> Done {
        self.gates.as_ref().map_err(Clone::clone)?.open(gate)
    }

    fn compile(&self, source: &Source) -> Done<(Handle, String)> {
        self.program(source)
    }

    fn program_free(&self, program: Handle) -> Done {
        self.program_drop(program)
    }

    fn kernel(&self, program: Handle, name: &str) -> Done<Handle> {
        self.kernel_of(program, name)
    }

    fn builtin(&self, which: Builtin) -> Done<Handle> {
        self.brought.as_ref().map_err(Clone::clone)?.builtin(which)
    }

    fn kernel_facts(&self, kernel: Handle, block: u32) -> Done<KernelFacts> {
        self.facts_of(kernel, block)
    }

    #[inline]
    fn launch(&self, queue: Handle, kernel: Handle, grid: Grid, arguments: &[Argument]) -> Done {
        self.start_kernel(queue, kernel, grid, arguments)
    }

    fn gemm_plan(&self, queue: Handle, kind: GemmKind, n: usize) -> Done<(Handle, String)> {
        self.blas.plan(self, queue, kind, n)
    }

    fn gemm(&self, queue: Handle, plan: Handle, operands: Gemm) -> Done {
        self.blas.gemm(self, queue, plan, operands)
    }

    fn gemm_plan_free(&self, plan: Handle) -> Done {
        self.blas.plan_free(self, plan)
    }

    fn gemv(&self, queue: Handle, kind: GemmKind, n: usize, operands: Gemm) -> Done<String> {
        self.blas.gemv(self, queue, kind, n, operands)
    }

    fn peak_per_clock(&self, kind: GemmKind) -> Option<f64> {
        peaks::per_clock(self.facts.compute?, self.facts.units, &self.facts.name, kind)
    }
}
