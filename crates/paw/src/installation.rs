//! Links, manual pages and completions below a prefix: what has to be made, and whose files are in the way.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

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
pub enum Occupant {
    /// Nothing.
    Free,
    /// A file that paw made: it is replaced.
    Ours,
    /// A file of somebody else: it stays.
    Foreign,
}

impl InstalledFile {
    /// What lies at its path.
    pub fn occupant(&self) -> Occupant {
        let Ok(there) = fs::symlink_metadata(&self.path) else { return Occupant::Free };
        let is_ours = match &self.content {
            Content::Link(program) => fs::read_link(&self.path)
                .is_ok_and(|target| target == *program || target.file_name() == Some(OsStr::new("paw"))),
            Content::Text(_) if !there.is_file() => false,
            Content::Text(_) => paw_data::bounded::text(&self.path).is_ok_and(|text| text.contains(MARK)),
        };
        if is_ours { Occupant::Ours } else { Occupant::Foreign }
    }

    /// Makes it; directories too. What paw made before is replaced, and anything else is an error.
    pub fn make(&self) -> Result<(), Failure> {
        self.made().map_err(|error| {
            Failure::io(format!("{} cannot be made: {error}", self.path.display()))
                .hint("choose a directory that you may write with --prefix")
        })
    }

    fn made(&self) -> io::Result<()> {
        fs::create_dir_all(self.path.parent().unwrap_or(Path::new(".")))?;
        if self.occupant() == Occupant::Ours {
            fs::remove_file(&self.path)?;
        }
        match &self.content {
            Content::Link(target) => symlink(target, &self.path),
            Content::Text(text) => io::Write::write_all(&mut fs::File::create_new(&self.path)?, text.as_bytes()),
        }
    }
}
