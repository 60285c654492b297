//! Files that hold a whole text.

use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use paw_data::store;

use crate::failure::Failure;
use crate::print;

/// Writes `text` to `path` as [`stream`] does.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    stream(path, |out| out.write_all(text.as_bytes()))
}

/// Writes what `write` writes to `path`, or to standard output for `-`; a file that was there is replaced only once the new one is whole, and
/// never if it is a run.
pub fn stream(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    if path == Path::new("-") {
        return print::stream(write);
    }
    if is_device(path) {
        // A terminal or a pipe is written directly.
        let opened = File::options().write(true).open(path);
        return opened.and_then(|file| filled(file, write)).map_err(|error| refused(path, &error));
    }
    if is_run(path) {
        let why = format!("{} is a run, and nothing is written over what was measured", path.display());
        return Err(Failure::io(why).hint("name another file"));
    }
    let part = part_of(path);
    let file = File::create_new(&part).map_err(|error| refused(path, &error))?;
    let own = file.metadata().map_or(0, |facts| facts.ino());
    filled(file, write).and_then(|()| renamed(&part, path, own)).map_err(|error| {
        // The half-written file is useless; a failure to remove it adds nothing to the error.
        let _ = fs::remove_file(&part);
        refused(path, &error)
    })
}

/// Makes `path` a symbolic link to `target`; a file that was there is replaced.
pub fn link(path: &Path, target: &Path) -> Result<(), Failure> {
    let part = part_of(path);
    symlink(target, &part).and_then(|()| fs::rename(&part, path)).map_err(|error| {
        let _ = fs::remove_file(&part);
        refused(path, &error)
    })
}

/// The name of what becomes `path`: unpredictable, because in a shared directory another user may have planted a link to a file of ours.
fn part_of(path: &Path) -> PathBuf {
    path.with_added_extension(format!("{:08x}.part", fastrand::u32(..)))
}

/// Whether there is a run at `path`, or another file that paw only ever appends to: by its name, and by how its lines begin.
fn is_run(path: &Path) -> bool {
    const BEGINNING: &[u8] = b"{\"line\":";
    let begins = || {
        let mut head = Vec::new();
        let read = File::open(path).and_then(|file| file.take(BEGINNING.len() as u64).read_to_end(&mut head));
        read.is_ok() && head == BEGINNING
    };
    path.is_file() && (path.file_name() == Some(store::FILE.as_ref()) || begins())
}

/// Gives the file with the number `own` the name `path`. A file server that repeats a request it has obeyed says that the first name is
/// missing: the file has its name then.
fn renamed(part: &Path, path: &Path, own: u64) -> io::Result<()> {
    fs::rename(part, path).or_else(|error| match fs::metadata(path) {
        Ok(there) if there.ino() == own => Ok(()),
        _ => Err(error),
    })
}

/// Whether `path` is no regular file, or a link of this user's or root's to one: `/dev/stdout`. Links of others are replaced.
fn is_device(path: &Path) -> bool {
    let is_trusted = |named: &Metadata| named.uid() == 0 || named.uid() == rustix::process::geteuid().as_raw();
    let named = fs::symlink_metadata(path).is_ok_and(|named| !named.is_symlink() || is_trusted(&named));
    named && path.exists() && !path.is_file()
}

fn filled(file: File, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    write(&mut out)?;
    out.flush()
}

fn refused(path: &Path, error: &io::Error) -> Failure {
    let failure = Failure::io(format!("{} cannot be written: {error}", path.display()));
    match error.kind() {
        io::ErrorKind::StorageFull => failure.hint("free some space, or name a file elsewhere"),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => failure.hint("name a file elsewhere"),
        io::ErrorKind::IsADirectory => failure.hint("name a file that is to lie in it"),
        io::ErrorKind::NotFound => failure.hint("its directory is missing: make it first, or name a file elsewhere"),
        _ => failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_planted_link_is_not_followed() {
        let home = tempfile::tempdir().unwrap();
        let victim = home.path().join("victim");
        fs::write(&victim, "precious").unwrap();
        for name in ["a.txt", "a.txt.part"] {
            std::os::unix::fs::symlink(&victim, home.path().join(name)).unwrap();
        }
        write(&home.path().join("a.txt"), "one").unwrap();
        assert_eq!(fs::read_to_string(home.path().join("a.txt")).unwrap(), "one");
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    }

    #[test]
    fn a_text_is_written_whole_or_not_at_all() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a.txt");
        write(&path, "one").unwrap();
        write(&path, "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
        let failure = write(&home.path().join("none/a.txt"), "x").unwrap_err();
        assert!(failure.sentence.contains("none/a.txt cannot be written"), "{failure}");
    }
}
