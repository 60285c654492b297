//! Why a file says nothing about machine code.

use std::io;
use std::path::PathBuf;

/// Why a file could not be read as a shared object.
#[derive(Debug, thiserror::Error)]
pub enum BinaryError {
    /// It could not be read at all.
    #[error("{}: cannot be read: {why}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        why: io::Error,
    },
    /// It is something else.
    #[error("{}: is {what}, not an ELF shared object; build it with -shared", .path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// It begins as an ELF file, and breaks off or contradicts itself.
    #[error("{}: the ELF file is cut short or damaged ({why}); build it again", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        why: object::Error,
    },
}
