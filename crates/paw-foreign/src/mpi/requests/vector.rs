//! Collective calls with a count for each rank that are begun and waited for later: `MPI_Igatherv` and its like.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::rc::Rc;

use super::Requests;
use crate::mpi::calls::call_if_there;
use crate::mpi::counts::Counts;
use crate::mpi::error::MpiError;
use crate::mpi::memory::Part;

impl Requests {
    /// Begins to gather all ranks' `from` into the root's `into` as `counts` says (`MPI_Igatherv`).
    #[inline]
    pub fn igatherv(
        &mut self,
        slot: usize,
        from: Part,
        into: Part,
        counts: &Rc<Counts>,
        root: usize,
    ) -> Result<(), MpiError> {
        self.keep(counts);
        let (mpi, comm, place) = (self.mpi(), self.comm(), self.vacant(slot)?);
        let (buffer, room) = (self.memory.address(from)?, self.memory.address(into)?);
        let (counts, begins) = counts.within(into, comm.size())?;
        let (own, each, count, root) = (mpi.kind(from.kind()), mpi.kind(into.kind()), from.count(), root as c_int);
        call_if_there!(mpi, igatherv(buffer, count, own, room, counts, begins, each, root, comm.handle(), place))
    }

    /// Begins to scatter the root's `from`, divided as `counts` says, into each rank's `into` (`MPI_Iscatterv`).
    #[inline]
    pub fn iscatterv(
        &mut self,
        slot: usize,
        from: Part,
        counts: &Rc<Counts>,
        into: Part,
        root: usize,
    ) -> Result<(), MpiError> {
        self.keep(counts);
        let (mpi, comm, place) = (self.mpi(), self.comm(), self.vacant(slot)?);
        let (buffer, room) = (self.memory.address(from)?, self.memory.address(into)?);
        let (counts, begins) = counts.within(from, comm.size())?;
        let (each, own, count, root) = (mpi.kind(from.kind()), mpi.kind(into.kind()), into.count(), root as c_int);
        call_if_there!(mpi, iscatterv(buffer, counts, begins, each, room, count, own, root, comm.handle(), place))
    }

    /// Begins to gather all ranks' `from` into every rank's `into` as `counts` says (`MPI_Iallgatherv`).
    #[inline]
    pub fn iallgatherv(&mut self, slot: usize, from: Part, into: Part, counts: &Rc<Counts>) -> Result<(), MpiError> {
        self.keep(counts);
        let (mpi, comm, place) = (self.mpi(), self.comm(), self.vacant(slot)?);
        let (buffer, room) = (self.memory.address(from)?, self.memory.address(into)?);
        let (counts, begins) = counts.within(into, comm.size())?;
        let (own, each) = (mpi.kind(from.kind()), mpi.kind(into.kind()));
        call_if_there!(mpi, iallgatherv(buffer, from.count(), own, room, counts, begins, each, comm.handle(), place))
    }

    /// Begins to send the blocks `sent` of `from` to each rank and to receive the blocks `received` of `into` from each
    /// (`MPI_Ialltoallv`).
    #[inline]
    pub fn ialltoallv(
        &mut self,
        slot: usize,
        from: Part,
        sent: &Rc<Counts>,
        into: Part,
        received: &Rc<Counts>,
    ) -> Result<(), MpiError> {
        self.keep(sent);
        self.keep(received);
        let (mpi, comm, place) = (self.mpi(), self.comm(), self.vacant(slot)?);
        let (buffer, room) = (self.memory.address(from)?, self.memory.address(into)?);
        let (counts, begins) = sent.within(from, comm.size())?;
        let (rooms, room_begins) = received.within(into, comm.size())?;
        let (out, each, world) = (mpi.kind(from.kind()), mpi.kind(into.kind()), comm.handle());
        call_if_there!(mpi, ialltoallv(buffer, counts, begins, out, room, rooms, room_begins, each, world, place))
    }
}
