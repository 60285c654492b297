//! Errors of reading a file of machine code.

use std::io;
use std::path::PathBuf;

/// Why a file could not be read as machine code.
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
    /// The file has another format than a shared object.
    #[error("{}: is {what}, not an ELF shared object; build it with -shared", .path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The format that was found, in words.
        what: &'static str,
    },
    /// The file has another format than programs and shared objects.
    #[error("{}: is {what}, not an ELF program or shared object; {action}", .path.display())]
    NotElf {
        /// The file.
        path: PathBuf,
        /// The format that was found, in words.
        what: &'static str,
        /// What the user can do.
        action: &'static str,
    },
    /// The file is larger than what is read into memory.
    #[error("{}: has {} MiB; files of up to {} MiB are read", .path.display(), .bytes >> 20, .most >> 20)]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        bytes: u64,
        /// The largest size in bytes.
        most: u64,
    },
    /// The file begins as an ELF file, and is truncated or inconsistent.
    #[error("{}: the ELF file is cut short or damaged ({why}); build it again", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The inconsistency.
        why: object::Error,
    },
    /// Debug information is missing or damaged.
    #[error("{}: {why}; compile with -g to see source lines", .path.display())]
    NoLines {
        /// The file.
        path: PathBuf,
        /// What is missing.
        why: String,
    },
    /// The code of a function cannot be analysed.
    #[error("{}: {why}", .path.display())]
    NoCode {
        /// The file.
        path: PathBuf,
        /// One sentence.
        why: String,
    },
}
