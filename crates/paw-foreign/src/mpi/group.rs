//! Groups of ranks.
#![allow(unsafe_code)]

use std::ffi::c_int;

use super::abi::MpiHandle;
use super::calls::call;
use super::comm::Comm;
use super::error::{MpiError, MpiFault};
use super::library::Mpi;

/// A group of ranks that open a window to each other.
#[derive(Debug)]
pub struct Group {
    mpi: &'static Mpi,
    handle: MpiHandle,
}

impl Group {
    pub(super) fn handle(&self) -> MpiHandle {
        self.handle
    }
}

impl Comm {
    /// The group of these ranks of the communicator (`MPI_Group_incl`).
    pub fn group(&self, ranks: &[usize]) -> Result<Group, MpiError> {
        if let Some(rank) = ranks.iter().find(|rank| **rank >= self.size()) {
            let text = format!("rank {rank} of a group is not among {} ranks", self.size());
            return Err(MpiFault::Arguments(text).into());
        }
        let mpi = self.mpi();
        let ranks: Vec<c_int> = ranks.iter().map(|rank| *rank as c_int).collect();
        let (mut all, mut slot) = (0_usize, 0_usize);
        call!(mpi, comm_group(self.handle(), (&raw mut all).cast()))?;
        let made = call!(mpi, group_incl(MpiHandle(all), ranks.len() as c_int, ranks.as_ptr(), (&raw mut slot).cast()));
        call!(mpi, group_free((&raw mut all).cast()))?;
        made.map(|()| Group { mpi, handle: MpiHandle(slot) })
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.mpi.is_finalized() {
            let mut slot = self.handle.0;
            // Freeing a group is local; a failure leaves a few words behind.
            let _: Result<(), MpiError> = call!(self.mpi, group_free((&raw mut slot).cast()));
        }
    }
}
