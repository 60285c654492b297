//! Results of PAW 1.0 to 1.6, and `.dat` files of our own, read as runs.

mod assembly;
mod block;
mod catalogue;
mod provenance;
mod record;
mod table;
mod units;

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::bounded;
use crate::run::Run;

/// The runs of a set of files, with notes about them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Import {
    /// One run for each time the tests were run, in the order of the files.
    pub runs: Vec<Run>,
    /// Notes about what could not be read, which labels were wrong, and what was split.
    pub notes: Vec<Note>,
}

/// One sentence about a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1, if the sentence is about one line.
    pub line: Option<usize>,
    /// The sentence.
    pub text: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path.display(), self.text),
            None => write!(f, "{}: {}", self.path.display(), self.text),
        }
    }
}

/// Reads `.dat` files; of a directory, all those in it and in the folders right below it.
///
/// Nothing is refused as a whole: what cannot be read has its note, and the rest is imported.
pub fn import(paths: &[PathBuf]) -> Import {
    let mut notes = Vec::new();
    let mut blocks = Vec::new();
    for path in paths {
        for file in files(path, &mut notes) {
            match bounded::bytes(&file, FILE_MAX) {
                Ok(bytes) => blocks.extend(block::blocks(&file, &String::from_utf8_lossy(&bytes), &mut notes)),
                Err(e) => notes.push(about(&file, format!("cannot be read: {e}."))),
            }
        }
    }
    let runs = assembly::runs(blocks, &mut notes);
    Import { runs, notes }
}

/// Most bytes of a file: PAW writes a line a size.
const FILE_MAX: u64 = 256 << 20;

/// Levels of folders looked into: a directory of results, and one folder for each provider.
const LEVELS: usize = 2;

fn files(path: &Path, notes: &mut Vec<Note>) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let mut found = Vec::new();
    if let Err(e) = gather(path, LEVELS, &mut found) {
        notes.push(about(path, format!("cannot be read: {e}.")));
    } else if found.is_empty() {
        notes.push(about(path, "holds no .dat file.".to_owned()));
    }
    found
}

fn gather(dir: &Path, levels: usize, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries = fs::read_dir(dir)?.map(|e| e.map(|e| e.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            if levels > 1 {
                gather(&entry, levels - 1, found)?;
            }
        } else if entry.extension().is_some_and(|e| e == "dat") {
            found.push(entry);
        }
    }
    Ok(())
}

/// A note about a whole file.
fn about(path: &Path, text: String) -> Note {
    Note { path: path.to_owned(), line: None, text }
}
