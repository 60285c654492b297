//! A communicator, and the calls between two of its ranks.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::ptr;
use std::sync::atomic::Ordering;

use super::abi::{MpiHandle, Numbers};
use super::calls::call;
use super::comm_state::CommState;
use super::error::{MpiError, MpiFault};
use super::library::Mpi;
use super::memory::{Memory, Part};
use super::thread_level::ThreadLevel;

/// A communicator. Copies are the same one: after [`Comm::free`] the library refuses calls on all of them, as on `MPI_COMM_NULL`.
#[derive(Debug, Clone, Copy)]
pub struct Comm {
    mpi: &'static Mpi,
    state: &'static CommState,
}

impl Mpi {
    /// All ranks.
    pub fn world(&'static self) -> Comm {
        Comm { mpi: self, state: &self.world }
    }
}

impl Comm {
    /// This process's rank.
    #[inline]
    pub fn rank(&self) -> usize {
        self.state.rank
    }

    /// The number of ranks.
    #[inline]
    pub fn size(&self) -> usize {
        self.state.size
    }

    /// The library.
    #[inline]
    pub fn mpi(&self) -> &'static Mpi {
        self.mpi
    }

    #[inline]
    pub(super) fn handle(&self) -> MpiHandle {
        MpiHandle(self.state.handle.load(Ordering::Relaxed))
    }

    pub(super) fn neighbours(&self) -> usize {
        self.state.neighbours
    }

    /// The same ranks in a context of their own (`MPI_Comm_dup`).
    pub fn dup(&self) -> Result<Comm, MpiError> {
        let mut slot = 0_usize;
        call!(self.mpi, comm_dup(self.handle(), (&raw mut slot).cast()))?;
        self.adopt(MpiHandle(slot), 0)
    }

    /// The ranks that pass the same colour, in order of their keys (`MPI_Comm_split`).
    pub fn split(&self, color: i32, key: i32) -> Result<Comm, MpiError> {
        let mut slot = 0_usize;
        call!(self.mpi, comm_split(self.handle(), color, key, (&raw mut slot).cast()))?;
        self.adopt(MpiHandle(slot), 0)
    }

    /// The ranks that can share memory with this one: those of its node (`MPI_Comm_split_type`).
    pub fn split_shared(&self) -> Result<Comm, MpiError> {
        let mut slot = 0_usize;
        let shared = Numbers::int(self.mpi.numbers.type_shared);
        let info = self.mpi.handles.info_null;
        call!(self.mpi, comm_split_type(self.handle(), shared, 0, info, (&raw mut slot).cast()))?;
        self.adopt(MpiHandle(slot), 0)
    }

    /// The ranks in a grid of these extents, each dimension closed or open as `periodic` says (`MPI_Cart_create`); the product of
    /// the extents must be the number of ranks.
    pub fn cartesian(&self, extents: &[usize], periodic: &[Periodic]) -> Result<Comm, MpiError> {
        let product = extents.iter().try_fold(1_usize, |product, extent| product.checked_mul(*extent));
        if product != Some(self.size()) || extents.len() != periodic.len() {
            let text = format!("a grid of {extents:?} does not hold {} ranks, each once", self.size());
            return Err(MpiFault::Arguments(text).into());
        }
        let extents: Vec<c_int> = extents.iter().map(|extent| *extent as c_int).collect();
        let periods: Vec<c_int> = periodic.iter().map(|p| c_int::from(*p == Periodic::Closed)).collect();
        let (mut slot, dimensions) = (0_usize, extents.len() as c_int);
        let slot_address = (&raw mut slot).cast();
        call!(self.mpi, cart_create(self.handle(), dimensions, extents.as_ptr(), periods.as_ptr(), 0, slot_address))?;
        self.adopt(MpiHandle(slot), 2 * extents.len())
    }

    /// The ranks in a closed ring: each has the one before it and the one after it as neighbours.
    pub fn ring(&self) -> Result<Comm, MpiError> {
        self.cartesian(&[self.size()], &[Periodic::Closed])
    }

    /// Gives the communicator back; every rank of it must. The world is never given back.
    pub fn free(self) -> Result<(), MpiError> {
        let handles = &self.mpi.handles;
        if [handles.comm_world, handles.comm_null].contains(&self.handle()) {
            return Ok(());
        }
        let mut slot = self.state.handle.swap(handles.comm_null.0, Ordering::Relaxed);
        call!(self.mpi, comm_free((&raw mut slot).cast()))
    }

    /// The communicator in a form that can be sent to other threads; the library must provide `Multiple`.
    pub fn across_threads(&self) -> Result<AcrossThreads, MpiError> {
        if self.mpi.level() != ThreadLevel::Multiple {
            let text = format!("{} gives threads the level {} only", self.mpi.version(), self.mpi.level().name());
            return Err(MpiFault::Arguments(text).into());
        }
        Ok(AcrossThreads(*self))
    }

    pub(super) fn adopt(&self, handle: MpiHandle, neighbours: usize) -> Result<Comm, MpiError> {
        if handle == self.mpi.handles.comm_null {
            return Err(MpiFault::Arguments("this rank is in no communicator of the split".into()).into());
        }
        call!(self.mpi, comm_set_errhandler(handle, self.mpi.handles.errors_return))?;
        let (mut rank, mut size): (c_int, c_int) = (0, 0);
        call!(self.mpi, comm_rank(handle, &raw mut rank))?;
        call!(self.mpi, comm_size(handle, &raw mut size))?;
        let state = CommState { neighbours, ..CommState::new(handle, rank, size) };
        Ok(Self { mpi: self.mpi, state: Box::leak(Box::new(state)) })
    }

    /// Sends `out` to the rank `to` and receives into `into` from the rank `from`, both with `tag` (`MPI_Sendrecv`).
    #[inline]
    pub fn sendrecv(
        &self,
        memory: &Memory,
        (out, to): (Part, usize),
        (into, from): (Part, usize),
        tag: i32,
    ) -> Result<(), MpiError> {
        let (mpi, buffer, room) = (self.mpi, memory.address(out)?, memory.address(into)?);
        let (out_kind, into_kind) = (mpi.kind(out.kind()), mpi.kind(into.kind()));
        call!(
            mpi,
            sendrecv(
                buffer,
                out.count(),
                out_kind,
                to as c_int,
                tag,
                room,
                into.count(),
                into_kind,
                from as c_int,
                tag,
                self.handle(),
                mpi.ignored(),
            )
        )
    }

    /// Waits until a message from the rank `from` has arrived, without receiving it (`MPI_Probe`).
    #[inline]
    pub fn probe(&self, from: usize, tag: i32) -> Result<(), MpiError> {
        call!(self.mpi, probe(from as c_int, tag, self.handle(), self.mpi.ignored()))
    }

    /// Whether a message from the rank `from` has arrived (`MPI_Iprobe`).
    #[inline]
    pub fn is_there(&self, from: usize, tag: i32) -> Result<bool, MpiError> {
        let mut flag = 0;
        let flag_address = ptr::from_mut(&mut flag);
        call!(self.mpi, iprobe(from as c_int, tag, self.handle(), flag_address, self.mpi.ignored()))?;
        Ok(flag != 0)
    }
}

/// A communicator that may be sent to another thread.
#[derive(Debug, Clone, Copy)]
pub struct AcrossThreads(Comm);

// SAFETY: it is made only where the library allows calls from any thread at any time; what changes in `Mpi` and `CommState` is
// atomic.
unsafe impl Send for AcrossThreads {}
// SAFETY: as above.
unsafe impl Sync for AcrossThreads {}

impl AcrossThreads {
    /// The communicator, for use in the calling thread.
    pub fn here(self) -> Comm {
        self.0
    }
}

/// Whether a dimension of a grid is a ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Periodic {
    /// The last is a neighbour of the first.
    Closed,
    /// The first and the last have one neighbour.
    Open,
}
