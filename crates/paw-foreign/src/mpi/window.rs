//! Memory that other ranks write and read: one-sided communication.
#![allow(unsafe_code)]

mod access;
mod synchronisation;

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
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
    /// Where each rank's memory begins, and the ranks, where the memory was attached: displacements are then addresses.
    attached: Option<Attached>,
    /// The local memory of the last access.
    last_origin: Cell<*const Memory>,
    /// The local memories of all accesses: kept, because only the library knows when an access is complete.
    origins: RefCell<Vec<Rc<Memory>>>,
}

/// Memory that every rank has attached to its window.
#[derive(Debug)]
struct Attached {
    comm: Comm,
    begins: Vec<isize>,
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
        let (mpi, info) = (comm.mpi(), comm.mpi().handles.info_null);
        Self::allocated(comm, size_bytes, |size, base, slot| {
            call_if_there!(mpi, win_allocate(size, 1, info, comm.handle(), base, slot))
        })
    }

    /// As [`Window::allocate`], in memory that all ranks share, which they must (`MPI_Win_allocate_shared`).
    pub fn allocate_shared(comm: Comm, size_bytes: usize) -> Result<Window, MpiError> {
        let (mpi, info) = (comm.mpi(), comm.mpi().handles.info_null);
        Self::allocated(comm, size_bytes, |size, base, slot| {
            call_if_there!(mpi, win_allocate_shared(size, 1, info, comm.handle(), base, slot))
        })
    }

    /// The window of memory that `call` allocates, given its size and where to write its address and the window.
    fn allocated(
        comm: Comm,
        size_bytes: usize,
        call: impl FnOnce(isize, *mut c_void, *mut c_void) -> Result<(), MpiError>,
    ) -> Result<Window, MpiError> {
        let (mut slot, mut base) = (0_usize, ptr::null_mut::<u8>());
        let least = least(comm, size_bytes)?;
        call(size_bytes as isize, (&raw mut base).cast(), (&raw mut slot).cast())?;
        // SAFETY: the library allocated that many bytes there, which stay as long as the window, and `free` gives the
        // window back only where nobody else holds its memory. Of shared memory other ranks have what lies before and behind.
        let memory = unsafe { Memory::of_window(base, size_bytes) };
        Self::adopt(comm.mpi(), MpiHandle(slot), memory, least)
    }

    /// Attaches `memory` to a window that begins without any, and tells every rank where it is; every rank of `comm` must call it
    /// (`MPI_Win_create_dynamic`, `MPI_Win_attach`).
    pub fn attach(comm: Comm, memory: Rc<Memory>) -> Result<Window, MpiError> {
        let (mpi, mut slot) = (comm.mpi(), 0_usize);
        let base = memory.address(Part::new(0, 0, Datatype::Byte))?;
        let (all, size_bytes) = (memory.size_bytes() as isize, least(comm, memory.size_bytes())?);
        let info = mpi.handles.info_null;
        call_if_there!(mpi, win_create_dynamic(info, comm.handle(), (&raw mut slot).cast()))?;
        let mut window = Self::adopt(mpi, MpiHandle(slot), memory, size_bytes)?;
        call_if_there!(mpi, win_attach(window.handle, base, all))?;
        let mut begin = 0;
        call_if_there!(mpi, get_address(base.cast_const(), &raw mut begin))?;
        window.attached = Some(Attached { comm, begins: everyones(comm, begin)? });
        Ok(window)
    }

    fn adopt(mpi: &'static Mpi, handle: MpiHandle, memory: Rc<Memory>, size_bytes: usize) -> Result<Window, MpiError> {
        let (last_origin, origins) = (Cell::new(ptr::null()), RefCell::default());
        mpi.windows().push(handle);
        let window = Self { mpi, handle, memory: Some(memory), size_bytes, attached: None, last_origin, origins };
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
        if let Some(Attached { comm, .. }) = self.attached.take() {
            // Detaching is no collective call: until all are here, another rank may access the memory.
            comm.barrier()?;
            let base = self.memory().address(Part::new(0, 0, Datatype::Byte))?;
            call_if_there!(self.mpi, win_detach(self.handle, base.cast_const()))?;
        }
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

/// The number of every rank of `comm`, by rank.
fn everyones(comm: Comm, own: isize) -> Result<Vec<isize>, MpiError> {
    let [one, all] = [(0, 1), (8, comm.size() as i32)].map(|(at, count)| Part::new(at, count, Datatype::Int64));
    let memory = Memory::new(one.bytes() + all.bytes())?;
    memory.write_integers(0, &[own as i64]);
    comm.allgather(&memory, one, all)?;
    Ok(memory.read_integers(all).into_iter().map(|number| number as isize).collect())
}
