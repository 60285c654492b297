//! Why a run cannot be read.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why there is no run to show.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The system refused to read.
    #[error("{} cannot be read: {source}", path.display())]
    Io {
        /// The path that was read.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A directory without `run.jsonl`.
    #[error("{} holds no run.jsonl: name a run's directory, or a run.jsonl file", .0.display())]
    NoRun(PathBuf),
    /// A file without a byte.
    #[error("{} is empty: the run was stopped before it began, so there is nothing in it", .0.display())]
    Empty(PathBuf),
    /// A file without one readable line of a run.
    #[error("{} is not a run that can be read: {why}; name a run.jsonl, or the directory it lies in", path.display())]
    NotARun {
        /// The file.
        path: PathBuf,
        /// The error in its first line.
        why: String,
    },
    /// A format whose meaning changed.
    #[error("{} has the format {schema}, and this paw reads paw.run/1: read it with the paw that wrote it, or a newer one", path.display())]
    OtherMajor {
        /// The file.
        path: PathBuf,
        /// The schema that the file names.
        schema: String,
    },
}
