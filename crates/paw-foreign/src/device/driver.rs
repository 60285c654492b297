//! The calls of a back-end, all of them safe: arguments are plain numbers.

use super::error::{DeviceError, DeviceResult};
use super::facts::{Backend, Capabilities, DeviceFacts, DeviceState, HostKind};
use super::gemm::{GemmKind, GemmMath, GemmOperands};
use super::managed::Side;
use super::peer::{LinkLimit, Mover, PeerAccess, PeerCopy};
use super::program::{Argument, Builtin, FmaKind, Grid, KernelFacts, Source};
use super::span::{ObjectHandle, Span};

/// One device through one back-end. Host memory is allocated here too and never borrowed: no call takes an address, and a transfer in
/// flight may change it at any time.
///
/// An implementation looks handles up in its own tables and refuses unknown ones; [`super::Device`] checks sizes against
/// allocations. All calls may come from any thread. Copies, fills, launches and marks are queued
/// and return before they are done, where the interface allows that; pageable memory may make them wait.
pub trait Driver: Send + Sync {
    /// Facts about the device.
    fn facts(&self) -> &DeviceFacts;
    /// The device's capabilities.
    fn caps(&self) -> Capabilities;
    /// The device's state now; empty where it is unknown.
    fn state(&self) -> DeviceState {
        DeviceState::default()
    }
    /// Settings that change the device's numbers, one sentence each. None by default.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// Allocates memory on the device: `cuMemAlloc`, `clCreateBuffer`.
    fn alloc(&self, bytes: usize) -> DeviceResult<ObjectHandle>;
    /// Frees memory on the device.
    fn free(&self, memory: ObjectHandle) -> DeviceResult;
    /// Allocates memory from the pool, in the order of `queue`: `cuMemAllocAsync`.
    fn pool_alloc(&self, queue: ObjectHandle, bytes: usize) -> DeviceResult<ObjectHandle>;
    /// Frees memory of the pool, in the order of `queue`.
    fn pool_free(&self, queue: ObjectHandle, memory: ObjectHandle) -> DeviceResult;

    /// Allocates page-aligned memory of the host and touches every page.
    fn host_alloc(&self, bytes: usize, kind: HostKind) -> DeviceResult<ObjectHandle>;
    /// Frees memory of the host.
    fn host_free(&self, host: ObjectHandle) -> DeviceResult;
    /// Allocates page-aligned memory that moves between host and device as either uses it (`cuMemAllocManaged`), and touches every page
    /// on the host. It is host memory to every other call; copies to and from it are a kernel's. Not available by default.
    fn managed_alloc(&self, _bytes: usize) -> DeviceResult<ObjectHandle> {
        Err(unavailable(self, "has no memory that moves between host and device"))
    }
    /// Queues the move of managed memory to one side. Not available by default.
    fn prefetch(&self, _queue: ObjectHandle, _host: ObjectHandle, _to: Side) -> DeviceResult {
        Err(unavailable(self, "has no memory that moves between host and device"))
    }
    /// The address of device memory, as other libraries take it: CUDA's, HIP's or Level Zero's pointer. Not available by default.
    fn address_of(&self, _memory: ObjectHandle) -> DeviceResult<usize> {
        Err(unavailable(self, "has no addresses that other libraries take"))
    }
    /// The queue as other libraries take it: CUDA's or HIP's stream. The device is current to the calling thread thereafter. Not available
    /// by default.
    fn stream_of(&self, _queue: ObjectHandle) -> DeviceResult<usize> {
        Err(unavailable(self, "has no streams that other libraries take"))
    }
    /// The address of memory of the host or of memory that moves. Not available by default.
    fn host_address_of(&self, _host: ObjectHandle) -> DeviceResult<usize> {
        Err(unavailable(self, "has no addresses that other libraries take"))
    }
    /// Reads a byte of each page of memory of the host by the processor. Not available by default.
    fn host_touch(&self, _host: ObjectHandle) -> DeviceResult {
        Err(unavailable(self, "has no memory that moves between host and device"))
    }
    /// Copies `bytes` into memory of the host by the processor.
    fn host_write(&self, to: Span, bytes: &[u8]) -> DeviceResult;
    /// Copies out of memory of the host by the processor.
    fn host_read(&self, from: Span, bytes: &mut [u8]) -> DeviceResult;

