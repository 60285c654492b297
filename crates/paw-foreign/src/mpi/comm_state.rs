//! Handle, rank and size of a communicator.

use std::ffi::c_int;
use std::sync::atomic::AtomicUsize;

use super::abi::MpiHandle;

/// Handle, rank and size of a communicator. Each is leaked: a few words for every communicator made.
#[derive(Debug)]
pub(super) struct CommState {
    /// `MPI_COMM_NULL` once it was freed.
    pub(super) handle: AtomicUsize,
    pub(super) rank: usize,
    pub(super) size: usize,
    /// Neighbours in a Cartesian grid, else 0.
    pub(super) neighbours: usize,
}

impl CommState {
    pub(super) fn new(handle: MpiHandle, rank: c_int, size: c_int) -> Self {
        let [rank, size] = [rank, size].map(|number| usize::try_from(number).unwrap_or(0));
        Self { handle: AtomicUsize::new(handle.0), rank, size, neighbours: 0 }
    }
}
