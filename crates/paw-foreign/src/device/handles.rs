//! Owned devices, memories, queues, marks, gates and kernels: sizes checked, released when dropped.

use std::sync::Arc;

use super::driver::Driver;
use super::error::DeviceResult;
use super::facts::{Capabilities, DeviceFacts, DeviceState, HostKind};
use super::gemm::{GemmKind, GemmMath, GemmOperands};
use super::host_memory::HostMemory;
use super::managed::Side;
use super::memory::DeviceMemory;
use super::peer::{LinkLimit, Mover, PeerAccess, PeerCopy};
use super::program::{Argument, Builtin, FmaKind, Grid, KernelFacts, Source};
use super::span::{ObjectHandle, within};

/// An open device.
#[derive(Clone)]
pub struct Device {
    driver: Arc<dyn Driver>,
}

impl Device {
    /// The device behind `driver`.
    pub fn new(driver: Arc<dyn Driver>) -> Self {
        Self { driver }
    }

    /// Facts about the device.
    pub fn facts(&self) -> &DeviceFacts {
        self.driver.facts()
    }

    /// The device's capabilities.
    pub fn caps(&self) -> Capabilities {
        self.driver.caps()
    }

    /// The device's state now.
    pub fn state(&self) -> DeviceState {
        self.driver.state()
    }

    /// Settings that change the device's numbers, one sentence each.
    pub fn remarks(&self) -> Vec<String> {
        self.driver.remarks()
    }

    /// Dense operations per clock cycle of all units together; `None` where unknown.
    pub fn peak_per_clock(&self, kind: GemmKind) -> Option<f64> {
        self.driver.peak_per_clock(kind)
    }

    /// Memory on the device.
    pub fn memory(&self, bytes: usize) -> DeviceResult<DeviceMemory> {
        let handle = self.driver.alloc(bytes)?;
        Ok(DeviceMemory { driver: Arc::clone(&self.driver), handle, bytes, pool: None })
    }

    /// Memory from the device's pool, allocated and freed in the order of `queue`.
    pub fn pool_memory(&self, queue: &Queue, bytes: usize) -> DeviceResult<DeviceMemory> {
        let handle = self.driver.pool_alloc(queue.handle, bytes)?;
        Ok(DeviceMemory { driver: Arc::clone(&self.driver), handle, bytes, pool: Some(queue.handle) })
    }

    /// Memory of the host of that kind, page-aligned, every page touched.
    pub fn host_memory(&self, bytes: usize, kind: HostKind) -> DeviceResult<HostMemory> {
        let handle = self.driver.host_alloc(bytes, kind)?;
        Ok(HostMemory { driver: Arc::clone(&self.driver), handle, bytes, kind })
    }

    /// Memory that moves between host and device as either uses it, every page touched on the host.
    pub fn managed_memory(&self, bytes: usize) -> DeviceResult<HostMemory> {
        let handle = self.driver.managed_alloc(bytes)?;
        Ok(HostMemory { driver: Arc::clone(&self.driver), handle, bytes, kind: HostKind::Pageable })
    }

    /// A queue whose commands run in order.
    pub fn queue(&self) -> DeviceResult<Queue> {
        Ok(Queue { handle: self.driver.queue()?, driver: Arc::clone(&self.driver) })
    }

    /// Whether this device can copy from `peer` without the host.
    pub fn can_reach(&self, peer: &Device) -> bool {
        self.driver.can_reach(peer.facts().index)
    }

    /// Whether kernels of this device can use the memory of `peer`, as their argument.
    pub fn kernels_reach(&self, peer: &Device) -> bool {
        self.driver.kernels_reach(peer.facts().index)
    }

    /// The link to the host that limits copies; `None` where it is not known.
    pub fn link_to_host(&self) -> Option<LinkLimit> {
        self.driver.link_to_host()
    }

    /// The link to `peer` that limits copies; `None` where it is not known.
    pub fn link_to_peer(&self, peer: &Device) -> Option<LinkLimit> {
        self.driver.link_to_peer(peer.facts().index)
    }

    /// Compiles a program for this device; the second part is the compiler's log.
    pub fn compile(&self, source: &Source) -> DeviceResult<(Program, String)> {
        let (handle, log) = self.driver.compile(source)?;
        Ok((Program { driver: Arc::clone(&self.driver), handle }, log))
    }

    /// An embedded kernel of the back-end.
    pub fn builtin(&self, which: Builtin) -> DeviceResult<Kernel> {
        Ok(Kernel { handle: self.driver.builtin(which)?, driver: Arc::clone(&self.driver) })
    }

