//! Messages whose parts become ready one after the other: `MPI_Psend_init` and its like (MPI 4.1, section 4.2).
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::ptr;

use super::{Requests, misused};
use crate::mpi::calls::call_if_there;
use crate::mpi::error::{MpiError, MpiFault};
use crate::mpi::memory::Part;

impl Requests {
    /// Describes a message of `part` to the rank `to` in `partitions` equal parts (`MPI_Psend_init`).
    ///
    /// [`Requests::start`] begins it, and it is sent once every part was said to be [ready](Requests::pready).
    pub fn psend_init(
        &mut self,
        slot: usize,
        (part, partitions): (Part, usize),
        to: usize,
        tag: i32,
    ) -> Result<(), MpiError> {
        let (mpi, comm, place, buffer) = (self.mpi(), self.comm(), self.vacant(slot)?, self.memory.address(part)?);
        let (count, kind, info) = (each(part, partitions)?, mpi.kind(part.kind()), mpi.handles.info_null);
        let (parts, to) = (partitions as c_int, to as c_int);
        call_if_there!(mpi, psend_init(buffer, parts, count, kind, to, tag, comm.handle(), info, place))
    }

    /// Describes a message into `part` from the rank `from` in `partitions` equal parts (`MPI_Precv_init`).
    pub fn precv_init(
        &mut self,
        slot: usize,
        (part, partitions): (Part, usize),
        from: usize,
        tag: i32,
    ) -> Result<(), MpiError> {
        let (mpi, comm, place, buffer) = (self.mpi(), self.comm(), self.vacant(slot)?, self.memory.address(part)?);
        let (count, kind, info) = (each(part, partitions)?, mpi.kind(part.kind()), mpi.handles.info_null);
        let (parts, from) = (partitions as c_int, from as c_int);
        call_if_there!(mpi, precv_init(buffer, parts, count, kind, from, tag, comm.handle(), info, place))
    }

    /// Says that part `partition` of the started message in `slot` may be sent (`MPI_Pready`).
    #[inline]
    pub fn pready(&mut self, slot: usize, partition: usize) -> Result<(), MpiError> {
        let (mpi, request) = (self.mpi(), self.partitioned(slot)?);
        call_if_there!(mpi, pready(partition as c_int, request))
    }

    /// Whether part `partition` of the started message in `slot` has arrived (`MPI_Parrived`).
    #[inline]
    pub fn has_arrived(&mut self, slot: usize, partition: usize) -> Result<bool, MpiError> {
        let (mpi, request) = (self.mpi(), self.partitioned(slot)?);
        let mut flag = 0;
        let flag_address = ptr::from_mut(&mut flag);
        call_if_there!(mpi, parrived(request, partition as c_int, flag_address))?;
        Ok(flag != 0)
    }

    /// The handle in a slot that is not empty.
    #[inline]
    fn partitioned(&mut self, slot: usize) -> Result<crate::mpi::MpiHandle, MpiError> {
        self.place(slot)?;
        let handle = self.handle(slot);
        if handle == self.mpi().handles.request_null {
            return Err(misused(slot, "has no message in parts"));
        }
        Ok(handle)
    }
}

/// Elements of each of `partitions` equal parts.
fn each(part: Part, partitions: usize) -> Result<i64, MpiError> {
    if partitions == 0 || !part.len().is_multiple_of(partitions) || i32::try_from(partitions).is_err() {
        let text = format!("{} elements do not divide into {partitions} equal parts", part.len());
        return Err(MpiFault::Arguments(text).into());
    }
    Ok((part.len() / partitions) as i64)
}
