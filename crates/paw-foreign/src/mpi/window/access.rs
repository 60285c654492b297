//! Accesses to the window of another rank.
//!
//! At the target an access begins `offset_bytes` into its window and touches as many elements of the same datatype as the local part has.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::rc::Rc;

use super::Window;
use crate::mpi::abi::Op;
use crate::mpi::calls::call_if_there;
use crate::mpi::error::MpiError;
use crate::mpi::memory::{Memory, Part, outside};
use crate::mpi::requests::Requests;

impl Window {
    /// Writes `part` to `target` (`MPI_Put`).
    #[inline]
    pub fn put(&self, memory: &Rc<Memory>, part: Part, target: usize, offset_bytes: usize) -> Result<(), MpiError> {
        let (mpi, buffer, at) = (self.mpi, self.origin(memory, part)?, self.target(part, target, offset_bytes)?);
        let (count, kind) = (part.count(), mpi.kind(part.kind()));
        call_if_there!(mpi, put(buffer, count, kind, target as c_int, at, count, kind, self.handle))
    }

    /// Reads `part` from `target` (`MPI_Get`).
    #[inline]
    pub fn get(&self, memory: &Rc<Memory>, part: Part, target: usize, offset_bytes: usize) -> Result<(), MpiError> {
        let (mpi, buffer, at) = (self.mpi, self.origin(memory, part)?, self.target(part, target, offset_bytes)?);
        let (count, kind) = (part.count(), mpi.kind(part.kind()));
        call_if_there!(mpi, get(buffer, count, kind, target as c_int, at, count, kind, self.handle))
    }

    /// Combines `part` into what `target` has (`MPI_Accumulate`).
    #[inline]
    pub fn accumulate(
        &self,
        memory: &Rc<Memory>,
        part: Part,
        target: usize,
        offset_bytes: usize,
        op: Op,
    ) -> Result<(), MpiError> {
        let (mpi, buffer, at) = (self.mpi, self.origin(memory, part)?, self.target(part, target, offset_bytes)?);
        let (count, kind) = (part.count(), mpi.kind(part.kind()));
        call_if_there!(mpi, accumulate(buffer, count, kind, target as c_int, at, count, kind, mpi.op(op), self.handle))
    }

    /// Combines `part` into what `target` has, and reads into `fetched` what it had (`MPI_Get_accumulate`).
    #[inline]
    pub fn get_accumulate(
        &self,
        memory: &Rc<Memory>,
        (part, fetched): (Part, Part),
        target: usize,
        offset_bytes: usize,
        op: Op,
    ) -> Result<(), MpiError> {
        let (mpi, buffer, at) = (self.mpi, self.origin(memory, part)?, self.target(part, target, offset_bytes)?);
        let room = memory.address(fetched.like(part))?;
        let (count, kind, op) = (part.count(), mpi.kind(part.kind()), mpi.op(op));
        let (target, handle) = (target as c_int, self.handle);
        call_if_there!(mpi, get_accumulate(buffer, count, kind, room, count, kind, target, at, count, kind, op, handle))
    }

    /// As [`Window::get_accumulate`], for one element (`MPI_Fetch_and_op`).
    #[inline]
    pub fn fetch_and_op(
        &self,
        memory: &Rc<Memory>,
        from: Part,
        fetched: Part,
        target: usize,
        offset_bytes: usize,
        op: Op,
    ) -> Result<(), MpiError> {
        let (mpi, from) = (self.mpi, one(from));
        let (buffer, at) = (self.origin(memory, from)?, self.target(from, target, offset_bytes)?);
        let (room, kind) = (memory.address(fetched.like(from))?, mpi.kind(from.kind()));
        call_if_there!(mpi, fetch_and_op(buffer, room, kind, target as c_int, at, mpi.op(op), self.handle))
    }