    /// The grid of an embedded kernel over `n` elements, in blocks of that many threads.
    pub fn grid_over(&self, which: Builtin, n: usize, threads: u32) -> Grid {
        let of_block = self.driver.elements_per_thread(which) * u64::from(threads);
        Grid { blocks: (n as u64).div_ceil(of_block).max(1), threads, shared_bytes: 0 }
    }

    /// Operations per clock cycle outside tensor cores, as [`Driver::vector_peak_per_clock`] has them.
    pub fn vector_peak_per_clock(&self, kind: FmaKind) -> Option<f64> {
        self.driver.vector_peak_per_clock(kind)
    }

    /// Operations per clock cycle of matrix cores, as [`Driver::matrix_peak_per_clock`] has them.
    pub fn matrix_peak_per_clock(&self, kind: GemmKind) -> Option<f64> {
        self.driver.matrix_peak_per_clock(kind)
    }

    /// Plans a product of square matrices of order `n` in `queue`, as a library computes it where nobody asks for anything.
    pub fn gemm_plan(&self, queue: &Queue, kind: GemmKind, n: usize) -> DeviceResult<GemmPlan> {
        self.gemm_plan_by(queue, kind, GemmMath::Default, n)
    }

    /// Plans a product of square matrices of order `n` in `queue`, computed as freely as `math` says.
    pub fn gemm_plan_by(&self, queue: &Queue, kind: GemmKind, math: GemmMath, n: usize) -> DeviceResult<GemmPlan> {
        let (handle, by) = self.driver.gemm_plan_by(queue.handle, kind, math, n)?;
        Ok(GemmPlan { driver: Arc::clone(&self.driver), handle, by })
    }
}

/// A queue of a device, whose commands run in order.
pub struct Queue {
    driver: Arc<dyn Driver>,
    handle: ObjectHandle,
}

impl Queue {
    /// Queues a copy from the host to the device.
    #[inline]
    pub fn copy_in(
        &self,
        (to, to_offset): (&DeviceMemory, usize),
        (from, from_offset): (&HostMemory, usize),
        bytes: usize,
    ) -> DeviceResult {
        within(to_offset, bytes, to.bytes)?;
        within(from_offset, bytes, from.bytes)?;
        self.driver.copy_in(self.handle, to.at(to_offset), from.at(from_offset), bytes)
    }

    /// Queues a copy from the device to the host.
    #[inline]
    pub fn copy_out(
        &self,
        (to, to_offset): (&HostMemory, usize),
        (from, from_offset): (&DeviceMemory, usize),
        bytes: usize,
    ) -> DeviceResult {
        within(to_offset, bytes, to.bytes)?;
        within(from_offset, bytes, from.bytes)?;
        self.driver.copy_out(self.handle, to.at(to_offset), from.at(from_offset), bytes)
    }

    /// Queues a copy within the device.
    pub fn copy_within(
        &self,
        (to, to_offset): (&DeviceMemory, usize),
        (from, from_offset): (&DeviceMemory, usize),
        bytes: usize,
    ) -> DeviceResult {
        within(to_offset, bytes, to.bytes)?;
        within(from_offset, bytes, from.bytes)?;
        self.driver.copy_within(self.handle, to.at(to_offset), from.at(from_offset), bytes)
    }

    /// Queues a copy of the first `bytes` from the memory of `peer` into that of this queue's device.
    pub fn copy_from_peer(&self, to: &DeviceMemory, peer: &Device, from: &DeviceMemory, bytes: usize) -> DeviceResult {
        within(0, bytes, to.bytes)?;
        within(0, bytes, from.bytes)?;
        self.driver.copy_from_peer(self.handle, to.at(0), peer.facts().index, from.at(0), bytes)
    }

    /// Queues a copy of the first `bytes` between the memory of this queue's device and that of `peer`.
    pub fn copy_with_peer(
        &self,
        own: &DeviceMemory,
        (peer, theirs): (&Device, &DeviceMemory),
        bytes: usize,
        (access, mover): (PeerAccess, Mover),
    ) -> DeviceResult {
        within(0, bytes, own.bytes)?;
        within(0, bytes, theirs.bytes)?;
        let peer_index = peer.facts().index;
        let copy = PeerCopy { own: own.at(0), peer_index, theirs: theirs.at(0), bytes, access, mover };
        self.driver.copy_with_peer(self.handle, copy)
    }

