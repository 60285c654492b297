//! A directory that only this user can write, in a place where others may have created a directory, a file or a link of its name.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{self as sys, AtFlags, CWD, FileType, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use rustix::process::geteuid;

/// Longest file read, in bytes: a journal has some 100 bytes for each setting, and a machine of a thousand processors tens of thousands.
const FILE_BYTES_MAX: u64 = 4 << 20;

/// An open directory that only this user can write. Files in it are reached through its descriptor, so that renaming its path has no effect.
#[derive(Debug)]
pub struct PrivateDirectory {
    path: PathBuf,
    handle: OwnedFd,
}

impl PrivateDirectory {
    /// Makes `path` with mode 0700, or opens and empties it where it exists. What others write to a directory just made is kept.
    pub fn make_empty(path: &Path) -> io::Result<Self> {
        match sys::mkdirat(CWD, path, Mode::RWXU) {
            Ok(()) => Self::open(path),
            Err(Errno::EXIST) => Self::open(path).and_then(|directory| directory.clear().map(|()| directory)),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes `path` with mode 0700, or opens it as [`open`](Self::open) does where it exists.
    pub fn make(path: &Path) -> io::Result<Self> {
        match sys::mkdirat(CWD, path, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => Self::open(path),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens `path`, which must be a directory, no link to one, that belongs to this user and that nobody else may write.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = sys::openat(CWD, path, flags, Mode::empty()).map_err(|error| match error {
            Errno::LOOP | Errno::NOTDIR => untrusted("it is a link or a file, not a directory"),
            other => other.into(),
        })?;
        let found = sys::fstat(&handle)?;
        if found.st_uid != geteuid().as_raw() {
            return Err(untrusted("it belongs to another user"));
        }
        if Mode::from_raw_mode(found.st_mode).intersects(Mode::WGRP | Mode::WOTH) {
            return Err(untrusted("other users may write to it"));
        }
        Ok(Self { path: path.to_owned(), handle })
    }

    /// Writes the file `name`: readers see all of `text` or no file.
    pub fn write(&self, name: &str, text: &str) -> io::Result<()> {
        self.part(name, text)?;
        Ok(sys::renameat(&self.handle, part_of(name), &self.handle, name)?)
    }

    /// As [`write`](Self::write), and the file is on the disk when it returns.
    pub fn write_durably(&self, name: &str, text: &str) -> io::Result<()> {
        self.part(name, text)?.sync_all()?;
        sys::renameat(&self.handle, part_of(name), &self.handle, name)?;
        Ok(sys::fsync(&self.handle)?)
    }

    /// The file that becomes `name`, with all of `text`.
    fn part(&self, name: &str, text: &str) -> io::Result<File> {
        let part = part_of(name);
        // A killed process may have left this file.
        let _ = self.remove_file(&part);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(sys::openat(&self.handle, &part, flags, Mode::RUSR | Mode::WUSR)?);
        file.write_all(text.as_bytes())?;
        Ok(file)
    }

    /// Locks the file `name` until the handle is closed or this process ends, however it ends; `None` if another process has the lock.
    pub fn lock(&self, name: &str) -> io::Result<Option<OwnedFd>> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = sys::openat(&self.handle, name, flags, Mode::RUSR | Mode::WUSR)?;
        match sys::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(file)),
            Err(Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Creates the empty file `name`; false if it exists.
    pub fn claim(&self, name: &str) -> bool {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        sys::openat(&self.handle, name, flags, Mode::RUSR | Mode::WUSR).is_ok()
    }

    /// Reads the file `name`, which must be a regular one of this user, to 4 MiB.
    pub fn read(&self, name: &str) -> io::Result<String> {
        // NONBLOCK keeps a named pipe from waiting for a writer.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = sys::openat(&self.handle, name, flags, Mode::empty())?;
        let found = sys::fstat(&file)?;
        if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile || found.st_uid != geteuid().as_raw() {
            return Err(untrusted("it is no file of this user"));
        }
        let mut text = String::new();
        File::from(file).take(FILE_BYTES_MAX).read_to_string(&mut text)?;
        Ok(text)
    }

    /// Whether the file `name` exists.
    pub fn holds(&self, name: &str) -> bool {
        sys::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Removes the file `name`.
    pub fn remove_file(&self, name: &str) -> io::Result<()> {
        Ok(sys::unlinkat(&self.handle, name, AtFlags::empty())?)
    }

    /// Names of its files; those that are not UTF-8 are left out.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let entries = sys::Dir::read_from(&self.handle)?.flatten();
        let names = entries.filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned));
        Ok(names.filter(|name| name != "." && name != "..").collect())
    }

    /// Removes its files. One that its writer renames or removes meanwhile is no error.
    fn clear(&self) -> io::Result<()> {
        self.names()?.iter().try_for_each(|name| match self.remove_file(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        })
    }

    /// Removes the directory and its files.
    pub fn remove(self) -> io::Result<()> {
        self.clear()?;
        fs::remove_dir(&self.path)
    }
}

fn part_of(name: &str) -> String {
    format!("{name}.part")
}

fn untrusted(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, why)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    }

    #[test]
    fn the_directory_and_its_files_are_this_users_alone() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("paw-1");
        let directory = PrivateDirectory::make(&path).unwrap();
        directory.write("note", "one").unwrap();
        directory.write("note", "two").unwrap();
        assert!(!directory.claim("note"));
        assert!(directory.claim("claim") && !directory.claim("claim"));
        directory.remove_file("claim").unwrap();
        assert_eq!((mode(&path), mode(&path.join("note"))), (0o700, 0o600));
        assert_eq!(PrivateDirectory::make(&path).unwrap().read("note").unwrap(), "two");
        assert_eq!((directory.names().unwrap(), directory.holds("note")), (vec!["note".to_owned()], true));
        directory.remove().unwrap();
        assert_eq!(PrivateDirectory::open(&path).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn emptying_loses_no_file_of_a_writer_that_found_the_directory_just_made() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("paw-1");
        for _ in 0..500 {
            let written = std::thread::scope(|scope| {
                let writer = scope.spawn(|| {
                    let directory = std::iter::repeat_with(|| PrivateDirectory::open(&path)).find_map(Result::ok);
                    directory.unwrap().write("note", "one")
                });
                PrivateDirectory::make_empty(&path).unwrap();
                writer.join().unwrap()
            });
            written.unwrap();
            let directory = PrivateDirectory::make(&path).unwrap();
            assert_eq!(directory.read("note").unwrap(), "one");
            assert_eq!(PrivateDirectory::make_empty(&path).unwrap().names().unwrap(), [] as [String; 0]);
            directory.remove().unwrap();
        }
    }

    #[test]
    fn a_planted_link_is_neither_followed_nor_read() {
        let home = tempfile::tempdir().unwrap();
        let (path, victim) = (home.path().join("paw-1"), home.path().join("victim"));
        fs::write(&victim, "precious").unwrap();
        let directory = PrivateDirectory::make(&path).unwrap();
        for name in ["note", "note.part"] {
            symlink(&victim, path.join(name)).unwrap();
        }
        assert!(directory.read("note").is_err());
        directory.write("note", "one").unwrap();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
        assert_eq!(directory.read("note").unwrap(), "one");
        symlink(&path, home.path().join("link")).unwrap();
        for not_a_directory in ["link", "victim"] {
            let refused = PrivateDirectory::make(&home.path().join(not_a_directory)).unwrap_err();
            assert_eq!(refused.to_string(), "it is a link or a file, not a directory");
        }
    }

    #[test]
    fn a_directory_that_others_may_write_is_refused() {
        let home = tempfile::tempdir().unwrap();
        for (number, is_refused) in [(0o777, true), (0o720, true), (0o702, true), (0o755, false)] {
            set_mode(home.path(), number);
            let opened = PrivateDirectory::open(home.path());
            assert_eq!(opened.is_err(), is_refused, "{number:o}: {opened:?}");
        }
    }

    #[test]
    fn what_another_user_has_planted_is_refused() {
        let home = tempfile::tempdir().unwrap();
        if !geteuid().is_root() {
            return eprintln!("left out: only root can act as two users");
        }
        let (path, victim) = (home.path().join("paw-1"), home.path().join("victim"));
        fs::write(&victim, "precious").unwrap();
        set_mode(home.path(), 0o1777);
        let plant = "mkdir -m 755 paw-1 && ln -s ../victim paw-1/note && ln -s paw-1 paw-2 && mkfifo -m 666 pipe";
        let mut other = Command::new("/bin/sh");
        let planted = other.args(["-c", plant]).current_dir(home.path()).uid(65_534).gid(65_534).status().unwrap();
        assert!(planted.success());
        assert_eq!(PrivateDirectory::make(&path).unwrap_err().to_string(), "it belongs to another user");
        assert!(PrivateDirectory::make(&home.path().join("paw-2")).is_err());
        let mine = PrivateDirectory::make(&home.path().join("paw-3")).unwrap();
        for planted in ["paw-1/note", "pipe"] {
            fs::rename(home.path().join(planted), home.path().join("paw-3/note")).unwrap();
            assert!(mine.read("note").is_err(), "{planted}");
        }
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    }
}
