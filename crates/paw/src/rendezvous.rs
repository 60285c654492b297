//! The rendezvous of a node's ranks before MPI has begun: a directory that the node's first rank keeps until then.
//!
//! All ranks but rank 0 are silent. The others would wait in vain for a rank that leaves alone, because its library is missing there.

mod directory;

use std::env;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::process::parent_id;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use paw_foreign::mpi::launcher::Launcher;

pub use directory::{FaultNote, RendezvousDirectory};

use crate::print;
use crate::private_directory::PrivateDirectory;

/// Time that a leaving rank waits for the node's first rank, which the launcher may start a little later.
const FIRST_STARTS: Duration = Duration::from_secs(2);
/// Time that a leaving rank waits for the first rank to print why: a launcher may end all ranks once one has left.
const FIRST_PRINTS: Duration = Duration::from_secs(5);
const POLL_EVERY: Duration = Duration::from_millis(20);

/// The rendezvous of a node's ranks; dropping it ends it.
#[derive(Debug)]
pub struct Rendezvous {
    directory: RendezvousDirectory,
    rank: usize,
    part: RendezvousRole,
}

/// This rank's part in the rendezvous.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RendezvousRole {
    /// The first of its node, which keeps the directory and prints the notes that others leave there.
    Host,
    /// Another rank of the node.
    Guest,
    /// A rank whose launcher does not say whether it is the first of its node.
    Stray,
}

impl Rendezvous {
    /// The rendezvous of the ranks of this process's node; the first of them opens it.
    pub fn of(launcher: &Launcher) -> Self {
        Self::at(launcher, &place().join(format!("paw-{:016x}", key())))
    }

    fn at(launcher: &Launcher, path: &Path) -> Self {
        let part = match (launcher.rank, launcher.local_rank) {
            (0, _) | (_, Some(0)) => RendezvousRole::Host,
            (_, Some(_)) => RendezvousRole::Guest,
            (_, None) => RendezvousRole::Stray,
        };
        let directory = RendezvousDirectory::default();
        if part != RendezvousRole::Host {
            directory.join(path);
        } else if let Err(why) = directory.make(path) {
            print::message_from_any_rank(&format!(
                "paw: {} is not used: {why}. hint: set TMPDIR to a directory of your own",
                path.display()
            ));
        }
        Self { directory, rank: launcher.rank, part }
    }

    /// The directory that the first rank's watchdog reads until the rendezvous ends.
    pub fn directory(&self) -> RendezvousDirectory {
        match self.part {
            RendezvousRole::Host => self.directory.clone(),
            RendezvousRole::Guest | RendezvousRole::Stray => RendezvousDirectory::default(),
        }
    }

    /// The message of a rank whose library ends the process: `message` from the first of a node, nothing from the others.
    /// A launcher that sees one rank end may kill the rest before they print, rank 0 among them.
    pub fn exit_message(&self, message: String) -> Box<dyn FnOnce() -> String + Send> {
        let directory = self.directory.clone();
        Box::new(move || {
            within(FIRST_STARTS, || directory.exists());
            if directory.claim_exit_message() { message } else { String::new() }
        })
    }

    /// Reports why this rank leaves before MPI has begun; rank 0 reports it in its results.
    pub fn leave(&self, why: &str) {
        let note = FaultNote { rank: self.rank, why: why.to_owned() };
        let is_heard = self.rank == 0 || (self.part != RendezvousRole::Host && self.is_read(&note));
        // A guest that finds no directory prints nothing: the first rank left earlier for the same reason, and printed it.
        if !is_heard && (self.part != RendezvousRole::Guest || self.directory.exists()) {
            print::message_from_any_rank(&format!("paw: {note}"));
        }
    }

    /// Leaves a note for the first rank and waits until it has ended the rendezvous; false without a first rank.
    fn is_read(&self, note: &FaultNote) -> bool {
        within(FIRST_STARTS, || self.directory.write(note)) && {
            within(FIRST_PRINTS, || !self.directory.exists());
            true
        }
    }
}

/// Whether `done` holds before `limit` has passed.
fn within(limit: Duration, mut done: impl FnMut() -> bool) -> bool {
    let began = Instant::now();
    loop {
        if done() {
            return true;
        }
        if began.elapsed() > limit {
            return false;
        }
        thread::sleep(POLL_EVERY);
    }
}

impl Drop for Rendezvous {
    fn drop(&mut self) {
        if self.part == RendezvousRole::Host {
            self.directory.remove();
        }
    }
}

/// Parent of the directory: the user's runtime directory, else the temporary one. Ranks of a job inherit the same variables.
fn place() -> PathBuf {
    let runtime = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    runtime.filter(|path| PrivateDirectory::open(path).is_ok()).unwrap_or_else(env::temp_dir)
}

/// A number that only the ranks of a job on a node share: a hash of launcher, command and working directory.
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
    fn the_first_rank_of_a_node_reads_who_leaves() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("paw-1");
        let first = Rendezvous::at(&launcher(2, Some(0)), &path);
        let note = |rank| FaultNote { rank, why: "no library".to_owned() };
        thread::scope(|scope| {
            for (rank, local_rank) in [(3, Some(1)), (5, None)] {
                let path = &path;
                scope.spawn(move || Rendezvous::at(&launcher(rank, local_rank), path).leave("no library"));
            }
            let mut read = Vec::new();
            assert!(within(FIRST_STARTS, || {
                read.extend(first.directory().take());
                read.len() == 2
            }));
            read.sort_by_key(|note| note.rank);
            assert_eq!(read, [note(3), note(5)]);
            // Ranks that left wait for its removal.
            drop(first);
        });
        assert!(!path.exists(), "the rendezvous is over");
    }

    #[test]
    fn notes_of_an_earlier_job_are_not_read() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("paw-1");
        std::mem::forget(Rendezvous::at(&launcher(0, Some(0)), &path));
        let old = FaultNote { rank: 1, why: "old".to_owned() };
        assert!(Rendezvous::at(&launcher(1, Some(1)), &path).directory.write(&old));
        assert_eq!(Rendezvous::at(&launcher(0, Some(0)), &path).directory().take(), []);
    }

    #[test]
    fn a_directory_that_cannot_be_trusted_is_not_used() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("paw-1");
        std::os::unix::fs::symlink(home.path(), &path).unwrap();
        let first = Rendezvous::at(&launcher(0, Some(0)), &path);
        assert!(!Rendezvous::at(&launcher(1, Some(1)), &path).is_read(&FaultNote { rank: 1, why: "lost".to_owned() }));
        drop(first);
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 1, "the link is still there, and nothing else");
    }
}