    /// Replaces one element of `target` by `from` where it equals `compared`, and reads into `fetched` what it was
    /// (`MPI_Compare_and_swap`).
    #[inline]
    pub fn compare_and_swap(
        &self,
        memory: &Rc<Memory>,
        from: Part,
        compared: Part,
        fetched: Part,
        target: usize,
        offset_bytes: usize,
    ) -> Result<(), MpiError> {
        let (mpi, from) = (self.mpi, one(from));
        let (buffer, at) = (self.origin(memory, from)?, self.target(from, target, offset_bytes)?);
        let (other, room) = (memory.address(compared.like(from))?, memory.address(fetched.like(from))?);
        let kind = mpi.kind(from.kind());
        call_if_there!(mpi, compare_and_swap(buffer, other, room, kind, target as c_int, at, self.handle))
    }

    /// As [`Window::put`], from the memory of `requests`, with a request in `slot` (`MPI_Rput`).
    #[inline]
    pub fn rput(
        &self,
        requests: &mut Requests,
        slot: usize,
        part: Part,
        target: usize,
        offset_bytes: usize,
    ) -> Result<(), MpiError> {
        let (mpi, buffer) = (self.mpi, self.origin(requests.memory(), part)?);
        let (at, place) = (self.target(part, target, offset_bytes)?, requests.vacant(slot)?);
        let (count, kind) = (part.count(), mpi.kind(part.kind()));
        call_if_there!(mpi, rput(buffer, count, kind, target as c_int, at, count, kind, self.handle, place))
    }

    /// As [`Window::get`], into the memory of `requests`, with a request in `slot` (`MPI_Rget`).
    #[inline]
    pub fn rget(
        &self,
        requests: &mut Requests,
        slot: usize,
        part: Part,
        target: usize,
        offset_bytes: usize,
    ) -> Result<(), MpiError> {
        let (mpi, buffer) = (self.mpi, self.origin(requests.memory(), part)?);
        let (at, place) = (self.target(part, target, offset_bytes)?, requests.vacant(slot)?);
        let (count, kind) = (part.count(), mpi.kind(part.kind()));
        call_if_there!(mpi, rget(buffer, count, kind, target as c_int, at, count, kind, self.handle, place))
    }

    /// As [`Window::accumulate`], from the memory of `requests`, with a request in `slot` (`MPI_Raccumulate`).
    #[inline]
    pub fn raccumulate(
        &self,
        requests: &mut Requests,
        slot: usize,
        part: Part,
        target: usize,
        offset_bytes: usize,
        op: Op,
    ) -> Result<(), MpiError> {
        let (mpi, buffer) = (self.mpi, self.origin(requests.memory(), part)?);
        let (at, place) = (self.target(part, target, offset_bytes)?, requests.vacant(slot)?);
        let (count, kind, op) = (part.count(), mpi.kind(part.kind()), mpi.op(op));
        call_if_there!(mpi, raccumulate(buffer, count, kind, target as c_int, at, count, kind, op, self.handle, place))
    }

    /// The address of `part` in a local memory, which is kept from now on.
    #[inline]
    fn origin(&self, memory: &Rc<Memory>, part: Part) -> Result<*mut c_void, MpiError> {
        if !std::ptr::eq(Rc::as_ptr(memory), self.last_origin.get()) {
            self.hold(memory);
        }
        memory.address(part)
    }

    #[cold]
    fn hold(&self, memory: &Rc<Memory>) {
        let mut origins = self.origins.borrow_mut();
        if !origins.iter().any(|held| Rc::ptr_eq(held, memory)) {
            origins.push(Rc::clone(memory));
        }
        self.last_origin.set(Rc::as_ptr(memory));
    }

    /// The displacement of an access of the size of `part` to `target`, if every rank's window has room for it.
    #[inline]
    fn target(&self, part: Part, target: usize, offset_bytes: usize) -> Result<isize, MpiError> {
        if offset_bytes.saturating_add(part.bytes()) > self.size_bytes {
            return Err(outside(Part::new(offset_bytes, part.count(), part.kind()), self.size_bytes));
        }
        let begin = match &self.attached {
            None => 0,
            // The library refuses a rank that is not there.
            Some(attached) => attached.begins.get(target).copied().unwrap_or(0),
        };
        Ok(begin + offset_bytes as isize)
    }
}

/// The first element of `part`, whatever its count.
#[inline]
fn one(part: Part) -> Part {
    Part::new(part.offset_bytes(), 1, part.kind())
}
