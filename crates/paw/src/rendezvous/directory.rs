//! Faults that ranks report to each other as files of a shared directory, when MPI cannot carry them.
//!
//! Ranks of a node always share a directory. Ranks of several nodes share the run's if it is on a shared file system; elsewhere a rank's note
//! reaches nobody, and only its message on standard error is left.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use paw_sort::OrderBy;

use crate::private_directory::PrivateDirectory;

/// Parts of a note's file name before and after the rank.
const NOTE: (&str, &str) = ("fault-of-rank-", ".txt");

/// The file name before the rank of one that is alive and waits for others.
const SIGN: &str = "waits-rank-";

/// File that exists once a rank prints the message of all ranks.
const EXIT_MESSAGE: &str = "exit-message";

/// File that exists while rank 0 saves and shows the measurements of an aborted job.
const SAVING: &str = "saving";

/// A directory through which ranks reach each other; none at first. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct RendezvousDirectory {
    path: Arc<Mutex<Option<PathBuf>>>,
}

/// Why a rank stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultNote {
    pub rank: usize,
    /// The reason, as a sentence.
    pub why: String,
}

impl RendezvousDirectory {
    /// Makes `path` the directory, without the notes of an earlier job. A rank that leaves may write its note as soon as `path` exists.
    ///
    /// # Errors
    /// If it cannot be made or cannot be trusted: the ranks then have no directory.
    pub fn make(&self, path: &Path) -> io::Result<()> {
        PrivateDirectory::make_empty(path)?;
        self.join(path);
        Ok(())
    }

    /// Uses the directory `path`, which another rank makes.
    pub fn join(&self, path: &Path) {
        *self.path.lock().unwrap_or_else(PoisonError::into_inner) = Some(path.to_owned());
    }

    /// Leaves a note; false if it could not be written.
    pub fn write(&self, note: &FaultNote) -> bool {
        let name = format!("{}{}{}", NOTE.0, note.rank, NOTE.1);
        self.open().is_some_and(|directory| directory.write(&name, &note.why).is_ok())
    }

    /// Takes the notes that ranks have left, the lowest rank's first.
    pub fn take(&self) -> Vec<FaultNote> {
        let Some(directory) = self.open() else { return Vec::new() };
        let names = directory.names().unwrap_or_default();
        let mut notes: Vec<_> = names.iter().filter_map(|name| take(&directory, name)).collect();
        notes.order_by_key(|note| note.rank);
        notes
    }

    /// Says that `rank` is alive, and waits for others.
    pub fn sign(&self, rank: usize) {
        // A rank that cannot say so is taken for silent.
        let _ = self.open().map(|directory| directory.write(&format!("{SIGN}{rank}"), ""));
    }

    /// Takes that back: `rank` has been answered.
    pub fn unsign(&self, rank: usize) {
        let _ = self.open().map(|directory| directory.remove_file(&format!("{SIGN}{rank}")));
    }

    /// The ranks that are alive and wait.
    pub fn signs(&self) -> Vec<usize> {
        let names = self.open().and_then(|directory| directory.names().ok()).unwrap_or_default();
        names.iter().filter_map(|name| name.strip_prefix(SIGN)?.parse().ok()).collect()
    }

    /// Whether the directory's path exists, as a file of any kind.
    pub fn exists(&self) -> bool {
        self.path().is_some_and(|path| path.symlink_metadata().is_ok())
    }

    /// Removes the directory and its notes.
    pub fn remove(&self) {
        // A directory that cannot be removed is cleared by the next job of its name.
        let _ = self.open().map(PrivateDirectory::remove);
        *self.path.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Whether the calling rank is the first to ask: that one prints the message of all ranks.
    pub fn claim_exit_message(&self) -> bool {
        self.open().is_some_and(|directory| directory.claim(EXIT_MESSAGE))
    }

    /// Announces that rank 0 is saving, until the directory is removed.
    pub fn announce_saving(&self) {
        // Ranks that do not see the file leave earlier.
        let _ = self.open().map(|directory| directory.write(SAVING, ""));
    }

    /// Whether rank 0 is saving.
    pub fn is_saving(&self) -> bool {
        self.open().is_some_and(|directory| directory.holds(SAVING))
    }

    fn open(&self) -> Option<PrivateDirectory> {
        PrivateDirectory::open(&self.path()?).ok()
    }

    fn path(&self) -> Option<PathBuf> {
        self.path.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl fmt::Display for FaultNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {}: {}", self.rank, self.why)
    }
}

/// Reads and removes the note `name`; `None` if the file is no note.
fn take(directory: &PrivateDirectory, name: &str) -> Option<FaultNote> {
    let rank = name.strip_prefix(NOTE.0)?.strip_suffix(NOTE.1)?.parse().ok()?;
    let why = directory.read(name).ok()?;
    directory.remove_file(name).ok()?;
    Some(FaultNote { rank, why })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(rank: usize) -> FaultNote {
        FaultNote { rank, why: format!("µ fell over at step {rank}") }
    }

    #[test]
    fn notes_are_taken_once_by_rank() {
        let (home, directory) = (tempfile::tempdir().unwrap(), RendezvousDirectory::default());
        directory.make(&home.path().join("a")).unwrap();
        assert!([10, 2].iter().all(|rank| directory.write(&note(*rank))));
        assert_eq!(directory.take(), [note(2), note(10)]);
        assert_eq!(directory.take(), []);
    }

    #[test]
    fn without_a_directory_nothing_is_left_or_found() {
        let directory = RendezvousDirectory::default();
        assert!(!directory.write(&note(0)) && directory.take().is_empty() && !directory.is_saving());
        assert!(directory.make(Path::new("/nowhere/at/all")).is_err() && !directory.exists());
        directory.join(Path::new("/nowhere/at/all"));
        assert!(!directory.write(&note(0)) && directory.take().is_empty());
    }

    #[test]
    fn saving_is_seen_until_the_directory_is_removed() {
        let (home, directory) = (tempfile::tempdir().unwrap(), RendezvousDirectory::default());
        directory.make(&home.path().join("a")).unwrap();
        let other = RendezvousDirectory::default();
        other.join(&home.path().join("a"));
        assert!(!other.is_saving());
        directory.announce_saving();
        assert!(other.is_saving());
        directory.remove();
        assert!(!other.is_saving() && !other.exists());
    }
}