    /// Queues the move of managed memory to one side.
    pub fn prefetch(&self, managed: &HostMemory, to: Side) -> DeviceResult {
        self.driver.prefetch(self.handle, managed.handle, to)
    }

    /// Queues a fill of all of `memory` with `byte`.
    pub fn fill(&self, memory: &DeviceMemory, byte: u8) -> DeviceResult {
        self.driver.fill(self.handle, memory.at(0), byte, memory.bytes)
    }

    /// Queues a mark.
    pub fn mark(&self) -> DeviceResult<Mark> {
        Ok(Mark { handle: self.driver.mark(self.handle)?, driver: Arc::clone(&self.driver) })
    }

    /// Blocks what is queued from now on until the gate is opened or dropped. Only page-locked memory may be copied behind it, and
    /// nothing may be allocated or freed.
    pub fn gate(&self) -> DeviceResult<Gate> {
        Ok(Gate { handle: self.driver.gate(self.handle)?, driver: Arc::clone(&self.driver), open: false })
    }

    /// Submits what is queued to the device.
    pub fn flush(&self) -> DeviceResult {
        self.driver.flush(self.handle)
    }

    /// Waits until all that is queued is done.
    #[inline]
    pub fn sync(&self) -> DeviceResult {
        self.driver.sync(self.handle)
    }

    /// The queue as other libraries take it, its device being current to this thread.
    pub(crate) fn stream(&self) -> DeviceResult<usize> {
        self.driver.stream_of(self.handle)
    }

    /// Queues a launch of `kernel`.
    pub fn launch(&self, kernel: &Kernel, grid: Grid, arguments: &[Argument]) -> DeviceResult {
        self.driver.launch(self.handle, kernel.handle, grid, arguments)
    }

    /// Queues C = A·B as planned.
    pub fn gemm(&self, plan: &GemmPlan, operands: GemmOperands) -> DeviceResult {
        self.driver.gemm(self.handle, plan.handle, operands)
    }

    /// Queues y = A·x of order `n`; returns the library's name.
    pub fn gemv(&self, kind: GemmKind, n: usize, operands: GemmOperands) -> DeviceResult<String> {
        self.driver.gemv(self.handle, kind, n, operands)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let _ = self.driver.queue_free(self.handle);
    }
}

/// A mark in a queue.
pub struct Mark {
    driver: Arc<dyn Driver>,
    handle: ObjectHandle,
}

impl Mark {
    /// Seconds from `earlier` to this mark by the device's clock; the queue must have passed both.
    pub fn since_s(&self, earlier: &Mark) -> DeviceResult<f64> {
        self.driver.elapsed_s(earlier.handle, self.handle)
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        let _ = self.driver.mark_free(self.handle);
    }
}

/// A gate that holds its queue closed until it is opened or dropped.
pub struct Gate {
    driver: Arc<dyn Driver>,
    handle: ObjectHandle,
    open: bool,
}

impl Gate {
    /// Opens the gate.
    pub fn open(mut self) -> DeviceResult {
        self.open = true;
        self.driver.open_gate(self.handle)
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        if !self.open {
            let _ = self.driver.open_gate(self.handle);
        }
    }
}

/// A program compiled for a device.
pub struct Program {
    driver: Arc<dyn Driver>,
    handle: ObjectHandle,
}

impl Program {
    /// The kernel of that name. It lives no longer than its program.
    pub fn kernel(&self, name: &str) -> DeviceResult<Kernel> {
        Ok(Kernel { handle: self.driver.kernel(self.handle, name)?, driver: Arc::clone(&self.driver) })
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.driver.program_free(self.handle);
    }
}

/// A function that runs on a device.
pub struct Kernel {
    driver: Arc<dyn Driver>,
    handle: ObjectHandle,
}

impl Kernel {
    /// Registers, memory and occupancy, for blocks of `block` threads that get `shared_bytes` beyond what the kernel declares.
    pub fn facts(&self, block: u32, shared_bytes: u32) -> DeviceResult<KernelFacts> {
        self.driver.kernel_facts(self.handle, block, shared_bytes)
    }
}

/// A planned matrix product.
pub struct GemmPlan {
    driver: Arc<dyn Driver>,
    handle: ObjectHandle,
    by: String,
}

impl GemmPlan {
    /// The library that computes the product, with version.
    pub fn by(&self) -> &str {
        &self.by
    }
}

impl Drop for GemmPlan {
    fn drop(&mut self) {
        let _ = self.driver.gemm_plan_free(self.handle);
    }
}
