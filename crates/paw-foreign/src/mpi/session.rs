//! Sessions: MPI begun once more beside what the process began with (MPI 4.1, section 11.3).
#![allow(unsafe_code)]

use std::ffi::CStr;

use super::abi::MpiHandle;
use super::calls::{call, call_if_there};
use super::comm::Comm;
use super::error::MpiError;
use super::library::Mpi;

/// The process set of all ranks of the job.
const ALL_RANKS: &CStr = c"mpi://WORLD";

/// A session. It is ended by [`Session::end`]; one that is only dropped stays until the process ends.
#[derive(Debug)]
pub struct Session {
    mpi: &'static Mpi,
    handle: MpiHandle,
}

impl Session {
    /// Begins a session (`MPI_Session_init`).
    pub fn begin(mpi: &'static Mpi) -> Result<Session, MpiError> {
        let mut slot = 0_usize;
        let (info, errors) = (mpi.handles.info_null, mpi.handles.errors_return);
        call_if_there!(mpi, session_init(info, errors, (&raw mut slot).cast()))?;
        Ok(Self { mpi, handle: MpiHandle(slot) })
    }

    /// A communicator of all ranks of the job, which must call this together with the same `tag`
    /// (`MPI_Group_from_session_pset`, `MPI_Comm_create_from_group`). It is to be freed before the session ends.
    pub fn comm(&self, tag: &CStr) -> Result<Comm, MpiError> {
        let (mpi, mut group, mut slot) = (self.mpi, 0_usize, 0_usize);
        let (info, errors) = (mpi.handles.info_null, mpi.handles.errors_return);
        call_if_there!(mpi, group_from_session_pset(self.handle, ALL_RANKS.as_ptr(), (&raw mut group).cast()))?;
        let all = MpiHandle(group);
        let made = call_if_there!(mpi, comm_create_from_group(all, tag.as_ptr(), info, errors, (&raw mut slot).cast()));
        call!(mpi, group_free((&raw mut group).cast()))?;
        made?;
        mpi.world().adopt(MpiHandle(slot), 0)
    }

    /// Ends the session (`MPI_Session_finalize`).
    pub fn end(self) -> Result<(), MpiError> {
        let mut slot = self.handle.0;
        call_if_there!(self.mpi, session_finalize((&raw mut slot).cast()))
    }
}
