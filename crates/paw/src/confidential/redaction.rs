//! `--redact`: names of hosts and of the user, and paths, out of what is recorded and shown.

use std::path::Path;

use paw_data::run::Run;
use paw_sort::OrderBy;

/// Directories that are alike on all machines: paths below them do not identify the user.
const COMMON: &[&str] = &["/usr/", "/lib", "/bin/", "/proc/", "/sys/", "/dev/", "/etc/", "/opt/"];

/// Stands in the place of the directories of a path.
pub const HIDDEN_PATH: &str = "[path]/";

/// Names that are replaced by others.
#[derive(Debug, Default)]
pub struct Redaction {
    names: Vec<(String, String)>,
}

impl Redaction {
    /// Host and user of this process.
    pub fn of_process() -> Self {
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let home = std::env::var("HOME").unwrap_or_default();
        let of_home = Path::new(&home).file_name().map(|name| name.to_string_lossy().into_owned());
        let users = ["USER", "LOGNAME"].into_iter().filter_map(|name| std::env::var(name).ok()).chain(of_home);
        let users = users.filter(|user| user != "root").map(|user| (user, "[user]".to_owned()));
        Self::of([(host.trim().to_owned(), "[host]".to_owned())].into_iter().chain(users))
    }

    /// The hosts of a run.
    pub fn of_run(run: &Run) -> Self {
        let mut hosts = vec![run.header.machine.identity.host.as_str()];
        for rank in run.teams.iter().flat_map(|team| &team.ranks) {
            if !hosts.contains(&rank.host.as_str()) {
                hosts.push(&rank.host);
            }
        }
        let number = |at: usize| if at == 0 { "[host]".to_owned() } else { format!("[host {}]", at + 1) };
        Self::of(hosts.into_iter().enumerate().map(|(at, host)| (host.to_owned(), number(at))))
    }

    fn of(names: impl Iterator<Item = (String, String)>) -> Self {
        let mut names: Vec<(String, String)> = names.filter(|(name, _)| !name.is_empty()).collect();
        names.order_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        Self { names }
    }

    /// `text` without names and paths.
    pub fn applied(&self, text: &str) -> String {
        self.names.iter().fold(without_paths(text), |text, (name, other)| replaced(&text, name, other))
    }
}

/// `text` with `name` replaced where it is a word of its own.
fn replaced(text: &str, name: &str, other: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let inside = is_part(before.chars().next_back()) || is_part(after.chars().next());
        out += before;
        out += if inside { name } else { other };
        rest = after;
    }
    out + rest
}

/// `text` with `[path]/name` for every absolute path, but for those that are alike on all machines.
fn without_paths(text: &str) -> String {
    let is_between = |c: char| c.is_whitespace() || "\"'`=:,;()<>".contains(c);
    let shown = |word: &str| {
        let is_path = word.len() > 1 && word.starts_with('/') && !COMMON.iter().any(|common| word.starts_with(common));
        let name = word.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        if is_path { format!("{HIDDEN_PATH}{name}") } else { word.to_owned() }
    };
    let parts = text.split_inclusive(is_between).map(|part| {
        let word = part.trim_end_matches(is_between);
        shown(word) + &part[word.len()..]
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths_are_replaced_as_words() {
        let names = [("node17", "[host]"), ("anna", "[user]")].map(|(name, other)| (name.to_owned(), other.to_owned()));
        let redaction = Redaction::of(names.into_iter());
        for (text, expected) in [
            ("rank 3 on node17, node170", "rank 3 on [host], node170"),
            ("/home/anna/work/solver --in=/scratch/anna/a.dat", "[path]/solver --in=[path]/a.dat"),
            ("savanna, ~anna", "savanna, ~[user]"),
            ("/usr/lib/libopenblas.so.0 at 3 GB/s", "/usr/lib/libopenblas.so.0 at 3 GB/s"),
        ] {
            assert_eq!(redaction.applied(text), expected);
        }
    }
}
