//! Errors of a device.

use thiserror::Error;

/// Why a device did not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DeviceError {
    /// A call of the vendor's library failed.
    #[error("{call} failed with {code}{}", in_words(meaning))]
    Refused {
        /// The function.
        call: &'static str,
        /// Its code.
        code: i64,
        /// The code's name, where there is one.
        meaning: String,
    },
    /// The device has not that much memory, or the host not that much to lock.
    #[error("{bytes} bytes are more than {what} has left; choose a smaller size")]
    NoMemory {
        /// How many were asked for.
        bytes: usize,
        /// Whose memory.
        what: &'static str,
    },
    /// The device or driver lacks the requested feature.
    #[error("{0}")]
    Unsupported(String),
    /// A library, or a function in it, is not here.
    #[error("{0}")]
    Absent(String),
    /// A program did not compile.
    #[error("{log}")]
    Build {
        /// The compiler's messages, with file and line.
        log: String,
    },
    /// A gate timed out: what was queued behind it waited for the host.
    #[error("the queue did not come to an end behind its gate; the gate opened by itself and the sample is void")]
    GateTimedOut,
    /// More bytes were asked for than the memory has.
    #[error("bytes {offset}..{end} of a memory of {bytes} bytes were asked for")]
    Beyond {
        /// First byte.
        offset: usize,
        /// One past the last.
        end: usize,
        /// Bytes that exist.
        bytes: usize,
    },
}

fn in_words(meaning: &str) -> String {
    if meaning.is_empty() { String::new() } else { format!(" ({meaning})") }
}

/// The result of a call of a back-end.
pub type DeviceResult<T = ()> = Result<T, DeviceError>;
