//! `run.jsonl`, read back whatever happened to it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::FILE;
use super::assembler::RunAssembler;
use crate::run::Run;

/// Why there is no run to show.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The system refused to read.
    #[error("{} cannot be read: {source}", path.display())]
    Io {
        /// What was being read.
        path: PathBuf,
        /// What the system said.
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
        /// What is wrong with its first line.
        why: String,
    },
    /// A format whose meaning changed.
    #[error("{} has the format {schema}, and this paw reads paw.run/1: read it with the paw that wrote it, or a newer one", path.display())]
    OtherMajor {
        /// The file.
        path: PathBuf,
        /// What it says of itself.
        schema: String,
    },
}

/// Reads the run in the file `path`, or in `run.jsonl` where `path` is a directory.
///
/// A file that was cut off or damaged opens as far as it can be read, and [`Run::damage`] says what is missing.
pub fn read(path: &Path) -> Result<Run, ReadError> {
    let file = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
    if path.is_dir() && !file.exists() {
        return Err(ReadError::NoRun(path.to_owned()));
    }
    let open = File::open(&file).map_err(|source| ReadError::Io { path: file.clone(), source })?;
    parse(open, &file)
}

/// Reads the run that stands in `input`; errors speak of `path`.
pub fn parse(input: impl Read, path: &Path) -> Result<Run, ReadError> {
    // A large buffer: a long run is hundreds of megabytes.
    let mut input = BufReader::with_capacity(1 << 20, input);
    let mut assembler = RunAssembler::new(path);
    let mut line = Vec::new();
    loop {
        line.clear();
        let n = input.read_until(b'\n', &mut line).map_err(|source| ReadError::Io { path: path.to_owned(), source })?;
        if n == 0 {
            return assembler.finish();
        }
        assembler.line(&line)?;
    }
}
