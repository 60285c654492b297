//! Persistent requests, described once and started again and again: `MPI_Send_init` and its like.
#![allow(unsafe_code)]

use std::ffi::c_int;

use super::Requests;
use crate::mpi::abi::Op;
use crate::mpi::calls::{call, call_if_there};
use crate::mpi::collective::blocks;
use crate::mpi::error::MpiError;
use crate::mpi::memory::Part;

impl Requests {
    /// Describes a message of `part` to the rank `to` (`MPI_Send_init`).
    pub fn send_init(&mut self, slot: usize, part: Part, to: usize, tag: i32) -> Result<(), MpiError> {
        let (mpi, comm, place, buffer) = (self.mpi(), self.comm(), self.vacant(slot)?, self.memory.address(part)?);
        call!(mpi, send_init(buffer, part.count(), mpi.kind(part.kind()), to as c_int, tag, comm.handle(), place))
    }

    /// Describes a message into `part` from the rank `from` (`MPI_Recv_init`).
    pub fn recv_init(&mut self, slot: usize, part: Part, from: usize, tag: i32) -> Result<(), MpiError> {
        let (mpi, comm, place, buffer) = (self.mpi(), self.comm(), self.vacant(slot)?, self.memory.address(part)?);
        call!(mpi, recv_init(buffer, part.count(), mpi.kind(part.kind()), from as c_int, tag, comm.handle(), place))
    }

    /// Starts the request in `slot` (`MPI_Start`).
    #[inline]
    pub fn start(&mut self, slot: usize) -> Result<(), MpiError> {
        let (mpi, place) = (self.mpi(), self.place(slot)?);
        call!(mpi, start(place))
    }

    /// Starts the requests in all slots (`MPI_Startall`).
    #[inline]
    pub fn start_all(&mut self) -> Result<(), MpiError> {
        let mpi = self.mpi();
        call!(mpi, startall(self.slots as c_int, self.raw.as_mut_ptr().cast()))
    }

    /// Describes a barrier (`MPI_Barrier_init`).
    pub fn barrier_init(&mut self, slot: usize) -> Result<(), MpiError> {
        let (mpi, comm, place) = (self.mpi(), self.comm(), self.vacant(slot)?);
        call_if_there!(mpi, barrier_init(comm.handle(), mpi.handles.info_null, place))
    }

    /// Describes a broadcast of `part` of the root (`MPI_Bcast_init`).
    pub fn bcast_init(&mut self, slot: usize, part: Part, root: usize) -> Result<(), MpiError> {
        let (mpi, comm, place) = (self.mpi(), self.comm(), self.vacant(slot)?);
        let (buffer, kind) = (self.memory.address(part)?, mpi.kind(part.kind()));
        call_if_there!(
            mpi,
            bcast_init(buffer, part.count(), kind, root as c_int, comm.handle(), mpi.handles.info_null, place)
        )
    }

    /// Describes a reduction of all ranks' `from` into `into` of the root (`MPI_Reduce_init`).
    pub fn reduce_init(&mut self, slot: usize, from: Part, into: Part, op: Op, root: usize) -> Result<(), MpiError> {
        let (mpi, comm, place) = (self.mpi(), self.comm(), self.vacant(slot)?);
        let (buffer, room) = (self.memory.address(from)?, self.memory.address(into.like(from))?);
        let (count, kind, op) = (from.count(), mpi.kind(from.kind()), mpi.op(op));
        call_if_there!(
            mpi,
            reduce_init(buffer, room, count, kind, op, root as c_int, comm.handle(), mpi.handles.info_null, place)
        )
    }