    /// Makes a queue whose commands run in order.
    fn queue(&self) -> DeviceResult<ObjectHandle>;
    /// Destroys a queue after its commands are done.
    fn queue_free(&self, queue: ObjectHandle) -> DeviceResult;
    /// Submits what is queued to the device (OpenCL may hold it back otherwise).
    fn flush(&self, queue: ObjectHandle) -> DeviceResult;
    /// Waits until all that is queued is done; an error if a gate opened by itself.
    fn sync(&self, queue: ObjectHandle) -> DeviceResult;

    /// Queues a copy from the host to the device.
    fn copy_in(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> DeviceResult;
    /// Queues a copy from the device to the host.
    fn copy_out(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> DeviceResult;
    /// Queues a copy within the device.
    fn copy_within(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> DeviceResult;
    /// Whether this device can copy from the device of that number without the host.
    fn can_reach(&self, peer_index: u32) -> bool;
    /// Queues a copy from the memory of the device of that number, which was opened together with this one.
    fn copy_from_peer(&self, queue: ObjectHandle, to: Span, peer_index: u32, from: Span, bytes: usize) -> DeviceResult;
    /// Queues a copy between this device's memory and that of a device that was opened together with this one. By default a copy engine
    /// can read the other's memory, and nothing else is available.
    fn copy_with_peer(&self, queue: ObjectHandle, copy: PeerCopy) -> DeviceResult {
        match (copy.access, copy.mover) {
            (PeerAccess::Read, Mover::Engine) => {
                self.copy_from_peer(queue, copy.own, copy.peer_index, copy.theirs, copy.bytes)
            }
            (PeerAccess::Write, Mover::Engine) => Err(unavailable(self, "writes no memory of another device")),
            (_, Mover::Kernel) => Err(unavailable(self, "has no kernels that use the memory of another device")),
        }
    }
    /// Whether kernels of this device can use the memory of the device of that number, as their argument. None by default.
    fn kernels_reach(&self, _peer_index: u32) -> bool {
        false
    }
    /// The link between this device and the host that limits copies; `None` where it is not known. By default its PCIe link.
    fn link_to_host(&self) -> Option<LinkLimit> {
        LinkLimit::pcie(self.facts().link?)
    }
    /// The link between this device and the device of that number that limits copies; `None` where it is not known.
    fn link_to_peer(&self, _peer_index: u32) -> Option<LinkLimit> {
        None
    }
    /// Queues a fill of device memory.
    fn fill(&self, queue: ObjectHandle, to: Span, byte: u8, bytes: usize) -> DeviceResult;

    /// Queues a mark, which the device stamps with its own clock when all before it is done.
    fn mark(&self, queue: ObjectHandle) -> DeviceResult<ObjectHandle>;
    /// Seconds between two passed marks by the device's clock, unchecked.
    fn elapsed_s(&self, from: ObjectHandle, to: ObjectHandle) -> DeviceResult<f64>;
    /// Destroys a mark.
    fn mark_free(&self, mark: ObjectHandle) -> DeviceResult;

    /// Makes what is queued from now on wait until the gate is opened. A gate opens by itself after some seconds, and `open_gate`
    /// and `sync` then answer [`DeviceError::GateTimedOut`](super::DeviceError::GateTimedOut).
    fn gate(&self, queue: ObjectHandle) -> DeviceResult<ObjectHandle>;
    /// Opens a gate and destroys it. Opening twice does nothing.
    fn open_gate(&self, gate: ObjectHandle) -> DeviceResult;

    /// Compiles a program for this device (CUDA C++ or OpenCL C); the second part is the compiler's log.
    fn compile(&self, source: &Source) -> DeviceResult<(ObjectHandle, String)>;
    /// Destroys a program and its kernels.
    fn program_free(&self, program: ObjectHandle) -> DeviceResult;
    /// A kernel of a program, by the name it has in the source (a template's with its arguments, where it was announced).
    fn kernel(&self, program: ObjectHandle, name: &str) -> DeviceResult<ObjectHandle>;
    /// An embedded kernel.
    fn builtin(&self, which: Builtin) -> DeviceResult<ObjectHandle>;
    /// Elements that a thread of an embedded kernel over arrays loads before it uses the first, by which a launch has fewer threads. With
    /// any grid, a kernel of more than one covers all elements.
    fn elements_per_thread(&self, _which: Builtin) -> u64 {
        1
    }
    /// Registers, memory and occupancy, for blocks of `block` threads that get `shared_bytes` beyond what the kernel declares.
    fn kernel_facts(&self, kernel: ObjectHandle, block: u32, shared_bytes: u32) -> DeviceResult<KernelFacts>;
    /// Queues `grid.blocks × grid.threads` threads of a kernel.
    fn launch(&self, queue: ObjectHandle, kernel: ObjectHandle, grid: Grid, arguments: &[Argument]) -> DeviceResult;

    /// Plans a product of square matrices of order `n`: libraries opened, algorithm chosen, workspace allocated. The second part names
    /// what computes it: `cuBLAS 12.4.5`, `CLBlast 1.5.3`, `portable kernel of paw`.
    fn gemm_plan(&self, queue: ObjectHandle, kind: GemmKind, n: usize) -> DeviceResult<(ObjectHandle, String)>;
    /// [`Driver::gemm_plan`] with a library's freedom as asked for; where there is no such choice, only the default is planned.
    fn gemm_plan_by(
        &self,
        queue: ObjectHandle,
        kind: GemmKind,
        math: GemmMath,
        n: usize,
    ) -> DeviceResult<(ObjectHandle, String)> {
        has_choice(self.facts().backend, math)?;
        self.gemm_plan(queue, kind, n)
    }
    /// Queues C = A·B as planned.
    fn gemm(&self, queue: ObjectHandle, plan: ObjectHandle, operands: GemmOperands) -> DeviceResult;
    /// Destroys a plan.
    fn gemm_plan_free(&self, plan: ObjectHandle) -> DeviceResult;
    /// Plans and queues y = A·x in FP32 or FP64, A being n × n and column-major; returns the library's name.
    fn gemv(&self, queue: ObjectHandle, kind: GemmKind, n: usize, operands: GemmOperands) -> DeviceResult<String>;
    /// Dense operations per clock cycle of all units together, by the vendor's tables; `None` where unknown.
    fn peak_per_clock(&self, kind: GemmKind) -> Option<f64>;
    /// Operations per clock cycle of all units together outside tensor cores, a multiplication and an addition counted as two; `None`
    /// where unknown.
    fn vector_peak_per_clock(&self, _kind: FmaKind) -> Option<f64> {
        None
    }
    /// Operations per clock cycle of the matrix cores of all units together, for the types of [`Builtin::Matrix`]; `None` where unknown.
    fn matrix_peak_per_clock(&self, _kind: GemmKind) -> Option<f64> {
        None
    }
}

/// Refuses all but the default of a back-end whose libraries have no choice.
pub(super) fn has_choice(backend: Backend, math: GemmMath) -> DeviceResult {
    match math {
        GemmMath::Default => Ok(()),
        other => Err(DeviceError::Unsupported(format!(
            "{} has no choice of math={}; take math=default",
            backend.title(),
            other.name()
        ))),
    }
}

/// The error of what a back-end has not.
pub(super) fn unavailable<D: Driver + ?Sized>(driver: &D, what: &str) -> DeviceError {
    DeviceError::Unsupported(format!(
        "{} {what}: not available through {}",
        driver.facts().id(),
        driver.facts().backend.title()
    ))
}

/// The error of a kernel that there is not.
pub(super) fn missing(interface: &str, which: Builtin) -> DeviceError {
    DeviceError::Unsupported(match which {
        Builtin::Matrix(_) => format!(
            "paw has no kernel for matrix cores through {interface}, only for AMD's through HIP; measure them by products: gpu_*gemm"
        ),
        _ => format!("{interface} has no kernel {} of paw's", which.name()),
    })
}
