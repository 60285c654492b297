//! Errors of NCCL, a sentence each.

use thiserror::Error;

use crate::device::DeviceError;
use crate::mpi::MpiError;

/// Why a call did not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NcclError {
    /// The library returned a code.
    #[error("{call} of {library} failed with {code} ({meaning}){}", behind(detail))]
    Refused {
        /// The function.
        call: &'static str,
        /// The library's name and version.
        library: String,
        /// Its `ncclResult_t`.
        code: i32,
        /// The code in the library's words (`ncclGetErrorString`).
        meaning: String,
        /// What the library says of this failure (`ncclGetLastError`); empty where it says nothing.
        detail: String,
    },
    /// The arguments do not fit each other, or the communicator.
    #[error("{0}")]
    Unfit(String),
    /// A part does not lie in its memory.
    #[error("{0}")]
    Outside(#[from] MpiError),
    /// The device refused something.
    #[error("{0}")]
    Device(#[from] DeviceError),
}

fn behind(detail: &str) -> String {
    if detail.is_empty() { String::new() } else { format!(": {detail}") }
}
