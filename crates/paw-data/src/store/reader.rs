//! Reads `run.jsonl`, also where it is cut off or damaged.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::FILE;
use super::assembler::RunAssembler;
use super::extent::Extent;
use super::read_error::ReadError;
use crate::run::Run;

/// Most bytes of a line, which a device such as `/dev/zero` passes and a series of a million samples does not.
const LINE_MAX: u64 = 1 << 30;

/// Reads the run in the file `path`, or in `run.jsonl` where `path` is a directory.
///
/// A file that was cut off or damaged opens as far as it can be read, and [`Run::damage`] says what is missing.
pub fn read(path: &Path) -> Result<Run, ReadError> {
    read_extent(path, Extent::All)
}

/// Reads as much as `extent` says of the run at `path`: see [`read`].
pub fn read_extent(path: &Path, extent: Extent) -> Result<Run, ReadError> {
    let file = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
    if path.is_dir() && !file.exists() {
        return Err(ReadError::NoRun(path.to_owned()));
    }
    let open = File::open(&file).map_err(|source| ReadError::Io { path: file.clone(), source })?;
    parse_extent(open, &file, extent)
}

/// Reads the run in `input`; errors name `path`.
pub fn parse(input: impl Read, path: &Path) -> Result<Run, ReadError> {
    parse_extent(input, path, Extent::All)
}

/// Reads as much as `extent` says of the run in `input`; errors name `path`.
pub fn parse_extent(input: impl Read, path: &Path, extent: Extent) -> Result<Run, ReadError> {
    // A large buffer: a long run is hundreds of megabytes.
    let mut input = BufReader::with_capacity(1 << 20, input);
    let mut assembler = RunAssembler::new(path, extent);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut input).take(LINE_MAX).read_until(b'\n', &mut line);
        let n = read.map_err(|source| ReadError::Io { path: path.to_owned(), source })?;
        if n as u64 == LINE_MAX {
            return Err(ReadError::NotARun { path: path.to_owned(), why: "it has a line of over 1 GiB".to_owned() });
        }
        if n == 0 {
            return assembler.finish();
        }
        assembler.line(&line)?;
    }
}
