//! Files that all ranks of a communicator read and write (MPI 4.1, chapter 14).
#![allow(unsafe_code)]

use std::ffi::CStr;

use super::abi::{MpiHandle, Numbers};
use super::calls::call_if_there;
use super::comm::Comm;
use super::error::MpiError;
use super::library::Mpi;
use super::memory::{Memory, Part};

/// Whether all ranks call together, so that the library may join what they read or write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Collective {
    /// Each rank calls by itself (`MPI_File_read_at`).
    No,
    /// All ranks call together (`MPI_File_read_at_all`).
    Yes,
}

/// A file that all ranks of a communicator have open. Closing is collective: one that is only dropped stays open until the process ends.
#[derive(Debug)]
pub struct SharedFile {
    mpi: &'static Mpi,
    handle: MpiHandle,
}

impl SharedFile {
    /// Opens the file at `path`, which is there, to read and to write; every rank of `comm` must (`MPI_File_open`).
    pub fn open(comm: Comm, path: &CStr) -> Result<SharedFile, MpiError> {
        let (mpi, mut slot) = (comm.mpi(), 0_usize);
        let (mode, info) = (Numbers::int(mpi.numbers.mode_rdwr), mpi.handles.info_null);
        call_if_there!(mpi, file_open(comm.handle(), path.as_ptr(), mode, info, (&raw mut slot).cast()))?;
        let file = Self { mpi, handle: MpiHandle(slot) };
        call_if_there!(mpi, file_set_errhandler(file.handle, mpi.handles.errors_return))?;
        Ok(file)
    }

    /// Reads `part` from byte `offset_bytes` of the file on.
    #[inline]
    pub fn read_at(&self, by: Collective, offset_bytes: i64, memory: &Memory, part: Part) -> Result<(), MpiError> {
        let (mpi, room) = (self.mpi, memory.address(part)?);
        let (count, kind, status) = (part.count(), mpi.kind(part.kind()), mpi.ignored());
        match by {
            Collective::No => call_if_there!(mpi, file_read_at(self.handle, offset_bytes, room, count, kind, status)),
            Collective::Yes => {
                call_if_there!(mpi, file_read_at_all(self.handle, offset_bytes, room, count, kind, status))
            }
        }
    }

    /// Writes `part` from byte `offset_bytes` of the file on.
    #[inline]
    pub fn write_at(&self, by: Collective, offset_bytes: i64, memory: &Memory, part: Part) -> Result<(), MpiError> {
        let (mpi, from) = (self.mpi, memory.address(part)?);
        let (count, kind, status) = (part.count(), mpi.kind(part.kind()), mpi.ignored());
        match by {
            Collective::No => call_if_there!(mpi, file_write_at(self.handle, offset_bytes, from, count, kind, status)),
            Collective::Yes => {
                call_if_there!(mpi, file_write_at_all(self.handle, offset_bytes, from, count, kind, status))
            }
        }
    }

    /// Waits until the storage has what this rank wrote; every rank must call it (`MPI_File_sync`).
    #[inline]
    pub fn sync(&self) -> Result<(), MpiError> {
        call_if_there!(self.mpi, file_sync(self.handle))
    }

    /// Closes the file; every rank must (`MPI_File_close`).
    pub fn close(self) -> Result<(), MpiError> {
        let mut slot = self.handle.0;
        call_if_there!(self.mpi, file_close((&raw mut slot).cast()))
    }
}
