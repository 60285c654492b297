//! Requests: transfers in flight, waited for by slot.
#![allow(unsafe_code)]

mod collective;
mod partitioned;
mod persistent;
mod vector;

use std::ffi::{c_int, c_void};
use std::mem;
use std::ptr;
use std::rc::Rc;

use super::abi::MpiHandle;
use super::calls::call;
use super::comm::Comm;
use super::counts::Counts;
use super::error::{MpiError, MpiFault};
use super::library::Mpi;
use super::memory::{Memory, Part};

/// Requests of one communicator on one memory, in numbered slots.
///
/// A slot takes the next transfer after the previous one was waited for. Memory of transfers that are in flight when this is
/// dropped is leaked, and so are counts.
#[derive(Debug)]
pub struct Requests {
    comm: Comm,
    memory: Rc<Memory>,
    /// The counts of all transfers: kept, because the library reads them until a transfer is complete.
    counts: Vec<Rc<Counts>>,
    /// Handles at the ABI's stride, in words so that they are aligned.
    raw: Vec<u64>,
    slots: usize,
    stride: usize,
}

impl Requests {
    /// `slots` empty slots.
    pub fn new(comm: Comm, memory: Rc<Memory>, slots: usize) -> Self {
        let stride = comm.mpi().numbers.handle_bytes as usize;
        let raw = vec![0; (slots * stride).div_ceil(size_of::<u64>())];
        let mut requests = Self { comm, memory, counts: Vec::new(), raw, slots, stride };
        for slot in 0..slots {
            requests.clear(slot);
        }
        requests
    }

    /// How many slots there are.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// The memory that transfers read and write.
    pub fn memory(&self) -> &Rc<Memory> {
        &self.memory
    }

    /// Begins to send `part` to the rank `to` (`MPI_Isend`).
    #[inline]
    pub fn isend(&mut self, slot: usize, part: Part, to: usize, tag: i32) -> Result<(), MpiError> {
        let (mpi, place, buffer) = (self.mpi(), self.vacant(slot)?, self.memory.address(part)?);
        call!(mpi, isend(buffer, part.count(), mpi.kind(part.kind()), to as c_int, tag, self.comm.handle(), place))
    }

    /// Begins to receive into `part` from the rank `from` (`MPI_Irecv`).
    #[inline]
    pub fn irecv(&mut self, slot: usize, part: Part, from: usize, tag: i32) -> Result<(), MpiError> {
        let (mpi, place, buffer) = (self.mpi(), self.vacant(slot)?, self.memory.address(part)?);
        call!(mpi, irecv(buffer, part.count(), mpi.kind(part.kind()), from as c_int, tag, self.comm.handle(), place))
    }

    /// Waits for the transfer in `slot` (`MPI_Wait`); an empty slot is done.
    #[inline]
    pub fn wait(&mut self, slot: usize) -> Result<(), MpiError> {
        let (mpi, place) = (self.mpi(), self.place(slot)?);
        call!(mpi, wait(place, mpi.ignored()))
    }

    /// Waits for the transfers in all slots (`MPI_Waitall`).
    #[inline]
    pub fn wait_all(&mut self) -> Result<(), MpiError> {
        let mpi = self.mpi();
        call!(mpi, waitall(self.slots as c_int, self.raw.as_mut_ptr().cast(), mpi.ignored()))
    }

    /// Whether the transfer in `slot` is done (`MPI_Test`).
    #[inline]
    pub fn test(&mut self, slot: usize) -> Result<bool, MpiError> {
        let (mpi, place) = (self.mpi(), self.place(slot)?);
        let mut flag = 0;
        call!(mpi, test(place, ptr::from_mut(&mut flag), mpi.ignored()))?;
        Ok(flag != 0)
    }

    /// Whether the transfers in all slots are done (`MPI_Testall`).
    #[inline]
    pub fn test_all(&mut self) -> Result<bool, MpiError> {
        let mpi = self.mpi();
        let mut flag = 0;
        let flag_address = ptr::from_mut(&mut flag);
        call!(mpi, testall(self.slots as c_int, self.raw.as_mut_ptr().cast(), flag_address, mpi.ignored()))?;
        Ok(flag != 0)
    }

    #[inline]
    pub(super) fn mpi(&self) -> &'static Mpi {
        self.comm.mpi()
    }

    #[inline]
    pub(super) fn comm(&self) -> Comm {
        self.comm
    }

    /// The address of a slot.
    #[inline]
    pub(super) fn place(&mut self, slot: usize) -> Result<*mut c_void, MpiError> {
        if slot >= self.slots {
            return Err(misused(slot, "does not exist"));
        }
        // SAFETY: the storage has room for `slots` handles of this stride.
        Ok(unsafe { self.raw.as_mut_ptr().byte_add(slot * self.stride) }.cast())
    }

    /// The address of an empty slot: overwriting a handle would lose its transfer.
    #[inline]
    pub(super) fn vacant(&mut self, slot: usize) -> Result<*mut c_void, MpiError> {
        let place = self.place(slot)?;
        if self.handle(slot) != self.mpi().handles.request_null {
            return Err(misused(slot, "is in use: wait for what is in it first"));
        }
        Ok(place)
    }

    /// Keeps `counts` as long as this.
    #[inline]
    pub(super) fn keep(&mut self, counts: &Rc<Counts>) {
        if !self.counts.iter().any(|kept| Rc::ptr_eq(kept, counts)) {
            self.counts.push(Rc::clone(counts));
        }
    }

    #[inline]
    fn handle(&self, slot: usize) -> MpiHandle {
        let word = self.raw[slot * self.stride / size_of::<u64>()];
        match self.stride {
            // Two handles a word, the even slot in the low half.
            4 => MpiHandle((word >> (32 * (slot % 2))) as u32 as usize),
            _ => MpiHandle(word as usize),
        }
    }

    fn clear(&mut self, slot: usize) {
        let null = self.mpi().handles.request_null.0 as u64;
        let word = &mut self.raw[slot * self.stride / size_of::<u64>()];
        match self.stride {
            4 => {
                let shift = 32 * (slot % 2);
                *word = (*word & !(u64::from(u32::MAX) << shift)) | (null << shift);
            }
            _ => *word = null,
        }
    }

    /// Frees `slot`, and says whether nothing is in flight there.
    fn release(&mut self, slot: usize) -> bool {
        let null = self.mpi().handles.request_null;
        if self.handle(slot) == null {
            return true;
        }
        if self.mpi().is_finalized() || !matches!(self.test(slot), Ok(true)) {
            return false;
        }
        // After a test only a persistent request that is not active is left.
        let (mpi, place) = (self.mpi(), self.place(slot));
        self.handle(slot) == null || place.and_then(|place| call!(mpi, request_free(place))).is_ok()
    }
}

impl Drop for Requests {
    fn drop(&mut self) {
        // Waiting could hang: the other side may be dead.
        let released = (0..self.slots).filter(|slot| self.release(*slot)).count();
        if released < self.slots {
            mem::forget((Rc::clone(&self.memory), mem::take(&mut self.counts)));
        }
    }
}

#[cold]
fn misused(slot: usize, what: &'static str) -> MpiError {
    MpiFault::Slot { slot, what }.into()
}
