//! A device through an interface of CUDA's shape, of which there are two: CUDA's driver and AMD's HIP. Both have the same objects, and
//! nearly the same calls under other names; a [`Vendor`] is what they differ in.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::ffi::{c_int, c_uint};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, Weak};

use super::driver::unavailable;
use super::error::{DeviceError, DeviceResult};
use super::facts::{Backend, Capabilities, DeviceFacts, DeviceState};
use super::gemm::{GemmKind, GemmMath};
use super::managed::Side;
use super::peer::LinkLimit;
use super::program::{Builtin, FmaKind, Grid, Source};
use super::span::{ObjectHandle, Span, within};
use super::table::HandleTable;
use crate::object::SharedObject;
use calls::{Address, CallTable, Column, Opaque, Ordinal, call};
use compiler::Compiled;
use facts::Attributes;
use gates::Gates;
use library::{ErrorNames, Library};
use marks::Marks;
use objects::{EmbeddedKernels, HostMemory, Kernel, Memory, Program};
use services::{Addresses, ProductPlan, Stream};

pub(super) mod blas;
pub(super) mod calls;
pub(super) mod compiler;
mod copy;
mod driver;
pub(super) mod facts;
mod gate;
pub(super) mod gates;
pub(super) mod kernels;
pub(super) mod library;
mod marks;
pub(super) mod memory;
pub(super) mod objects;
pub(super) mod open;
mod products;
mod program;
mod queue;
pub(super) mod services;
pub(super) mod variables;

