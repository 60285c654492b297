//! Collective calls that are begun and waited for later: `MPI_Ibarrier` and its like.
#![allow(unsafe_code)]

use std::ffi::c_int;

use super::Requests;
use crate::mpi::abi::Op;
use crate::mpi::calls::call_if_there;
use crate::mpi::collective::blocks;
use crate::mpi::error::MpiError;
use crate::mpi::memory::Part;

impl Requests {
    /// Begins a barrier (`MPI_Ibarrier`).
    #[inline]
    pub fn ibarrier(&mut self, slot: usize) -> Result<(), MpiError> {
        let (mpi, comm, place) = (self.mpi(), self.comm(), self.vacant(slot)?);
        call_if_there!(mpi, ibarrier(comm.handle(), place))
    }

    /// Begins to send `part` of the root to all ranks (`MPI_Ibcast`).
    #[inline]
    pub fn ibcast(&mut self, slot: usize, part: Part, root: usize) -> Result<(), MpiError> {
        let (mpi, comm, place) = (self.mpi(), self.comm(), self.vacant(slot)?);
        let (buffer, kind) = (self.memory.address(part)?, mpi.kind(part.kind()));
        call_if_there!(mpi, ibcast(buffer, part.count(), kind, root as c_int, comm.handle(), place))
    }

    /// Begins to reduce all ranks' `from` into `into` of the root (`MPI_Ireduce`).
    #[inline]
    pub fn ireduce(&mut self, slot: usize, from: Part, into: Part, op: Op, root: usize) -> Result<(), MpiError> {
        let (mpi, comm, place) = (self.mpi(), self.comm(), self.vacant(slot)?);
        let (buffer, room) = (self.memory.address(from)?, self.memory.address(into.like(from))?);
        let (count, kind, op) = (from.count(), mpi.kind(from.kind()), mpi.op(op));
        call_if_there!(mpi, ireduce(buffer, room, count, kind, op, root as c_int, comm.handle(), place))
    }

    /// Begins to reduce all ranks' `from` into `into` of every rank (`MPI_Iallreduce`).
    #[inline]
    pub fn iallreduce(&mut self, slot: usize, from: Part, into: Part, op: Op) -> Result<(), MpiError> {
        let (mpi, comm, place) = (self.mpi(), self.comm(), self.vacant(slot)?);
        let (buffer, room) = (self.memory.address(from)?, self.memory.address(into.like(from))?);
        let (count, kind, op) = (from.count(), mpi.kind(from.kind()), mpi.op(op));
        call_if_there!(mpi, iallreduce(buffer, room, count, kind, op, comm.handle(), place))
    }

    /// Begins to gather all ranks' `from` into the blocks of `into` of the root (`MPI_Igather`).
    #[inline]
    pub fn igather(&mut self, slot: usize, from: Part, into: Part, root: usize) -> Result<(), MpiError> {
        let (mpi, comm, place) = (self.mpi(), self.comm(), self.vacant(slot)?);
        let (buffer, room) = (self.memory.address(from)?, self.memory.address(into)?);
        let (block, kind) = (comm.block(into, from)?, mpi.kind(from.kind()));
        call_if_there!(mpi, igather(buffer, block, kind, room, block, kind, root as c_int, comm.handle(), place))
    }

    /// Begins to scatter the blocks of `from` of the root into `into` of each rank (`MPI_Iscatter`).
    #[inline]
    pub fn iscatter(&mut self, slot: usize, from: Part, into: Part, root: usize) -> Result<(), MpiError> {
        let (mpi, comm, place) = (self.mpi(), self.comm(), self.vacant(slot)?);
        let (buffer, room) = (self.memory.address(from)?, self.memory.address(into)?);
        let (block, kind) = (comm.block(from, into)?, mpi.kind(from.kind()));
        call_if_there!(mpi, iscatter(buffer, block, kind, room, block, kind, root as c_int, comm.handle(), place))
    }

