//! When accesses to a window begin and end.
#![allow(unsafe_code)]

use std::ffi::c_int;

use super::Window;
use crate::mpi::abi::Numbers;
use crate::mpi::calls::call_if_there;
use crate::mpi::error::MpiError;
use crate::mpi::group::Group;

/// How many ranks can hold a lock at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockKind {
    /// One rank at a time.
    Exclusive,
    /// All that ask for a shared lock.
    Shared,
}

impl Window {
    /// Ends the accesses of all ranks and begins the next ones; every rank must (`MPI_Win_fence`).
    #[inline]
    pub fn fence(&self) -> Result<(), MpiError> {
        call_if_there!(self.mpi, win_fence(0, self.handle))
    }

    /// Lets `group` access the memory of this rank (`MPI_Win_post`).
    #[inline]
    pub fn post(&self, group: &Group) -> Result<(), MpiError> {
        call_if_there!(self.mpi, win_post(group.handle(), 0, self.handle))
    }

    /// Waits until the ranks that were let in are done (`MPI_Win_wait`).
    #[inline]
    pub fn wait(&self) -> Result<(), MpiError> {
        call_if_there!(self.mpi, win_wait(self.handle))
    }

    /// Begins to access the memory of `group` (`MPI_Win_start`).
    #[inline]
    pub fn start(&self, group: &Group) -> Result<(), MpiError> {
        call_if_there!(self.mpi, win_start(group.handle(), 0, self.handle))
    }

    /// Ends what [`Window::start`] began (`MPI_Win_complete`).
    #[inline]
    pub fn complete(&self) -> Result<(), MpiError> {
        call_if_there!(self.mpi, win_complete(self.handle))
    }

    /// Begins to access the memory of `target` without its help (`MPI_Win_lock`).
    #[inline]
    pub fn lock(&self, target: usize, kind: LockKind) -> Result<(), MpiError> {
        let numbers = &self.mpi.numbers;
        let kind = match kind {
            LockKind::Exclusive => numbers.lock_exclusive,
            LockKind::Shared => numbers.lock_shared,
        };
        call_if_there!(self.mpi, win_lock(Numbers::int(kind), target as c_int, 0, self.handle))
    }

    /// Ends what [`Window::lock`] began; accesses are complete on both sides (`MPI_Win_unlock`).
    #[inline]
    pub fn unlock(&self, target: usize) -> Result<(), MpiError> {
        call_if_there!(self.mpi, win_unlock(target as c_int, self.handle))
    }

    /// Begins to access the memory of all ranks, together with others (`MPI_Win_lock_all`).
    #[inline]
    pub fn lock_all(&self) -> Result<(), MpiError> {
        call_if_there!(self.mpi, win_lock_all(0, self.handle))
    }

    /// Ends what [`Window::lock_all`] began (`MPI_Win_unlock_all`).
    #[inline]
    pub fn unlock_all(&self) -> Result<(), MpiError> {
        call_if_there!(self.mpi, win_unlock_all(self.handle))
    }

    /// Completes the accesses to `target` so far on both sides (`MPI_Win_flush`).
    #[inline]
    pub fn flush(&self, target: usize) -> Result<(), MpiError> {
        call_if_there!(self.mpi, win_flush(target as c_int, self.handle))
    }

    /// Completes the accesses to all ranks so far on both sides (`MPI_Win_flush_all`).
    #[inline]
    pub fn flush_all(&self) -> Result<(), MpiError> {
        call_if_there!(self.mpi, win_flush_all(self.handle))
    }

    /// Completes the accesses to `target` so far on this side (`MPI_Win_flush_local`).
    #[inline]
    pub fn flush_local(&self, target: usize) -> Result<(), MpiError> {
        call_if_there!(self.mpi, win_flush_local(target as c_int, self.handle))
    }

    /// Makes what this rank and others wrote visible to each other (`MPI_Win_sync`).
    #[inline]
    pub fn sync(&self) -> Result<(), MpiError> {
        call_if_there!(self.mpi, win_sync(self.handle))
    }
}