/// What the two interfaces differ in, and what else a vendor's device keeps. Calls are made with the device current.
pub(super) trait Vendor: Sized + Send + Sync + 'static {
    /// The calls of this interface alone.
    type OwnCalls: CallTable + Send + Sync;
    /// The libraries of matrix products, opened when the first product is asked for.
    type Products: Send + Sync;
    /// A product that one of them has planned.
    type Plan: ProductPlan;

    const BACKEND: Backend;
    const COLUMN: Column;
    /// The functions that start the library and tell its version.
    const INIT: &'static str;
    const VERSION: &'static str;
    /// Numbers of a device's attributes.
    const ATTRIBUTES: Attributes;
    /// Variables that make launches synchronous, and the value that does not.
    const SERIALISING: &'static [(&'static str, &'static str)];
    /// Flags of an allocation of host memory in which a device sees what the host writes meanwhile.
    const GATE_FLAGS: c_uint;
    /// Where to look when there is no device.
    const WITHOUT_DEVICES: &'static str;
    /// What is said of a library that is not right.
    const DIAGNOSIS: Diagnosis;

    /// What the library calls its errors.
    fn error_names(object: &SharedObject) -> ErrorNames;
    /// The library's name for the device of that number.
    fn ordinal(library: &'static Library<Self>, index: u32) -> DeviceResult<Ordinal>;
    /// Fills in the facts that the two tell differently.
    fn describe(library: &'static Library<Self>, ordinal: Ordinal, facts: &mut DeviceFacts);
    /// Opens the vendor's part of a device.
    fn open(library: &'static Library<Self>, ordinal: Ordinal) -> DeviceResult<Self>;
    /// The libraries of products that go with the interface's.
    fn products(library: &'static Library<Self>) -> Self::Products;
    /// Makes the device the one that calls of this thread are for.
    fn select(gpu: &Gpu<Self>) -> DeviceResult;
    /// Lets the device use the memory of another.
    fn reach_into(gpu: &Gpu<Self>, peer: &Gpu<Self>) -> DeviceResult;
    /// Queues a copy from the memory of one device to another's.
    fn copy_across(
        gpu: &Gpu<Self>,
        stream: Opaque,
        to: (Address, &Gpu<Self>),
        from: (Address, &Gpu<Self>),
        bytes: usize,
    ) -> DeviceResult;

    /// When a gate's kernel gives up, by a timer and without one.
    fn gate_limits(gpu: &Gpu<Self>) -> [u64; 2];
    /// The module of the kernels that every device gets at once.
    fn first_image(gpu: &Gpu<Self>) -> DeviceResult<Vec<u8>>;
    /// The module that has another kernel, and all that it has.
    fn image_with(gpu: &Gpu<Self>, which: Builtin) -> DeviceResult<(Vec<u8>, Vec<Builtin>)>;
    /// [`crate::device::Driver::elements_per_thread`]
    fn elements_per_thread(which: Builtin) -> u64;
    /// The blocks of a launch, if the interface starts as many.
    fn blocks(grid: Grid) -> DeviceResult<c_uint>;
    /// `source`, compiled for the device.
    fn compiled(gpu: &Gpu<Self>, source: &Source) -> DeviceResult<Compiled>;
    /// Lets blocks of a function have that much shared memory beyond its own, or says that no block has.
    fn allow_shared(gpu: &Gpu<Self>, function: Opaque, bytes: u32) -> DeviceResult;
    /// After a launch with that much shared memory was refused: whether to repeat it, else the reason.
    fn repeat_launch(gpu: &Gpu<Self>, refused: DeviceError, function: Opaque, bytes: u32) -> DeviceResult;

    /// [`crate::device::Driver::gemm_plan_by`]
    fn plan(
        gpu: &Gpu<Self>,
        stream: Stream,
        kind: GemmKind,
        math: GemmMath,
        n: usize,
    ) -> DeviceResult<(Self::Plan, String)>;
    /// [`crate::device::Driver::gemv`]
    fn gemv(gpu: &Gpu<Self>, stream: Stream, kind: GemmKind, n: usize, at: Addresses) -> DeviceResult<String>;
    /// [`crate::device::Driver::peak_per_clock`]
    fn peak_per_clock(gpu: &Gpu<Self>, kind: GemmKind) -> Option<f64>;
    /// [`crate::device::Driver::vector_peak_per_clock`]
    fn vector_peak_per_clock(_gpu: &Gpu<Self>, _kind: FmaKind) -> Option<f64> {
        None
    }
    /// [`crate::device::Driver::matrix_peak_per_clock`]
    fn matrix_peak_per_clock(_gpu: &Gpu<Self>, _kind: GemmKind) -> Option<f64> {
        None
    }

    /// [`crate::device::Driver::state`]
    fn state(gpu: &Gpu<Self>) -> DeviceState;
    /// [`crate::device::Driver::remarks`]
    fn remarks(gpu: &Gpu<Self>) -> Vec<String>;
    /// [`crate::device::Driver::link_to_host`]
    fn link_to_host(gpu: &Gpu<Self>) -> Option<LinkLimit> {
        LinkLimit::pcie(gpu.facts.link?)
    }
    /// [`crate::device::Driver::link_to_peer`]
    fn link_to_peer(_gpu: &Gpu<Self>, _peer_index: u32) -> Option<LinkLimit> {
        None
    }
    /// [`crate::device::Driver::managed_alloc`]
    fn managed(gpu: &Gpu<Self>, _bytes: usize) -> DeviceResult<ObjectHandle> {
        Err(unavailable(gpu, "has no memory that moves between host and device"))
    }
    /// [`crate::device::Driver::prefetch`]
    fn prefetch(gpu: &Gpu<Self>, _queue: ObjectHandle, _host: ObjectHandle, _to: Side) -> DeviceResult {
        Err(unavailable(gpu, "has no memory that moves between host and device"))
    }
}

/// What is said of a library that is not right.
#[derive(Debug, Clone, Copy)]
pub(super) struct Diagnosis {
    /// A version as the vendor writes it.
    pub(super) release: fn(c_int) -> String,
    /// It is not the one that is needed: the first function that it lacks, and its version where it tells one.
    pub(super) incomplete: fn(&Path, &str, Option<c_int>) -> String,
    /// It does not start, by a code and its name.
    pub(super) unstarted: fn(&Path, c_int, &str) -> String,
    /// It lacks a function, in that version.
    pub(super) absent: fn(c_int, &str) -> String,
}

/// A device, which the whole process shares and keeps until it ends.
pub(super) struct Gpu<V: Vendor> {
    pub(super) library: &'static Library<V>,
    pub(super) ordinal: Ordinal,
    pub(super) own: V,
    pub(super) facts: DeviceFacts,
    pub(super) caps: Capabilities,
    memories: HandleTable<Memory>,
    pub(super) hosts: HandleTable<HostMemory>,
    queues: HandleTable<Opaque>,
    marks: Marks,
    programs: HandleTable<Program>,
    kernels: HandleTable<Kernel>,
    pub(super) embedded: Result<EmbeddedKernels, DeviceError>,
    pub(super) gates: Result<Gates, DeviceError>,
    pub(super) products: V::Products,
    plans: HandleTable<Arc<V::Plan>>,
    /// The devices that were opened together with this one.
    peers: OnceLock<Vec<Weak<Gpu<V>>>>,
    /// Numbers of the devices for which peer access was tried.
    ways: Mutex<Vec<u32>>,
}

// SAFETY: the pointers are the library's, whose functions may be called by any thread for which the device is current.
unsafe impl<V: Vendor> Send for Gpu<V> {}
// SAFETY: as above; the tables hold locks.
unsafe impl<V: Vendor> Sync for Gpu<V> {}

thread_local! {
    /// The device that calls of this thread are for.
    static CURRENT: Cell<Option<(Backend, Ordinal)>> = const { Cell::new(None) };
}

impl<V: Vendor> Gpu<V> {
    /// Makes the device the one that calls of this thread are for.
    #[inline]
    pub(super) fn current(&self) -> DeviceResult {
        let own = Some((V::BACKEND, self.ordinal));
        if CURRENT.get() == own {
            return Ok(());
        }
        V::select(self)?;
        CURRENT.set(own);
        Ok(())
    }

    /// The stream of a queue.
    #[inline]
    pub(super) fn stream(&self, queue: ObjectHandle) -> DeviceResult<Opaque> {
        self.queues.at(queue)
    }

    /// The device address of `span`, if `bytes` from there lie in its memory.
    #[inline]
    pub(super) fn address(&self, span: Span, bytes: usize) -> DeviceResult<Address> {
        let memory = self.memories.at(span.memory)?;
        within(span.offset, bytes, memory.bytes)?;
        Ok(memory.address + span.offset as Address)
    }

    /// The host address of `span`, if `bytes` from there lie in its memory, and that memory.
    #[inline]
    pub(super) fn host(&self, span: Span, bytes: usize) -> DeviceResult<(*mut u8, HostMemory)> {
        let memory = self.hosts.at(span.memory)?;
        within(span.offset, bytes, memory.bytes)?;
        Ok((memory.at.wrapping_add(span.offset), memory))
    }

    /// Waits for everything that was queued on this device.
    fn settle(&self) -> DeviceResult {
        self.current()?;
        call!(self.library, synchronize())
    }

    /// The device of that number, where it was opened together with this one.
    pub(super) fn peer(&self, index: u32) -> DeviceResult<Arc<Gpu<V>>> {
        let peers = self.peers.get().into_iter().flatten().filter_map(Weak::upgrade);
        let mut peers = peers.filter(|peer| peer.facts.index == index);
        peers.next().ok_or_else(|| {
            let backend = V::BACKEND;
            DeviceError::Unsupported(format!("{backend}{index} was not opened together with {}", self.facts.id()))
        })
    }
}
