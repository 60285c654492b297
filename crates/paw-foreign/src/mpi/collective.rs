//! Collective calls of a communicator.
//!
//! A part that holds something for, or from, each rank has one block per rank; MPI is passed the elements of one block.
#![allow(unsafe_code)]

use std::ffi::c_int;

use super::abi::Op;
use super::calls::{call, call_if_there};
use super::comm::Comm;
use super::error::{MpiError, MpiFault};
use super::memory::{Memory, Part};

impl Comm {
    /// Waits until every rank has called it (`MPI_Barrier`).
    #[inline]
    pub fn barrier(&self) -> Result<(), MpiError> {
        call!(self.mpi(), barrier(self.handle()))
    }

    /// Sends `part` of the root to all ranks (`MPI_Bcast`).
    #[inline]
    pub fn bcast(&self, memory: &Memory, part: Part, root: usize) -> Result<(), MpiError> {
        let (mpi, buffer) = (self.mpi(), memory.address(part)?);
        call!(mpi, bcast(buffer, part.count(), mpi.kind(part.kind()), root as c_int, self.handle()))
    }

    /// Reduces all ranks' `from` into `into` of the root (`MPI_Reduce`).
    #[inline]
    pub fn reduce(&self, memory: &Memory, from: Part, into: Part, op: Op, root: usize) -> Result<(), MpiError> {
        let (mpi, buffer, room) = (self.mpi(), memory.address(from)?, memory.address(into.like(from))?);
        let kind = mpi.kind(from.kind());
        call!(mpi, reduce(buffer, room, from.count(), kind, mpi.op(op), root as c_int, self.handle()))
    }

    /// Reduces all ranks' `from` into `into` of every rank (`MPI_Allreduce`).
    #[inline]
    pub fn allreduce(&self, memory: &Memory, from: Part, into: Part, op: Op) -> Result<(), MpiError> {
        let (mpi, buffer, room) = (self.mpi(), memory.address(from)?, memory.address(into.like(from))?);
        call!(mpi, allreduce(buffer, room, from.count(), mpi.kind(from.kind()), mpi.op(op), self.handle()))
    }

    /// Gathers all ranks' `from` into the blocks of `into` of the root (`MPI_Gather`).
    #[inline]
    pub fn gather(&self, memory: &Memory, from: Part, into: Part, root: usize) -> Result<(), MpiError> {
        let (mpi, buffer, room) = (self.mpi(), memory.address(from)?, memory.address(into)?);
        let (own, each, block) = (mpi.kind(from.kind()), mpi.kind(into.kind()), self.block(into, from)?);
        call!(mpi, gather(buffer, from.count(), own, room, block, each, root as c_int, self.handle()))
    }

    /// Scatters the blocks of `from` of the root into `into` of each rank (`MPI_Scatter`).
    #[inline]
    pub fn scatter(&self, memory: &Memory, from: Part, into: Part, root: usize) -> Result<(), MpiError> {
        let (mpi, buffer, room) = (self.mpi(), memory.address(from)?, memory.address(into)?);
        let (each, own, block) = (mpi.kind(from.kind()), mpi.kind(into.kind()), self.block(from, into)?);
        call!(mpi, scatter(buffer, block, each, room, into.count(), own, root as c_int, self.handle()))
    }

    /// Gathers all ranks' `from` into the blocks of `into` of every rank (`MPI_Allgather`).
    #[inline]
    pub fn allgather(&self, memory: &Memory, from: Part, into: Part) -> Result<(), MpiError> {
        let (mpi, buffer, room) = (self.mpi(), memory.address(from)?, memory.address(into)?);
        let (own, each, block) = (mpi.kind(from.kind()), mpi.kind(into.kind()), self.block(into, from)?);
        call!(mpi, allgather(buffer, from.count(), own, room, block, each, self.handle()))
    }

    /// Copies block `j` of `from` of rank `i` into block `i` of `into` of rank `j` (`MPI_Alltoall`).
    #[inline]
    pub fn alltoall(&self, memory: &Memory, from: Part, into: Part) -> Result<(), MpiError> {
        let (mpi, buffer, room) = (self.mpi(), memory.address(from)?, memory.address(into.like(from))?);
        let (kind, block) = (mpi.kind(from.kind()), blocks(from, self.size())?);
        call!(mpi, alltoall(buffer, block, kind, room, block, kind, self.handle()))
    }

