//! Links, manual pages and completions below a prefix: what has to be made, and whose files are in the way.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::file;

/// Marks the text files that paw may replace, because it wrote them.
pub const MARK: &str = "Written by paw install.";

/// A file below the prefix.
#[derive(Debug, PartialEq, Eq)]
pub struct InstalledFile {
    /// Where it goes.
    pub path: PathBuf,
    /// What it is.
    pub content: Content,
}

/// What a file below the prefix is.
#[derive(Debug, PartialEq, Eq)]
pub enum Content {
    /// A symbolic link to the program.
    Link(PathBuf),
    /// A text that bears [`MARK`].
    Text(String),
}

/// What lies where a file has to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Occupant {
    /// Nothing.
    Free,
    /// A file that paw made: it is replaced.
    Ours,
    /// A file of somebody else: it stays.
    Foreign,
}

impl InstalledFile {
    /// What is in its way and is not paw's: its own place, or a file where one of its directories has to be.
    pub fn obstacle(&self) -> Option<&Path> {
        let is_file = |path: &&Path| fs::metadata(path).is_ok_and(|there| !there.is_dir());
        let above = self.path.ancestors().skip(1).find(is_file);
        above.or_else(|| (self.occupant() == Occupant::Foreign).then_some(&self.path))
    }

    /// What lies at its path.
    fn occupant(&self) -> Occupant {
        let Ok(there) = fs::symlink_metadata(&self.path) else { return Occupant::Free };
        let is_ours = match &self.content {
            Content::Link(program) => {
                fs::read_link(&self.path).is_ok_and(|target| target == *program || is_paw(&target))
            }
            Content::Text(_) if !there.is_file() => false,
            Content::Text(_) => paw_data::bounded::text(&self.path).is_ok_and(|text| text.contains(MARK)),
        };
        if is_ours { Occupant::Ours } else { Occupant::Foreign }
    }

    /// Makes it; directories too. What paw made before stays until the new file is whole, and anything else is an error.
    pub fn make(&self) -> Result<(), Failure> {
        let directory = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(directory).map_err(|error| {
            Failure::io(format!("{} cannot be made: {error}", directory.display()))
                .hint("choose a directory that you may write with --prefix")
        })?;
        if let Some(obstacle) = self.obstacle() {
            return Err(Failure::io(format!("{} was made by somebody else meanwhile", obstacle.display())));
        }
        match &self.content {
            Content::Link(target) => file::link(&self.path, target),
            Content::Text(text) => file::write(&self.path, text),
        }
    }
}

/// Whether a link leads to a paw, whatever its version: `paw`, `paw-0.2`.
fn is_paw(target: &Path) -> bool {
    let name = target.file_name().and_then(OsStr::to_str).and_then(|name| name.strip_prefix("paw"));
    name.is_some_and(|rest| !rest.starts_with(char::is_alphabetic))
}