    /// Describes a reduction of all ranks' `from` into `into` of every rank (`MPI_Allreduce_init`).
    pub fn allreduce_init(&mut self, slot: usize, from: Part, into: Part, op: Op) -> Result<(), MpiError> {
        let (mpi, comm, place) = (self.mpi(), self.comm(), self.vacant(slot)?);
        let (buffer, room) = (self.memory.address(from)?, self.memory.address(into.like(from))?);
        let (count, kind, op) = (from.count(), mpi.kind(from.kind()), mpi.op(op));
        call_if_there!(mpi, allreduce_init(buffer, room, count, kind, op, comm.handle(), mpi.handles.info_null, place))
    }

    /// Describes a gathering of all ranks' `from` into the blocks of `into` of the root (`MPI_Gather_init`).
    pub fn gather_init(&mut self, slot: usize, from: Part, into: Part, root: usize) -> Result<(), MpiError> {
        let (mpi, comm, place) = (self.mpi(), self.comm(), self.vacant(slot)?);
        let (buffer, room) = (self.memory.address(from)?, self.memory.address(into)?);
        let (block, kind) = (comm.block(into, from)?, mpi.kind(from.kind()));
        let (root, world, info) = (root as c_int, comm.handle(), mpi.handles.info_null);
        call_if_there!(mpi, gather_init(buffer, block, kind, room, block, kind, root, world, info, place))
    }

    /// Describes a scattering of the blocks of `from` of the root into `into` of each rank (`MPI_Scatter_init`).
    pub fn scatter_init(&mut self, slot: usize, from: Part, into: Part, root: usize) -> Result<(), MpiError> {
        let (mpi, comm, place) = (self.mpi(), self.comm(), self.vacant(slot)?);
        let (buffer, room) = (self.memory.address(from)?, self.memory.address(into)?);
        let (block, kind) = (comm.block(from, into)?, mpi.kind(from.kind()));
        let (root, world, info) = (root as c_int, comm.handle(), mpi.handles.info_null);
        call_if_there!(mpi, scatter_init(buffer, block, kind, room, block, kind, root, world, info, place))
    }

    /// Describes a gathering of all ranks' `from` into the blocks of `into` of every rank (`MPI_Allgather_init`).
    pub fn allgather_init(&mut self, slot: usize, from: Part, into: Part) -> Result<(), MpiError> {
        let (mpi, comm, place) = (self.mpi(), self.comm(), self.vacant(slot)?);
        let (buffer, room) = (self.memory.address(from)?, self.memory.address(into)?);
        let (block, kind) = (comm.block(into, from)?, mpi.kind(from.kind()));
        call_if_there!(
            mpi,
            allgather_init(buffer, block, kind, room, block, kind, comm.handle(), mpi.handles.info_null, place)
        )
    }

    /// Describes copies of block `j` of `from` of rank `i` into block `i` of `into` of rank `j` (`MPI_Alltoall_init`).
    pub fn alltoall_init(&mut self, slot: usize, from: Part, into: Part) -> Result<(), MpiError> {
        let (mpi, comm, place) = (self.mpi(), self.comm(), self.vacant(slot)?);
        let (buffer, room) = (self.memory.address(from)?, self.memory.address(into.like(from))?);
        let (block, kind) = (blocks(from, comm.size())?, mpi.kind(from.kind()));
        call_if_there!(
            mpi,
            alltoall_init(buffer, block, kind, room, block, kind, comm.handle(), mpi.handles.info_null, place)
        )
    }

    /// Describes a reduction of all ranks' `from`, block `i` into `into` of rank `i` (`MPI_Reduce_scatter_block_init`).
    pub fn reduce_scatter_block_init(&mut self, slot: usize, from: Part, into: Part, op: Op) -> Result<(), MpiError> {
        let (mpi, comm, place) = (self.mpi(), self.comm(), self.vacant(slot)?);
        let (buffer, room) = (self.memory.address(from)?, self.memory.address(into)?);
        let (block, kind, op) = (comm.block(from, into)?, mpi.kind(from.kind()), mpi.op(op));
        call_if_there!(
            mpi,
            reduce_scatter_block_init(buffer, room, block, kind, op, comm.handle(), mpi.handles.info_null, place)
        )
    }
}
