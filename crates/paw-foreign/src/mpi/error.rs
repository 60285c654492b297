//! Errors of MPI, a sentence each.

use thiserror::Error;

use super::abi::Datatype;

/// A call that did not do what it was asked.
///
/// It is as large as a pointer, so that the result of a call stays in a register.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct MpiError(Box<MpiFault>);

/// The ways in which a call fails.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MpiFault {
    /// The library returned an error code.
    #[error("{call} of {library} failed: {text} (code {code})")]
    Failed {
        /// The function, as C names it.
        call: String,
        /// The library's name and version.
        library: String,
        /// The library's text for the code.
        text: String,
        /// The code returned.
        code: i32,
    },
    /// The library has no such function.
    #[error("{library} has no {call}: it came with a later version of MPI than this library's")]
    Absent {
        /// The function, as C names it.
        call: String,
        /// The library's name and version.
        library: String,
    },
    /// MPI has ended in this process.
    #[error("{call} was called after MPI_Finalize")]
    Over {
        /// The function, as C names it.
        call: String,
    },
    /// A part does not lie in its memory.
    #[error("{count} elements of {kind:?} at byte {offset_bytes} do not lie in a memory of {size_bytes} bytes")]
    Outside {
        /// Where the part begins.
        offset_bytes: usize,
        /// Its elements.
        count: i32,
        /// Their datatype.
        kind: Datatype,
        /// Bytes there are.
        size_bytes: usize,
    },
    /// Memory that the system does not give.
    #[error("{size_bytes} bytes of memory were refused: ask for smaller messages")]
    NoMemory {
        /// Bytes asked for.
        size_bytes: usize,
    },
    /// A request slot that is not there, is in use, or is not of the kind asked for.
    #[error("request slot {slot} {what}")]
    Slot {
        /// The slot.
        slot: usize,
        /// Why the slot cannot be used.
        what: &'static str,
    },
    /// Arguments that do not fit each other.
    #[error("{0}")]
    Arguments(String),
}

impl MpiError {
    /// The fault.
    pub fn fault(&self) -> &MpiFault {
        &self.0
    }

    /// Whether the library lacks the function.
    pub fn is_absent(&self) -> bool {
        matches!(*self.0, MpiFault::Absent { .. })
    }
}

impl From<MpiFault> for MpiError {
    #[cold]
    fn from(fault: MpiFault) -> Self {
        Self(Box::new(fault))
    }
}

/// Why an MPI cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StartError {
    /// There is no such file.
    #[error("{0}: there is no such file; name the MPI library with --mpi-library PATH or PAW_MPI_LIBRARY")]
    Missing(String),
    /// The file is no shared object of this machine, or the loader refused it.
    #[error("{path}: cannot be loaded: {chain}")]
    NotLoaded {
        /// The path asked for.
        path: String,
        /// Everything the loader said.
        chain: String,
    },
    /// The file was loaded and is no MPI library.
    #[error("{path}: not an MPI library: it has no {symbol}")]
    NotMpi {
        /// The path asked for.
        path: String,
        /// The first symbol missed.
        symbol: String,
    },
    /// An MPI of unknown layout.
    #[error(
        "{path}: an MPI whose ABI is unknown (neither MPICH's, nor Open MPI's, nor the standard's); it calls itself: {version}"
    )]
    UnknownAbi {
        /// The path asked for.
        path: String,
        /// Its version text.
        version: String,
    },
    /// How this processor passes integers to C is not known to fit handles that are integers.
    #[error(
        "{path} ({version}) has C integers for handles, which paw passes as 64-bit words; that is right on x86_64 and aarch64 and not on {}: take Open MPI or a library of the standard ABI",
        std::env::consts::ARCH
    )]
    Architecture {
        /// The path asked for.
        path: String,
        /// The library's version.
        version: String,
    },
    /// The process holds another MPI already, from before.
    #[error("{path} is {wanted}, but the process already holds {found}: remove that one from LD_PRELOAD")]
    Mixed {
        /// The path asked for.
        path: String,
        /// The version of the library asked for.
        wanted: String,
        /// The version that answers.
        found: String,
    },
    /// MPI was started before in this process.
    #[error("MPI was started before in this process, and can be started once only")]
    Twice,
    /// A first call failed.
    #[error("{path}: {call} failed with code {code}")]
    Refused {
        /// The path asked for.
        path: String,
        /// The function, as C names it.
        call: &'static str,
        /// The code returned.
        code: i32,
    },
}
