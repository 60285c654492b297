//! Where the ranks of a node leave word before MPI has begun: a directory that the node's first rank keeps until then.
//!
//! A rank that leaves alone, because its library is missing there, would else be waited for without a word: all but rank 0 are silent.

use std::env;
use std::fs::{self, DirBuilder};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::parent_id;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use paw_foreign::mpi::launcher::Launcher;

use crate::board::{Board, Note};
use crate::print;

/// The launcher starts the ranks of a node one after the other: the first may come a little later than the one that leaves.
const FIRST_COMES: Duration = Duration::from_secs(2);
/// A launcher that sees a rank leave may end the first one before it has said why: who leaves waits until it has, though not for ever.
const FIRST_SPEAKS: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The meeting of a node's ranks, which is over when this is dropped.
#[derive(Debug)]
pub struct Meeting {
    board: Board,
    rank: usize,
    part: Part,
}

/// What this rank is at the meeting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The first of its node, which keeps the directory and says what others leave there.
    Host,
    /// One of its guests.
    Guest,
    /// It cannot know whether it is the first.
    Stray,
}

impl Meeting {
    /// The meeting of the ranks of this process's node, open from now on where it is the first of them.
    pub fn of(launcher: &Launcher) -> Self {
        Self::at(launcher, &env::temp_dir().join(format!("paw-{:016x}", key())))
    }

    fn at(launcher: &Launcher, directory: &Path) -> Self {
        let part = match (launcher.rank, launcher.local_rank) {
            (0, _) | (_, Some(0)) => Part::Host,
            (_, Some(_)) => Part::Guest,
            (_, None) => Part::Stray,
        };
        let board = Board::default();
        if part != Part::Host || made(directory).is_ok() {
            board.hang(Some(directory));
        }
        Self { board, rank: launcher.rank, part }
    }

    /// What the watchdog of the first rank looks at until the meeting is over.
    pub fn board(&self) -> Board {
        match self.part {
            Part::Host => self.board.clone(),
            Part::Guest | Part::Stray => Board::default(),
        }
    }

    /// Says why this rank leaves before MPI has begun; rank 0 says so by its results.
    pub fn leave(&self, why: &str) {
        let note = Note { rank: self.rank, why: why.to_owned() };
        let is_heard = self.rank == 0 || (self.part != Part::Host && self.is_pinned(&note));
        // Where a guest finds no first rank, that one has left before, for the same reason, and said it.
        if !is_heard && self.part != Part::Guest {
            print::cry(&format!("paw: {note}"));
        }
    }

    /// Leaves word with the first rank, and waits until that has ended the meeting; whether there is a first rank.
    fn is_pinned(&self, note: &Note) -> bool {
        within(FIRST_COMES, || self.board.pin(note)) && {
            within(FIRST_SPEAKS, || !self.board.is_there());
            true
        }
    }
}

/// Whether `done` comes to hold before `limit` has passed.
fn within(limit: Duration, mut done: impl FnMut() -> bool) -> bool {
    let began = Instant::now();
    loop {
        if done() {
            return true;
        }
        if began.elapsed() > limit {
            return false;
        }
        thread::sleep(LOOK_EVERY);
    }
}

impl Drop for Meeting {
    fn drop(&mut self) {
        if self.part == Part::Host {
            self.board.remove();
        }
    }
}

/// An empty directory of this user's alone.
fn made(directory: &Path) -> io::Result<()> {
    let make = || DirBuilder::new().mode(0o700).create(directory);
    make().or_else(|_| fs::remove_dir_all(directory).and_then(|()| make()))
}

/// A number that the ranks of a job share on a node, and no others: their launcher, their command, and where they run it.
fn key() -> u64 {
    let mut hasher = DefaultHasher::new();
    match env::var_os("PMIX_NAMESPACE") {
        Some(job) => job.hash(&mut hasher),
        None => parent_id().hash(&mut hasher),
    }
    env::args_os().collect::<Vec<_>>().hash(&mut hasher);
    env::current_dir().ok().hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use paw_foreign::mpi::launcher::LauncherKind;

    use super::*;

    fn launcher(rank: usize, local_rank: Option<usize>) -> Launcher {
        Launcher { kind: LauncherKind::Hydra, rank, size: Some(4), local_rank }
    }

    #[test]
    fn the_first_rank_of_a_node_hears_who_leaves() {
        let home = tempfile::tempdir().unwrap();
        let place = home.path().join("paw-1");
        let first = Meeting::at(&launcher(2, Some(0)), &place);
        let note = |rank| Note { rank, why: "no library".to_owned() };
        thread::scope(|scope| {
            for (rank, local_rank) in [(3, Some(1)), (5, None)] {
                let place = &place;
                scope.spawn(move || Meeting::at(&launcher(rank, local_rank), place).leave("no library"));
            }
            let mut heard = Vec::new();
            assert!(within(FIRST_COMES, || {
                heard.extend(first.board().take());
                heard.len() == 2
            }));
            heard.sort_by_key(|note| note.rank);
            assert_eq!(heard, [note(3), note(5)]);
            // Those who left wait for it.
            drop(first);
        });
        assert!(!place.exists(), "the meeting is over");
    }

    #[test]
    fn what_an_earlier_meeting_has_left_is_not_heard() {
        let home = tempfile::tempdir().unwrap();
        let place = home.path().join("paw-1");
        std::mem::forget(Meeting::at(&launcher(0, Some(0)), &place));
        assert!(Meeting::at(&launcher(1, Some(1)), &place).board.pin(&Note { rank: 1, why: "old".to_owned() }));
        assert_eq!(Meeting::at(&launcher(0, Some(0)), &place).board().take(), []);
    }
}
