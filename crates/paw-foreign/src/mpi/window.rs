//! Memory that other ranks write and read: one-sided communication.
#![allow(unsafe_code)]

mod access;
mod synchronisation;

use std::cell::{Cell, RefCell};
use std::mem;
use std::ptr;
use std::rc::Rc;

use super::abi::{Datatype, MpiHandle, Op};
use super::calls::call_if_there;
use super::comm::Comm;
use super::error::MpiError;
use super::library::Mpi;
use super::memory::{Memory, Part};

pub use synchronisation::LockKind;

/// A window: each rank exposes a memory to all ranks of a communicator.
///
/// [`Window::free`] is collective. A window that is only dropped stays, with its memory, until [`Mpi::finalize`]: a rank that freed
/// it alone would wait for ever.
#[derive(Debug)]
pub struct Window {
    mpi: &'static Mpi,
    handle: MpiHandle,
    memory: Option<Rc<Memory>>,
    /// Bytes that every rank exposes at least; accesses at a target are checked against it.
    size_bytes: usize,
    /// The local memory of the last access.
    last_origin: Cell<*const Memory>,
    /// The local memories of all accesses: kept, because only the library knows when an access is complete.
    origins: RefCell<Vec<Rc<Memory>>>,
}

impl Window {
    /// Exposes `memory` to all ranks of `comm`; every rank must call it (`MPI_Win_create`).
    pub fn create(comm: Comm, memory: Rc<Memory>) -> Result<Window, MpiError> {
        let (mpi, mut slot) = (comm.mpi(), 0_usize);
        let base = memory.address(Part::new(0, 0, Datatype::Byte))?;
        let size_bytes = least(comm, memory.size_bytes())?;
        let info = mpi.handles.info_null;
        let all = memory.size_bytes() as isize;
        call_if_there!(mpi, win_create(base, all, 1, info, comm.handle(), (&raw mut slot).cast()))?;
        Self::adopt(mpi, MpiHandle(slot), memory, size_bytes)
    }

    /// Exposes `size_bytes` of memory that the library allocates; every rank must call it (`MPI_Win_allocate`).
    pub fn allocate(comm: Comm, size_bytes: usize) -> Result<Window, MpiError> {
        let (mpi, mut slot) = (comm.mpi(), 0_usize);
        let mut base = ptr::null_mut::<u8>();
        let least = least(comm, size_bytes)?;
        let info = mpi.handles.info_null;
        let base_slot = (&raw mut base).cast();
        call_if_there!(
            mpi,
            win_allocate(size_bytes as isize, 1, info, comm.handle(), base_slot, (&raw mut slot).cast())
        )?;
        // SAFETY: the library allocated that many bytes there, which stay as long as the window, and `free` gives the
        // window back only where nobody else holds its memory.
        let memory = unsafe { Memory::of_window(base, size_bytes) };
        Self::adopt(mpi, MpiHandle(slot), memory, least)
    }

    fn adopt(mpi: &'static Mpi, handle: MpiHandle, memory: Rc<Memory>, size_bytes: usize) -> Result<Window, MpiError> {
        let (last_origin, origins) = (Cell::new(ptr::null()), RefCell::default());
        mpi.windows().push(handle);
        let window = Self { mpi, handle, memory: Some(memory), size_bytes, last_origin, origins };
        call_if_there!(mpi, win_set_errhandler(handle, mpi.handles.errors_return))?;
        Ok(window)
    }

    /// The memory that this rank exposes.
    pub fn memory(&self) -> &Memory {
        self.memory.as_deref().expect("a window has its memory until it is dropped")
    }

    /// Bytes that every rank exposes at least.
    pub fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    /// Frees the window; every rank of its communicator must (`MPI_Win_free`).
    pub fn free(mut self) -> Result<(), MpiError> {
        let mut slot = self.handle.0;
        call_if_there!(self.mpi, win_free((&raw mut slot).cast()))?;
        self.mpi.windows().retain(|window| *window != self.handle);
        self.origins.take();
        self.memory = None;
        Ok(())
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        if let Some(memory) = self.memory.take() {
            mem::forget((memory, self.origins.take()));
        }
    }
}

/// The minimum of `size_bytes` over the ranks of `comm`.
fn least(comm: Comm, size_bytes: usize) -> Result<usize, MpiError> {
    let memory = Memory::new(size_of::<i64>())?;
    let part = Part::new(0, 1, Datatype::Int64);
    memory.write_integers(0, &[size_bytes as i64]);
    comm.allreduce_in_place(&memory, part, Op::Min)?;
    Ok(memory.read_integers(part)[0] as usize)
}