    /// Sends the blocks of `from` to the neighbours in a grid and receives theirs into `into` (`MPI_Neighbor_alltoall`).
    #[inline]
    pub fn neighbor_alltoall(&self, memory: &Memory, from: Part, into: Part) -> Result<(), MpiError> {
        let (mpi, buffer, room) = (self.mpi(), memory.address(from)?, memory.address(into.like(from))?);
        let (kind, block) = (mpi.kind(from.kind()), blocks(from, self.neighbours())?);
        call_if_there!(mpi, neighbor_alltoall(buffer, block, kind, room, block, kind, self.handle()))
    }

    /// Sends `from` to the neighbours in a grid and receives theirs into the blocks of `into` (`MPI_Neighbor_allgather`).
    #[inline]
    pub fn neighbor_allgather(&self, memory: &Memory, from: Part, into: Part) -> Result<(), MpiError> {
        let (mpi, buffer, room) = (self.mpi(), memory.address(from)?, memory.address(into)?);
        let (kind, block) = (mpi.kind(from.kind()), blocks(into, self.neighbours())?);
        if block != from.count() || into.kind() != from.kind() {
            return Err(uneven(into, from.len(), self.neighbours()));
        }
        call_if_there!(mpi, neighbor_allgather(buffer, block, kind, room, block, kind, self.handle()))
    }

    /// Reduces all ranks' `from`, block `i` into `into` of rank `i` (`MPI_Reduce_scatter_block`).
    #[inline]
    pub fn reduce_scatter_block(&self, memory: &Memory, from: Part, into: Part, op: Op) -> Result<(), MpiError> {
        let (mpi, buffer, room) = (self.mpi(), memory.address(from)?, memory.address(into)?);
        let (kind, block) = (mpi.kind(from.kind()), self.block(from, into)?);
        call!(mpi, reduce_scatter_block(buffer, room, block, kind, mpi.op(op), self.handle()))
    }

    /// Reduces `from` of the ranks up to this one into `into` (`MPI_Scan`).
    #[inline]
    pub fn scan(&self, memory: &Memory, from: Part, into: Part, op: Op) -> Result<(), MpiError> {
        let (mpi, buffer, room) = (self.mpi(), memory.address(from)?, memory.address(into.like(from))?);
        call!(mpi, scan(buffer, room, from.count(), mpi.kind(from.kind()), mpi.op(op), self.handle()))
    }

    /// Reduces `from` of the ranks before this one into `into` (`MPI_Exscan`).
    #[inline]
    pub fn exscan(&self, memory: &Memory, from: Part, into: Part, op: Op) -> Result<(), MpiError> {
        let (mpi, buffer, room) = (self.mpi(), memory.address(from)?, memory.address(into.like(from))?);
        call!(mpi, exscan(buffer, room, from.count(), mpi.kind(from.kind()), mpi.op(op), self.handle()))
    }

    /// Elements of a block, if `whole` is one block as large as `one` for each rank.
    #[inline]
    pub(super) fn block(&self, whole: Part, one: Part) -> Result<c_int, MpiError> {
        if one.bytes().saturating_mul(self.size()) != whole.bytes() || one.kind() != whole.kind() {
            return Err(uneven(whole, one.len(), self.size()));
        }
        Ok(one.count())
    }
}

/// Elements of a block, if `whole` is `count` equal blocks.
#[inline]
pub(super) fn blocks(whole: Part, count: usize) -> Result<c_int, MpiError> {
    let block = whole.len().checked_div(count).unwrap_or(0);
    if block * count != whole.len() {
        return Err(uneven(whole, block, count));
    }
    Ok(block as c_int)
}

#[cold]
fn uneven(whole: Part, one: usize, times: usize) -> MpiError {
    let (elements, kind) = (whole.len(), whole.kind());
    MpiFault::Arguments(format!("{elements} elements of {kind:?} are not {times} blocks of {one} elements")).into()
}
