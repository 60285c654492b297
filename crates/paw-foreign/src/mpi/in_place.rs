//! Collective calls with `MPI_IN_PLACE`: a rank's result lies where its contribution was, so that the library copies neither.
#![allow(unsafe_code)]

use std::ffi::c_int;

use super::abi::Op;
use super::calls::call;
use super::collective::blocks;
use super::comm::Comm;
use super::error::MpiError;
use super::memory::{Memory, Part};

impl Comm {
    /// Reduces all ranks' `part` back into `part` (`MPI_Allreduce`).
    #[inline]
    pub fn allreduce_in_place(&self, memory: &Memory, part: Part, op: Op) -> Result<(), MpiError> {
        let (mpi, room) = (self.mpi(), memory.address(part)?);
        let kind = mpi.kind(part.kind());
        call!(mpi, allreduce(mpi.in_place(), room, part.count(), kind, mpi.op(op), self.handle()))
    }

    /// Reduces all ranks' `part` into that of the root (`MPI_Reduce`).
    #[inline]
    pub fn reduce_in_place(&self, memory: &Memory, part: Part, op: Op, root: usize) -> Result<(), MpiError> {
        let (mpi, room) = (self.mpi(), memory.address(part)?);
        let from = if self.rank() == root { mpi.in_place() } else { room.cast_const() };
        let kind = mpi.kind(part.kind());
        call!(mpi, reduce(from, room, part.count(), kind, mpi.op(op), root as c_int, self.handle()))
    }

    /// Gathers each rank's block of `whole` into those of every rank (`MPI_Allgather`).
    #[inline]
    pub fn allgather_in_place(&self, memory: &Memory, whole: Part) -> Result<(), MpiError> {
        let (mpi, room) = (self.mpi(), memory.address(whole)?);
        let (kind, block) = (mpi.kind(whole.kind()), blocks(whole, self.size())?);
        call!(mpi, allgather(mpi.in_place(), block, kind, room, block, kind, self.handle()))
    }

    /// Gathers all other ranks' `from` into the blocks of `into` of the root, beside its own (`MPI_Gather`).
    #[inline]
    pub fn gather_in_place(&self, memory: &Memory, from: Part, into: Part, root: usize) -> Result<(), MpiError> {
        let (mpi, buffer, room) = (self.mpi(), memory.address(from)?, memory.address(into)?);
        let buffer = if self.rank() == root { mpi.in_place() } else { buffer.cast_const() };
        let (kind, block) = (mpi.kind(from.kind()), self.block(into, from)?);
        call!(mpi, gather(buffer, block, kind, room, block, kind, root as c_int, self.handle()))
    }

    /// Scatters the blocks of `from` of the root into `into` of each other rank; the root's stays (`MPI_Scatter`).
    #[inline]
    pub fn scatter_in_place(&self, memory: &Memory, from: Part, into: Part, root: usize) -> Result<(), MpiError> {
        let (mpi, buffer, room) = (self.mpi(), memory.address(from)?, memory.address(into)?);
        let room = if self.rank() == root { mpi.in_place().cast_mut() } else { room };
        let (kind, block) = (mpi.kind(from.kind()), self.block(from, into)?);
        call!(mpi, scatter(buffer, block, kind, room, block, kind, root as c_int, self.handle()))
    }

    /// Exchanges block `j` of `whole` of rank `i` with block `i` of rank `j` (`MPI_Alltoall`).
    #[inline]
    pub fn alltoall_in_place(&self, memory: &Memory, whole: Part) -> Result<(), MpiError> {
        let (mpi, room) = (self.mpi(), memory.address(whole)?);
        let (kind, block) = (mpi.kind(whole.kind()), blocks(whole, self.size())?);
        call!(mpi, alltoall(mpi.in_place(), block, kind, room, block, kind, self.handle()))
    }

    /// Reduces all ranks' `whole` and leaves rank `i` block `i` at the beginning of its own (`MPI_Reduce_scatter_block`); what lies behind
    /// is unspecified.
    #[inline]
    pub fn reduce_scatter_block_in_place(&self, memory: &Memory, whole: Part, op: Op) -> Result<(), MpiError> {
        let (mpi, room) = (self.mpi(), memory.address(whole)?);
        let (kind, block) = (mpi.kind(whole.kind()), blocks(whole, self.size())?);
        call!(mpi, reduce_scatter_block(mpi.in_place(), room, block, kind, mpi.op(op), self.handle()))
    }

    /// Reduces `part` of the ranks up to this one back into `part` (`MPI_Scan`).
    #[inline]
    pub fn scan_in_place(&self, memory: &Memory, part: Part, op: Op) -> Result<(), MpiError> {
        let (mpi, room) = (self.mpi(), memory.address(part)?);
        call!(mpi, scan(mpi.in_place(), room, part.count(), mpi.kind(part.kind()), mpi.op(op), self.handle()))
    }

    /// Reduces `part` of the ranks before this one into `part` (`MPI_Exscan`).
    #[inline]
    pub fn exscan_in_place(&self, memory: &Memory, part: Part, op: Op) -> Result<(), MpiError> {
        let (mpi, room) = (self.mpi(), memory.address(part)?);
        call!(mpi, exscan(mpi.in_place(), room, part.count(), mpi.kind(part.kind()), mpi.op(op), self.handle()))
    }
}