    /// Begins to gather all ranks' `from` into the blocks of `into` of every rank (`MPI_Iallgather`).
    #[inline]
    pub fn iallgather(&mut self, slot: usize, from: Part, into: Part) -> Result<(), MpiError> {
        let (mpi, comm, place) = (self.mpi(), self.comm(), self.vacant(slot)?);
        let (buffer, room) = (self.memory.address(from)?, self.memory.address(into)?);
        let (block, kind) = (comm.block(into, from)?, mpi.kind(from.kind()));
        call_if_there!(mpi, iallgather(buffer, block, kind, room, block, kind, comm.handle(), place))
    }

    /// Begins to copy block `j` of `from` of rank `i` into block `i` of `into` of rank `j` (`MPI_Ialltoall`).
    #[inline]
    pub fn ialltoall(&mut self, slot: usize, from: Part, into: Part) -> Result<(), MpiError> {
        let (mpi, comm, place) = (self.mpi(), self.comm(), self.vacant(slot)?);
        let (buffer, room) = (self.memory.address(from)?, self.memory.address(into.like(from))?);
        let (block, kind) = (blocks(from, comm.size())?, mpi.kind(from.kind()));
        call_if_there!(mpi, ialltoall(buffer, block, kind, room, block, kind, comm.handle(), place))
    }

    /// Begins to reduce all ranks' `from`, block `i` into `into` of rank `i` (`MPI_Ireduce_scatter_block`).
    #[inline]
    pub fn ireduce_scatter_block(&mut self, slot: usize, from: Part, into: Part, op: Op) -> Result<(), MpiError> {
        let (mpi, comm, place) = (self.mpi(), self.comm(), self.vacant(slot)?);
        let (buffer, room) = (self.memory.address(from)?, self.memory.address(into)?);
        let (block, kind, op) = (comm.block(from, into)?, mpi.kind(from.kind()), mpi.op(op));
        call_if_there!(mpi, ireduce_scatter_block(buffer, room, block, kind, op, comm.handle(), place))
    }

    /// Begins to reduce `from` of the ranks up to this one into `into` (`MPI_Iscan`).
    #[inline]
    pub fn iscan(&mut self, slot: usize, from: Part, into: Part, op: Op) -> Result<(), MpiError> {
        let (mpi, comm, place) = (self.mpi(), self.comm(), self.vacant(slot)?);
        let (buffer, room) = (self.memory.address(from)?, self.memory.address(into.like(from))?);
        let (count, kind, op) = (from.count(), mpi.kind(from.kind()), mpi.op(op));
        call_if_there!(mpi, iscan(buffer, room, count, kind, op, comm.handle(), place))
    }

    /// Begins to reduce `from` of the ranks before this one into `into` (`MPI_Iexscan`).
    #[inline]
    pub fn iexscan(&mut self, slot: usize, from: Part, into: Part, op: Op) -> Result<(), MpiError> {
        let (mpi, comm, place) = (self.mpi(), self.comm(), self.vacant(slot)?);
        let (buffer, room) = (self.memory.address(from)?, self.memory.address(into.like(from))?);
        let (count, kind, op) = (from.count(), mpi.kind(from.kind()), mpi.op(op));
        call_if_there!(mpi, iexscan(buffer, room, count, kind, op, comm.handle(), place))
    }

    /// Begins to exchange blocks of `from` with the neighbours in a grid for theirs in `into` (`MPI_Ineighbor_alltoall`).
    #[inline]
    pub fn ineighbor_alltoall(&mut self, slot: usize, from: Part, into: Part) -> Result<(), MpiError> {
        let (mpi, comm, place) = (self.mpi(), self.comm(), self.vacant(slot)?);
        let (buffer, room) = (self.memory.address(from)?, self.memory.address(into.like(from))?);
        let (block, kind) = (blocks(from, comm.neighbours())?, mpi.kind(from.kind()));
        call_if_there!(mpi, ineighbor_alltoall(buffer, block, kind, room, block, kind, comm.handle(), place))
    }
}
