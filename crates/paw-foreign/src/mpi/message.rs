//! Messages whose arguments are checked once, so that a loop repeats the MPI call alone.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;

use super::abi::MpiHandle;
use super::calls::call;
use super::comm::Comm;
use super::derived::DerivedDatatype;
use super::error::MpiError;
use super::memory::{Memory, Part};

/// A message to or from a rank, with its arguments checked beforehand: a ping-pong measures every instruction between arrival and
/// answer, so the call must cost what it costs in a C program.
#[derive(Debug, Clone, Copy)]
pub struct Message<'m> {
    comm: Comm,
    buffer: *mut c_void,
    count: c_int,
    kind: MpiHandle,
    partner: c_int,
    tag: c_int,
    memory: PhantomData<&'m Memory>,
}

impl<'m> Message<'m> {
    /// `part` of `memory`, to or from the rank `partner`; an error if it does not lie in the memory.
    #[inline]
    pub fn new(comm: Comm, memory: &'m Memory, part: Part, partner: usize, tag: i32) -> Result<Self, MpiError> {
        let (buffer, kind) = (memory.address(part)?, comm.mpi().kind(part.kind()));
        Ok(Self { comm, buffer, count: part.count(), kind, partner: partner as c_int, tag, memory: PhantomData })
    }

    /// One `datatype` of elements with gaps, from `offset_bytes` of `memory` on, to or from the rank `partner`.
    #[inline]
    pub fn derived(
        comm: Comm,
        memory: &'m Memory,
        (offset_bytes, datatype): (usize, &'m DerivedDatatype),
        partner: usize,
        tag: i32,
    ) -> Result<Self, MpiError> {
        let (buffer, kind) = (memory.address(datatype.span(offset_bytes))?, datatype.handle());
        Ok(Self { comm, buffer, count: 1, kind, partner: partner as c_int, tag, memory: PhantomData })
    }

    /// Address, datatype and communicator as MPI is passed them.
    pub(crate) fn arguments(&self) -> (*mut c_void, MpiHandle, MpiHandle) {
        (self.buffer, self.kind, self.comm.handle())
    }

    /// Sends the message (`MPI_Send`).
    #[inline]
    pub fn send(&self) -> Result<(), MpiError> {
        call!(self.comm.mpi(), send(self.buffer, self.count, self.kind, self.partner, self.tag, self.comm.handle()))
    }

    /// Receives the message (`MPI_Recv`).
    #[inline]
    pub fn recv(&self) -> Result<(), MpiError> {
        let (mpi, comm) = (self.comm.mpi(), self.comm.handle());
        call!(mpi, recv(self.buffer, self.count, self.kind, self.partner, self.tag, comm, mpi.ignored()))
    }
}

impl Comm {
    /// Sends `part` to the rank `to` (`MPI_Send`).
    #[inline]
    pub fn send(&self, memory: &Memory, part: Part, to: usize, tag: i32) -> Result<(), MpiError> {
        Message::new(*self, memory, part, to, tag)?.send()
    }

    /// Receives into `part` from the rank `from` (`MPI_Recv`).
    #[inline]
    pub fn recv(&self, memory: &Memory, part: Part, from: usize, tag: i32) -> Result<(), MpiError> {
        Message::new(*self, memory, part, from, tag)?.recv()
    }
}
