//! The store of a history: a directory with one small file for each run.
//!
//! Writers need no lock and no index, so that any number of them on any number of hosts may share the directory over NFS: a file is written
//! under a name of its own, flushed to the disk, and renamed, which replaces a name in one step. Readers see whole files or none.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::bounded;
use crate::history::{RunDigest, SCHEMA, is_figure};
use crate::machine::fnv1a;

/// How the names of entries end.
const ENDING: &str = "json";

/// Longest name of a run that becomes a part of a file's name as it is.
const NAME_MAX: usize = 100;

/// Most bytes of an entry: a hundred thousand cells take a tenth of it.
const BYTES_MAX: u64 = 1 << 28;

/// Names that are tried for a new file: another writer of the same run, on this host or another, may have taken one.
const TRIES: u32 = 1000;

/// What adding an entry did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// It is new.
    New,
    /// The same entry was there already.
    Known,
    /// It took the place of another entry of the same run.
    Replaced,
}

/// An error of the store, with the path it is about.
#[derive(Debug, Error)]
pub enum HistoryError {
    /// The directory or a file in it cannot be used.
    #[error("{path}: {source}")]
    Io {
        /// The directory or file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

/// What a directory holds.
#[derive(Debug, Default)]
pub struct Stored {
    /// The entries, in the order of their names, which is that of time.
    pub entries: Vec<RunDigest>,
    /// One sentence for each file that could not be read.
    pub unreadable: Vec<String>,
}

/// Adds `entry` to the store in `directory`, which is made where it does not exist.
pub fn add(directory: &Path, entry: &RunDigest) -> Result<Added, HistoryError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| HistoryError::Io { path, source }
    };
    fs::create_dir_all(directory).map_err(failed(directory))?;
    let path = directory.join(name(entry));
    let own = serde_json::to_string(entry).map_err(io::Error::other).map_err(failed(&path))? + "\n";
    let before = match text(&path) {
        Ok(before) if before == own => return Ok(Added::Known),
        before => before,
    };
    let part = written(directory, &path, own.as_bytes()).map_err(failed(&path))?;
    if let Err(error) = fs::rename(&part, &path) {
        // A file server that repeats a request it has obeyed says that the first name is missing.
        let is_done = text(&path).is_ok_and(|there| there == own);
        let _ = fs::remove_file(&part);
        if !is_done {
            return Err(failed(&path)(error));
        }
    }
    // The name is on the disk once its directory is; not every file system lets a directory be flushed.
    let _ = File::open(directory).and_then(|directory| directory.sync_all());
    Ok(if before.is_ok() { Added::Replaced } else { Added::New })
}

/// A new file beside `path` with these bytes, on the disk. Its name begins with a full stop, which readers pass over.
fn written(directory: &Path, path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    for attempt in 0..TRIES {
        let part = directory.join(format!(".{name}.{}-{attempt}.part", std::process::id()));
        // Creating is the test, on NFS too: of two writers that ask at once, one is refused and takes the next name.
        let mut file = match File::create_new(&part) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            created => created?,
        };
        let done = file.write_all(bytes).and_then(|()| file.sync_all());
        return match done {
            Ok(()) => Ok(part),
            Err(error) => {
                let _ = fs::remove_file(&part);
                Err(error)
            }
        };
    }
    Err(io::Error::new(
        ErrorKind::AlreadyExists,
        "too many unfinished files of the same run: remove those that end in .part",
    ))
}

/// The name of an entry's file: the run's, which begins with its time. What no file name should hold is replaced.
fn name(entry: &RunDigest) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let mut own: String = entry.run.trim_start_matches('.').chars().map(safe).take(NAME_MAX).collect();
    if own != entry.run || own.is_empty() {
        // Two names must not become one.
        own += &format!("-{:016x}", fnv1a(entry.run.as_bytes()));
    }
    let time: String = entry.utc.chars().filter(char::is_ascii_alphanumeric).take(NAME_MAX).collect();
    let lead =
        if own.starts_with(|c: char| c.is_ascii_digit()) || time.is_empty() { String::new() } else { time + "-" };
    format!("{lead}{own}.{ENDING}")
}

/// Reads the store in `directory`. Files of others and unfinished ones are passed over; broken ones cost a sentence.
pub fn read(directory: &Path) -> Result<Stored, HistoryError> {
    let failed = |source| HistoryError::Io { path: directory.to_owned(), source };
    let mut paths = Vec::new();
    for file in fs::read_dir(directory).map_err(failed)? {
        let path = file.map_err(failed)?.path();
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if !is_hidden && path.extension().is_some_and(|ending| ending == ENDING) {
            paths.push(path);
        }
    }
    paths.sort();
    let mut found = Stored::default();
    for path in paths {
        match entry(&path) {
            Ok(entry) => found.entries.push(entry),
            Err(why) => found.unreadable.push(format!("{} is left out: {why}", path.display())),
        }
    }
    Ok(found)
}

fn entry(path: &Path) -> Result<RunDigest, String> {
    // A pipe that nobody writes to would be read for ever.
    if !path.metadata().map_err(|error| error.to_string())?.is_file() {
        return Err("it is no file".to_owned());
    }
    let text = text(path).map_err(|error| error.to_string())?;
    let entry: RunDigest = serde_json::from_slice(text.as_bytes()).map_err(|error| match error.is_data() {
        // What serde says of other data names types of this program.
        true => format!("it is no entry of a history: line {}, column {}", error.line(), error.column()),
        false => format!("it is no entry of a history: {error}"),
    })?;
    match entry.schema.strip_prefix("paw.history/").and_then(|version| version.split('.').next()) {
        Some("1") => {}
        _ => return Err(format!("it is of format {:?}, and this paw reads {SCHEMA}", entry.schema)),
    }
    match entry.figures.iter().find(|figure| !is_figure(figure.value)) {
        Some(figure) => Err(format!("its {} is {}, and a figure is a positive number", figure.benchmark, figure.value)),
        None => Ok(entry),
    }
}

fn text(path: &Path) -> io::Result<String> {
    String::from_utf8(bounded::bytes(path, BYTES_MAX)?).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}
