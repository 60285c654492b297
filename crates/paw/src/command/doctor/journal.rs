//! The journal of settings that were changed, from which they are restored, whatever happens to paw.

use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use paw_machine::root::Root;
use rustix::process::geteuid;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::private_directory::PrivateDirectory;

const FILE: &str = "tune.json";
const LOCK: &str = "lock";

/// The identity of the system since it was started: every start forgets all settings.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// A setting that is changed: its file, its value before, and the one that it gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub path: String,
    pub before: String,
    pub after: String,
}

/// What is written before the first setting is changed.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    /// The system's start.
    boot: String,
    /// The settings, in the order in which they are changed.
    changes: Vec<Change>,
}

/// The journal's directory, locked by this process until it ends, however it ends.
#[derive(Debug)]
pub struct Journal {
    directory: PrivateDirectory,
    path: PathBuf,
    boot: String,
    _lock: OwnedFd,
}

impl Journal {
    /// Opens the journal of the machine below `root`.
    pub fn open(root: &Root) -> Result<Self, Failure> {
        let path = place(root)?;
        let refused =
            |error: io::Error| Failure::io(format!("{} cannot hold the journal of settings: {error}", path.display()));
        if !root.is_host() {
            std::fs::create_dir_all(root.path("/run")).map_err(refused)?;
        }
        let directory = PrivateDirectory::make(&path).map_err(refused)?;
        let Some(lock) = directory.lock(LOCK).map_err(refused)? else {
            let sentence = format!("another `paw doctor --tune` has its journal in {}", path.display());
            return Err(Failure::io(sentence).hint("wait until it has ended"));
        };
        Ok(Self { directory, path, boot: root.text(BOOT_ID).unwrap_or_default(), _lock: lock })
    }

    /// Opens the journal where there is one, for a process that is about to change nothing.
    pub fn existing(root: &Root) -> Result<Option<Self>, Failure> {
        match place(root) {
            Ok(path) if path.exists() => Self::open(root).map(Some),
            _ => Ok(None),
        }
    }

    /// Writes `changes` down, on the disk when it returns.
    pub fn begin(&self, changes: &[Change]) -> Result<(), Failure> {
        let record = Record { boot: self.boot.clone(), changes: changes.to_vec() };
        let text = serde_json::to_string(&record).map_err(|error| self.unwritten(&error.into()))?;
        self.directory.write_durably(FILE, &text).map_err(|error| self.unwritten(&error))
    }

    /// The changes that a process left; none where the system has been started since.
    pub fn left(&self) -> Result<Vec<Change>, Failure> {
        if !self.directory.holds(FILE) {
            return Ok(Vec::new());
        }
        let text = self.directory.read(FILE).map_err(|error| self.damaged(&format!("cannot be read: {error}")))?;
        let record: Record = serde_json::from_slice(text.as_bytes())
            .map_err(|error| self.damaged(&format!("is no journal of settings: {error}")))?;
        if let Some(change) = record.changes.iter().find(|change| !is_setting(&change.path)) {
            return Err(self.damaged(&format!("names {}, which is no setting", change.path)));
        }
        Ok(if record.boot == self.boot { record.changes } else { Vec::new() })
    }

    /// Forgets the changes: they are taken back.
    pub fn end(&self) -> Result<(), Failure> {
        match self.directory.remove_file(FILE) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.unwritten(&error)),
            _ => Ok(()),
        }
    }

    /// The failure that the journal does not tell what is changed, and the way out.
    fn damaged(&self, what: &str) -> Failure {
        let file = self.path.join(FILE).display().to_string();
        Failure::io(format!("{file} {what}")).hint(format!(
            "it should tell which settings are to be taken back, and paw cannot: check them with `paw doctor --all`, then remove {file}; or start the machine again, which resets them and removes it"
        ))
    }

    fn unwritten(&self, error: &io::Error) -> Failure {
        Failure::io(format!("{} cannot be written: {error}", self.path.join(FILE).display()))
    }
}

/// Where the journal is: in a directory in which nobody else can make a name, and which the system forgets as it forgets settings.
fn place(root: &Root) -> Result<PathBuf, Failure> {
    if !root.is_host() || geteuid().is_root() {
        return Ok(root.path("/run/paw"));
    }
    let own = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    own.map(|path| path.join("paw")).ok_or_else(|| {
        Failure::io("there is no private directory for the journal of settings")
            .hint("set XDG_RUNTIME_DIR to a directory of your own, or be root")
    })
}

/// Whether `path` is a setting of the kernel: journals name nothing else.
pub fn is_setting(path: &str) -> bool {
    let is_below = |directory: &str| path.starts_with(directory);
    (is_below("/sys/") || is_below("/proc/sys/")) && !path.split('/').any(|part| part == "..")
}
