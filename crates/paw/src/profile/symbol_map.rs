//! The names of code that a program made while it ran, as it wrote them into `/tmp/perf-PID.map`.
//!
//! Each line has a first address and a length in hexadecimal, and a name: tools/perf/Documentation/jit-interface.txt of Linux. Everybody
//! can write to /tmp: a file counts only if it belongs to this user, is no link, and is no older than the process.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::process::geteuid;

/// Largest file that is read.
const BYTES_MAX: u64 = 256 << 20;
/// Functions that are kept.
const FUNCTIONS_MAX: usize = 1_000_000;
/// Longest name, in bytes.
const NAME_MAX: usize = 1024;
/// Times of files are those of the last tick.
const TICK: Duration = Duration::from_secs(1);

/// Functions by their addresses.
#[derive(Debug, Default)]
pub struct SymbolMap {
    path: String,
    /// By first address: the address after the last byte, and the name.
    functions: BTreeMap<u64, (u64, String)>,
}

impl SymbolMap {
    /// The names that the process `pid` has written down; `None` if it has not. A file that is older than `since` is another process's.
    ///
    /// # Errors
    /// A file that is not trusted, in words.
    pub fn of_process(pid: u32, since: Option<SystemTime>) -> Result<Option<Self>, String> {
        Self::in_directory(Path::new("/tmp"), pid, since)
    }

    fn in_directory(directory: &Path, pid: u32, since: Option<SystemTime>) -> Result<Option<Self>, String> {
        let path = directory.join(format!("perf-{pid}.map"));
        let said = |why: &str| format!("{} {why}", path.display());
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match openat(CWD, &path, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            Err(rustix::io::Errno::LOOP) => return Err(said("is a link")),
            Err(error) => return Err(said(&format!("cannot be opened: {}", io::Error::from(error)))),
        };
        let found = file.metadata().map_err(|error| said(&error.to_string()))?;
        if !found.is_file() {
            return Err(said("is no file"));
        }
        if found.uid() != geteuid().as_raw() {
            return Err(said("belongs to another user"));
        }
        let is_older = since.zip(found.modified().ok()).is_some_and(|(since, modified)| modified + TICK < since);
        if is_older {
            return Err(said("is older than the process"));
        }
        if found.len() > BYTES_MAX {
            return Err(said("is too large"));
        }
        Ok(Some(Self::parsed(&path, BufReader::new(file.take(BYTES_MAX)))))
    }

    fn parsed(path: &Path, mut text: impl BufRead) -> Self {
        let mut map = Self { path: PathBuf::from(path).to_string_lossy().into_owned(), ..Self::default() };
        let mut line = Vec::new();
        while map.functions.len() < FUNCTIONS_MAX {
            line.clear();
            if text.read_until(b'\n', &mut line).unwrap_or(0) == 0 {
                break;
            }
            if let Some((start, end, name)) = function(&String::from_utf8_lossy(&line)) {
                map.add(start, end, name);
            }
        }
        map
    }

    /// Adds a function; those that lay there were thrown away by the program.
    fn add(&mut self, start: u64, end: u64, name: String) {
        let under = self.functions.range(..end).rev().take_while(|(_, (old_end, _))| *old_end > start);
        let under: Vec<u64> = under.map(|(old, _)| *old).collect();
        under.iter().for_each(|old| drop(self.functions.remove(old)));
        self.functions.insert(start, (end, name));
    }

    /// The file.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The function at `address`, with its first address.
    pub fn function_at(&self, address: u64) -> Option<(&str, u64)> {
        let (start, (end, name)) = self.functions.range(..=address).next_back()?;
        (address < *end).then_some((name.as_str(), *start))
    }
}

/// `7f0010 40 fib`.
fn function(line: &str) -> Option<(u64, u64, String)> {
    let mut words = line.trim_end().splitn(3, ' ');
    let mut number = || u64::from_str_radix(words.next()?.trim_start_matches("0x"), 16).ok();
    let (start, bytes) = (number()?, number()?);
    let name: String = words.next()?.trim().chars().filter(|c| !c.is_control()).take(NAME_MAX).collect();
    let end = start.checked_add(bytes).filter(|end| *end > start)?;
    (!name.is_empty()).then_some((start, end, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_their_own_ranges_and_the_last_one_written_counts() {
        let text = "1000 40 first\n0x2000 0x10 with a space\nnonsense\n3000 0 empty\nffffffffffffffff 10 beyond\n1020 10 newer\n";
        let map = SymbolMap::parsed(Path::new("perf-1.map"), text.as_bytes());
        assert_eq!(map.function_at(0x2008), Some(("with a space", 0x2000)));
        assert_eq!(map.function_at(0x1028), Some(("newer", 0x1020)));
        assert_eq!(map.function_at(0x1000), None, "what lay there before is gone as a whole");
        assert_eq!(map.function_at(0x2010), None);
        assert_eq!(map.function_at(0x3000), None);
    }

    #[test]
    fn only_a_file_of_this_user_and_of_this_process_counts() {
        let place = tempfile::tempdir().unwrap();
        let read = |pid, since| SymbolMap::in_directory(place.path(), pid, since);
        let path = |pid: u32| place.path().join(format!("perf-{pid}.map"));
        assert!(matches!(read(1, None), Ok(None)));
        std::fs::write(path(1), "1000 40 work\n").unwrap();
        assert!(matches!(read(1, Some(SystemTime::now())), Ok(Some(map)) if map.function_at(0x1001).is_some()));
        let later = SystemTime::now() + Duration::from_secs(60);
        assert!(read(1, Some(later)).is_err_and(|why| why.contains("older")));
        std::os::unix::fs::symlink(path(1), path(2)).unwrap();
        assert!(read(2, None).is_err_and(|why| why.contains("is a link")));
        std::fs::create_dir(path(3)).unwrap();
        assert!(read(3, None).is_err_and(|why| why.contains("is no file")));
    }
}
