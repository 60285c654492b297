//! Errors of reading a shared object.

use std::io;
use std::path::PathBuf;

/// Why a file could not be read as a shared object.
#[derive(Debug, thiserror::Error)]
pub enum BinaryError {
    /// The file could not be read.
    #[error("{}: cannot be read: {why}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        why: io::Error,
    },
    /// The file has another format.
    #[error("{}: is {what}, not an ELF shared object; build it with -shared", .path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The format that was found, in words.
        what: &'static str,
    },
    /// The file begins as an ELF file, and is truncated or inconsistent.
    #[error("{}: the ELF file is cut short or damaged ({why}); build it again", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The inconsistency.
        why: object::Error,
    },
}
