//! Where ranks leave word for each other when no message can: files in a directory that they see.
//!
//! Ranks of one node always share one; ranks of several do where the run's directory lies on a file system of all nodes. Where they do not,
//! nothing is found, and nothing is lost but that: a rank that broke also says so itself.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// What a rank's note is called, before and after its number.
const NOTE: (&str, &str) = ("fault-of-rank-", ".txt");

/// There as long as rank 0 saves and shows what a job that is ended has measured.
const SAVING: &str = "saving";

/// Where ranks leave word for each other; nowhere at first.
#[derive(Debug, Clone, Default)]
pub struct Board {
    directory: Arc<Mutex<Option<PathBuf>>>,
}

/// What a rank says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Which one.
    pub rank: usize,
    /// What happened there.
    pub why: String,
}

impl Board {
    /// From now on the board is `directory`, or nowhere.
    pub fn hang(&self, directory: Option<&Path>) {
        *self.directory.lock().unwrap_or_else(PoisonError::into_inner) = directory.map(Path::to_owned);
    }

    /// Leaves word; whether it could be left.
    pub fn pin(&self, note: &Note) -> bool {
        let file = self.file(&format!("{}{}{}", NOTE.0, note.rank, NOTE.1));
        file.is_some_and(|file| fs::write(file, &note.why).is_ok())
    }

    /// Takes down what ranks have left, the lowest rank's first.
    pub fn take(&self) -> Vec<Note> {
        let entries = self.file("").and_then(|directory| fs::read_dir(directory).ok()).into_iter().flatten().flatten();
        let mut notes: Vec<Note> = entries.filter_map(|entry| taken(&entry.path())).collect();
        notes.sort_by_key(|note| note.rank);
        notes
    }

    /// Whether the directory is there.
    pub fn is_there(&self) -> bool {
        self.file("").is_some_and(|directory| directory.exists())
    }

    /// Removes the directory, with all that was left there.
    pub fn remove(&self) {
        // What stays is empty.
        let _ = self.file("").map(fs::remove_dir_all);
        self.hang(None);
    }

    /// Says that rank 0 saves what there is.
    pub fn saving(&self) {
        // Those who do not see it leave earlier.
        let _ = self.file(SAVING).map(|file| fs::write(file, ""));
    }

    /// Says that rank 0 has saved what there is.
    pub fn saved(&self) {
        let _ = self.file(SAVING).map(fs::remove_file);
    }

    /// Whether rank 0 saves what there is.
    pub fn is_saving(&self) -> bool {
        self.file(SAVING).is_some_and(|file| file.exists())
    }

    fn file(&self, name: &str) -> Option<PathBuf> {
        let directory = self.directory.lock().unwrap_or_else(PoisonError::into_inner);
        directory.as_ref().map(|directory| directory.join(name))
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {}: {}", self.rank, self.why)
    }
}

/// The note in that file, which is gone then; `None` where it is no note.
fn taken(file: &Path) -> Option<Note> {
    let rank = file.file_name()?.to_str()?.strip_prefix(NOTE.0)?.strip_suffix(NOTE.1)?.parse().ok()?;
    let why = fs::read_to_string(file).ok()?;
    // What cannot be removed stays: it says nothing wrong.
    let _ = fs::remove_file(file);
    Some(Note { rank, why })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(rank: usize) -> Note {
        Note { rank, why: format!("µ fell over at step {rank}") }
    }

    #[test]
    fn notes_are_taken_down_once_by_rank() {
        let (home, board) = (tempfile::tempdir().unwrap(), Board::default());
        board.hang(Some(home.path()));
        fs::write(home.path().join("run.jsonl"), "{}").unwrap();
        assert!([10, 2].iter().all(|rank| board.pin(&note(*rank))));
        assert_eq!(board.take(), [note(2), note(10)]);
        assert_eq!(board.take(), []);
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1, "what else lies there stays");
    }

    #[test]
    fn a_board_that_is_nowhere_holds_nothing() {
        let board = Board::default();
        assert!(!board.pin(&note(0)) && board.take().is_empty() && !board.is_saving());
        board.hang(Some(Path::new("/nowhere/at/all")));
        assert!(!board.pin(&note(0)) && board.take().is_empty());
    }

    #[test]
    fn saving_is_seen_until_it_is_done() {
        let (home, board) = (tempfile::tempdir().unwrap(), Board::default());
        board.hang(Some(home.path()));
        let others = board.clone();
        board.saving();
        assert!(others.is_saving());
        board.saved();
        assert!(!others.is_saving());
    }
}
