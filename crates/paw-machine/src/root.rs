//! The directory read in place of `/`: the host's own root, a captured tree, or one that a test wrote.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The directory read in place of `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root(PathBuf);

impl Root {
    /// The host itself.
    pub fn host() -> Self {
        Self(PathBuf::from("/"))
    }

    /// A tree under `directory`: captured from another host, or generated.
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self(directory.into())
    }

    /// Whether this is the host itself, so that system calls describe the same machine as the files.
    pub fn is_host(&self) -> bool {
        self.0 == Path::new("/")
    }

    /// The path on this host of `path`, which is absolute on that machine.
    pub fn path(&self, path: &str) -> PathBuf {
        self.0.join(path.trim_start_matches('/'))
    }

    /// The text of a file with its white space at both ends removed.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn read(&self, path: &str) -> io::Result<String> {
        let bytes = fs::read(self.path(path))?;
        // Firmware strings (DMI) may hold any byte.
        Ok(String::from_utf8_lossy(&bytes).trim_matches(|c: char| c.is_whitespace() || c == '\0').to_owned())
    }

    /// As [`Root::read`], but `None` where it cannot be read.
    pub fn text(&self, path: &str) -> Option<String> {
        self.read(path).ok()
    }

    /// As [`Root::text`], but `None` for an empty file too.
    pub fn word(&self, path: &str) -> Option<String> {
        self.text(path).filter(|t| !t.is_empty())
    }

    /// The number that a file holds.
    pub fn number<T: FromStr>(&self, path: &str) -> Option<T> {
        self.text(path)?.parse().ok()
    }

    /// Names in a directory, sorted; empty where it cannot be read.
    pub fn names(&self, directory: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path(directory)) else { return Vec::new() };
        let mut names: Vec<String> = entries.flatten().filter_map(|e| e.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    /// Numbers of the entries `<stem><number>` in a directory, ascending: `cpu0`, `cpu1`, but not `cpufreq`.
    pub fn numbered(&self, directory: &str, stem: &str) -> Vec<u32> {
        let mut numbers: Vec<u32> = self
            .names(directory)
            .iter()
            .filter_map(|name| name.strip_prefix(stem).filter(|rest| rest.bytes().all(|b| b.is_ascii_digit())))
            .filter_map(|digits| digits.parse().ok())
            .collect();
        numbers.sort_unstable();
        numbers
    }
}

/// The choice in brackets of a file that lists all (`always [madvise] never`), or the whole text where there are none.
pub fn chosen(text: &str) -> &str {
    let bracketed = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    bracketed.map_or(text.trim(), |(word, _)| word)
}

#[cfg(test)]
mod tests {
    use super::Root;
    use std::fs;

    #[test]
    fn a_tree_is_read_as_the_host_is() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("sys/cpu/cpu10")).unwrap();
        fs::create_dir_all(dir.path().join("sys/cpu/cpu2")).unwrap();
        fs::create_dir_all(dir.path().join("sys/cpu/cpufreq")).unwrap();
        fs::write(dir.path().join("sys/online"), " 0-3\n").unwrap();
        fs::write(dir.path().join("sys/empty"), "\n").unwrap();
        fs::write(dir.path().join("sys/size"), "42\n").unwrap();
        let root = Root::at(dir.path());
        assert!(!root.is_host());
        assert_eq!(root.text("/sys/online").as_deref(), Some("0-3"));
        assert_eq!(root.text("/sys/empty").as_deref(), Some(""));
        assert_eq!(root.word("/sys/empty"), None);
        assert_eq!(root.number("/sys/size"), Some(42_u64));
        assert_eq!(root.number::<u64>("/sys/online"), None);
        assert_eq!(root.text("/sys/absent"), None);
        assert_eq!(root.numbered("/sys/cpu", "cpu"), [2, 10]);
        assert!(root.names("/nowhere").is_empty());
    }
}
