//! Collective calls with a count for each rank.
#![allow(unsafe_code)]

use std::ffi::c_int;

use super::abi::Op;
use super::calls::call;
use super::comm::Comm;
use super::counts::Counts;
use super::error::MpiError;
use super::memory::{Memory, Part};

impl Comm {
    /// Gathers all ranks' `from` into the root's `into` as `counts` says (`MPI_Gatherv`).
    #[inline]
    pub fn gatherv(
        &self,
        memory: &Memory,
        from: Part,
        into: Part,
        counts: &Counts,
        root: usize,
    ) -> Result<(), MpiError> {
        let (mpi, buffer, room) = (self.mpi(), memory.address(from)?, memory.address(into)?);
        let (counts, begins) = counts.within(into, self.size())?;
        let (own, each) = (mpi.kind(from.kind()), mpi.kind(into.kind()));
        call!(mpi, gatherv(buffer, from.count(), own, room, counts, begins, each, root as c_int, self.handle()))
    }

    /// Scatters the root's `from`, divided as `counts` says, into each rank's `into` (`MPI_Scatterv`).
    #[inline]
    pub fn scatterv(
        &self,
        memory: &Memory,
        from: Part,
        counts: &Counts,
        into: Part,
        root: usize,
    ) -> Result<(), MpiError> {
        let (mpi, buffer, room) = (self.mpi(), memory.address(from)?, memory.address(into)?);
        let (counts, begins) = counts.within(from, self.size())?;
        let (each, own) = (mpi.kind(from.kind()), mpi.kind(into.kind()));
        call!(mpi, scatterv(buffer, counts, begins, each, room, into.count(), own, root as c_int, self.handle()))
    }

    /// Gathers all ranks' `from` into every rank's `into` as `counts` says (`MPI_Allgatherv`).
    #[inline]
    pub fn allgatherv(&self, memory: &Memory, from: Part, into: Part, counts: &Counts) -> Result<(), MpiError> {
        let (mpi, buffer, room) = (self.mpi(), memory.address(from)?, memory.address(into)?);
        let (counts, begins) = counts.within(into, self.size())?;
        let (own, each) = (mpi.kind(from.kind()), mpi.kind(into.kind()));
        call!(mpi, allgatherv(buffer, from.count(), own, room, counts, begins, each, self.handle()))
    }

    /// Sends the blocks `sent` of `from` to each rank and receives the blocks `received` of `into` from each (`MPI_Alltoallv`).
    #[inline]
    pub fn alltoallv(
        &self,
        memory: &Memory,
        from: Part,
        sent: &Counts,
        into: Part,
        received: &Counts,
    ) -> Result<(), MpiError> {
        let (mpi, buffer, room) = (self.mpi(), memory.address(from)?, memory.address(into)?);
        let (sent, sent_begins) = sent.within(from, self.size())?;
        let (received, received_begins) = received.within(into, self.size())?;
        let (out, each) = (mpi.kind(from.kind()), mpi.kind(into.kind()));
        call!(mpi, alltoallv(buffer, sent, sent_begins, out, room, received, received_begins, each, self.handle()))
    }

    /// Reduces all ranks' `from` and leaves rank `i` the block of `counts[i]` elements in `into` (`MPI_Reduce_scatter`). Displacements
    /// are ignored: blocks follow each other.
    #[inline]
    pub fn reduce_scatter(
        &self,
        memory: &Memory,
        from: Part,
        into: Part,
        counts: &Counts,
        op: Op,
    ) -> Result<(), MpiError> {
        let (mpi, buffer, room) =
            (self.mpi(), memory.address(from)?, memory.address(into.like(counts.own(from, self.rank())))?);
        let (counts, _) = counts.packed_within(from, self.size())?;
        call!(mpi, reduce_scatter(buffer, room, counts, mpi.kind(from.kind()), mpi.op(op), self.handle()))
    }
}
