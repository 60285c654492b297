//! What a back-end does: calls on plain numbers, all of them safe to make.

use super::error::DeviceResult;
use super::facts::{Capabilities, DeviceFacts, DeviceState, HostKind};
use super::gemm::{GemmKind, GemmOperands};
use super::program::{Argument, Builtin, Grid, KernelFacts, Source};
use super::span::{ObjectHandle, Span};

/// One device through one back-end. Memory of the host is made here as well and never lent, so that no call can be given an
/// address that is not one: a transfer in flight may change it at any time.
///
/// An implementation holds every handle it gave out in tables of its own and refuses numbers that it does not know; sizes are held
/// against allocations by [`super::Device`]. All calls may come from any thread. Copies, fills, launches and marks are queued
/// and return before they are done, where the interface allows that; what the interface itself makes wait (pageable memory) waits.
pub trait Driver: Send + Sync {
    /// What the device is.
    fn facts(&self) -> &DeviceFacts;
    /// What it can be asked to do.
    fn caps(&self) -> Capabilities;
    /// What it tells of itself now. Nothing, where nobody tells.
    fn state(&self) -> DeviceState {
        DeviceState::default()
    }
    /// Sentences for the record: which environment or setting changes its numbers. Nothing by default.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// Memory on the device: `cuMemAlloc`, `clCreateBuffer`.
    fn alloc(&self, bytes: usize) -> DeviceResult<ObjectHandle>;
    /// Gives it back.
    fn free(&self, memory: ObjectHandle) -> DeviceResult;
    /// Memory from the pool, in the order of `queue`: `cuMemAllocAsync`.
    fn pool_alloc(&self, queue: ObjectHandle, bytes: usize) -> DeviceResult<ObjectHandle>;
    /// Gives it back to the pool, in the order of `queue`.
    fn pool_free(&self, queue: ObjectHandle, memory: ObjectHandle) -> DeviceResult;

    /// Memory of the host, page-aligned, every page touched.
    fn host_alloc(&self, bytes: usize, kind: HostKind) -> DeviceResult<ObjectHandle>;
    /// Gives it back.
    fn host_free(&self, host: ObjectHandle) -> DeviceResult;
    /// Copies `bytes` into it by the processor.
    fn host_write(&self, to: Span, bytes: &[u8]) -> DeviceResult;
    /// Copies out of it by the processor.
    fn host_read(&self, from: Span, bytes: &mut [u8]) -> DeviceResult;

    /// A queue whose commands run in order.
    fn queue(&self) -> DeviceResult<ObjectHandle>;
    /// Gives it up, after its commands are done.
    fn queue_free(&self, queue: ObjectHandle) -> DeviceResult;
    /// Hands what is queued to the device (OpenCL keeps it back otherwise).
    fn flush(&self, queue: ObjectHandle) -> DeviceResult;
    /// Waits until all that is queued is done. Says so where a gate opened by itself.
    fn sync(&self, queue: ObjectHandle) -> DeviceResult;

    /// Host to device.
    fn copy_in(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> DeviceResult;
    /// Device to host.
    fn copy_out(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> DeviceResult;
    /// Within the device.
    fn copy_within(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> DeviceResult;
    /// Whether this device can copy from the device of that number without the host.
    fn can_reach(&self, peer_index: u32) -> bool;
    /// From the memory of the device of that number, which was opened together with this one.
    fn copy_from_peer(&self, queue: ObjectHandle, to: Span, peer_index: u32, from: Span, bytes: usize) -> DeviceResult;
    /// Sets bytes of device memory.
    fn fill(&self, queue: ObjectHandle, to: Span, byte: u8, bytes: usize) -> DeviceResult;

    /// A mark in the queue, which the device stamps with its own clock when all before it is done.
    fn mark(&self, queue: ObjectHandle) -> DeviceResult<ObjectHandle>;
    /// Seconds between two marks of this device that have been passed, as the device tells them, however impossible.
    fn elapsed_s(&self, from: ObjectHandle, to: ObjectHandle) -> DeviceResult<f64>;
    /// Gives a mark up.
    fn mark_free(&self, mark: ObjectHandle) -> DeviceResult;

    /// Makes what is queued from now on wait until the gate is opened. A gate opens by itself after some seconds, and `open_gate`
    /// and `sync` then answer [`DeviceError::GateTimedOut`].
    fn gate(&self, queue: ObjectHandle) -> DeviceResult<ObjectHandle>;
    /// Opens it. Opening twice does nothing. The gate is given up with it.
    fn open_gate(&self, gate: ObjectHandle) -> DeviceResult;

    /// Compiles a program for this device: CUDA C++ or OpenCL C, by the back-end. What the compiler said is the second part.
    fn compile(&self, source: &Source) -> DeviceResult<(ObjectHandle, String)>;
    /// Gives a program up, with its kernels.
    fn program_free(&self, program: ObjectHandle) -> DeviceResult;
    /// A kernel of a program, by the name it has in the source (a template's with its arguments, where it was announced).
    fn kernel(&self, program: ObjectHandle, name: &str) -> DeviceResult<ObjectHandle>;
    /// One of the kernels that every back-end brings along.
    fn builtin(&self, which: Builtin) -> DeviceResult<ObjectHandle>;
    /// What the compiler made of it, for a block of so many threads.
    fn kernel_facts(&self, kernel: ObjectHandle, block: u32) -> DeviceResult<KernelFacts>;
    /// Starts `grid.blocks × grid.threads` threads of it.
    fn launch(&self, queue: ObjectHandle, kernel: ObjectHandle, grid: Grid, arguments: &[Argument]) -> DeviceResult;

    /// Makes ready to multiply square matrices of order `n`: libraries opened, algorithm chosen, working memory allocated. The second part
    /// says by whom: `cuBLAS 12.4.5`, `CLBlast 1.5.3`, `portable kernel of paw`.
    fn gemm_plan(&self, queue: ObjectHandle, kind: GemmKind, n: usize) -> DeviceResult<(ObjectHandle, String)>;
    /// Queues C = A·B as planned.
    fn gemm(&self, queue: ObjectHandle, plan: ObjectHandle, operands: GemmOperands) -> DeviceResult;
    /// Gives a plan up.
    fn gemm_plan_free(&self, plan: ObjectHandle) -> DeviceResult;
    /// Makes ready and queues y = A·x, as `gemm` does, in FP32 or FP64: A is n × n, column-major. Says by whom.
    fn gemv(&self, queue: ObjectHandle, kind: GemmKind, n: usize, operands: GemmOperands) -> DeviceResult<String>;
    /// Operations a clock of all units together, dense, by the vendor's tables; `None` where unknown.
    fn peak_per_clock(&self, kind: GemmKind) -> Option<f64>;
}
