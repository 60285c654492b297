//! The directory a run is left in.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::writer::{WriteError, Writer};

/// The run's file within its directory.
pub const FILE: &str = "run.jsonl";

/// Creates `dir` where it does not exist, and an empty run in it. A directory that holds a run already is refused.
pub fn create(dir: &Path) -> Result<Writer<File>, WriteError> {
    match fs::create_dir(dir) {
        Ok(()) => {}
        Err(_) if dir.is_dir() => {}
        Err(e) if e.kind() == ErrorKind::AlreadyExists => return Err(WriteError::NotADirectory(dir.to_owned())),
        Err(e) if e.kind() == ErrorKind::NotFound => {
            return Err(WriteError::NoParent { dir: dir.to_owned(), parent: missing_parent(dir) });
        }
        Err(e) => return Err(WriteError::io(dir, e)),
    }
    let file = dir.join(FILE);
    // Creating is the test: of two processes that ask at once, one is refused.
    match OpenOptions::new().append(true).create_new(true).open(&file) {
        Ok(out) => Ok(Writer::new(out, file)),
        Err(e) if e.kind() == ErrorKind::AlreadyExists => Err(WriteError::Occupied { dir: dir.to_owned(), file }),
        Err(e) => Err(WriteError::io(&file, e)),
    }
}

/// Creates the run `id` in the directory `results`, which is created too where it does not exist.
pub fn create_under(results: &Path, id: &str) -> Result<Writer<File>, WriteError> {
    match fs::create_dir(results) {
        Err(e) if e.kind() == ErrorKind::NotFound => {
            Err(WriteError::NoParent { dir: results.to_owned(), parent: missing_parent(results) })
        }
        Err(e) if !results.is_dir() => Err(WriteError::io(results, e)),
        _ => create(&results.join(id)),
    }
}

/// The first directory above `dir` that does not exist.
fn missing_parent(dir: &Path) -> PathBuf {
    let above: Vec<&Path> = dir.ancestors().skip(1).filter(|p| !p.as_os_str().is_empty()).collect();
    above.into_iter().rev().find(|p| !p.exists()).unwrap_or(dir).to_owned()
}
