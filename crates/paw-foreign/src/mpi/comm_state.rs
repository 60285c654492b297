//! What is known of a communicator.

use std::ffi::c_int;
use std::sync::atomic::AtomicUsize;

use super::abi::MpiHandle;

/// What is known of a communicator. It lives as long as the process: a few words for each that was ever made.
#[derive(Debug)]
pub(super) struct CommState {
    /// `MPI_COMM_NULL` once it was freed.
    pub(super) handle: AtomicUsize,
    pub(super) rank: usize,
    pub(super) size: usize,
    /// Ranks it is connected with: none but in a Cartesian grid.
    pub(super) neighbours: usize,
}

impl CommState {
    pub(super) fn new(handle: MpiHandle, rank: c_int, size: c_int) -> Self {
        let [rank, size] = [rank, size].map(|number| usize::try_from(number).unwrap_or(0));
        Self { handle: AtomicUsize::new(handle.0), rank, size, neighbours: 0 }
    }
}
