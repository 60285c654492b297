//! What runs on the hosts, as this machine sees it.

use std::fs;
use std::path::{Path, PathBuf};

/// A process on a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostProcess {
    /// Number of its host.
    pub host: usize,
    /// Its number on this machine; on the host it has another.
    pub pid: u32,
    /// The file that it runs.
    pub program: PathBuf,
    /// Its number among the ranks of a job, where it is one.
    pub rank: Option<u32>,
}

/// The space in which the children of a process have their numbers.
pub fn space_of_children(pid: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/ns/pid_for_children")).ok()
}

/// The processes in these spaces that are no shell's and not `tool`, and have not ended.
pub fn all(spaces: &[Option<PathBuf>], tool: &Path) -> Vec<HostProcess> {
    let numbers = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let found = numbers.filter_map(|pid: u32| {
        let space = fs::read_link(format!("/proc/{pid}/ns/pid")).ok()?;
        let host = spaces.iter().position(|own| own.as_ref() == Some(&space))?;
        // One that has ended, and that nobody has taken note of, runs no file.
        let program = fs::read_link(format!("/proc/{pid}/exe")).ok()?;
        let is_ours = program == tool || program.ends_with("dash") || program.ends_with("bash");
        (!is_ours).then(|| HostProcess { host, pid, rank: rank(pid), program })
    });
    found.collect()
}

fn rank(pid: u32) -> Option<u32> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let text = String::from_utf8_lossy(&environment).into_owned();
    let value = |name: &str| text.split('\0').find_map(|word| word.strip_prefix(name)?.strip_prefix('=')?.parse().ok());
    value("OMPI_COMM_WORLD_RANK").or_else(|| value("PMI_RANK"))
}
