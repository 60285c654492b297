//! Ends the processes that outlive a run: members of its process groups, and daemons that left them.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

use crate::supervisor::Bell;
use crate::sys::{self, Orphan, Pid};

/// Time to wait for killed processes. A process that waits for a broken disk never dies.
const DYING: Duration = Duration::from_secs(2);
/// Time between two searches: processes may fork, or become our children, between them.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Kills every descendant of this process, and returns their number. The copies themselves must be reaped and their groups
/// killed: orphans become children of this process, their subreaper (PR_SET_CHILD_SUBREAPER of prctl(2)).
pub(crate) fn clear(bell: &mut Bell) -> u32 {
    let limit = Instant::now() + DYING;
    let mut killed = 0;
    loop {
        match sys::reap_any() {
            Orphan::None => return killed,
            // A child that ended without SIGKILL was a zombie that its parent never reaped.
            Orphan::Ended(status) => killed += u32::from(status.signal() == Some(libc::SIGKILL)),
            Orphan::Alive => {
                let alive = children();
                if Instant::now() > limit {
                    return killed + alive.len() as u32;
                }
                alive.into_iter().for_each(|pid| sys::signal(pid, libc::SIGKILL));
                bell.wait(BETWEEN_LOOKS);
            }
        }
    }
}

/// The living children of this process.
fn children() -> Vec<Pid> {
    let own = std::process::id() as Pid;
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<Pid>().ok());
    numbers
        .filter(|pid| parent(&fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default()) == Some(own))
        .collect()
}

/// The parent in a line of proc_pid_stat(5): the second field after the name, which may contain brackets and blanks.
fn parent(stat: &str) -> Option<Pid> {
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_is_found_behind_any_name() {
        assert_eq!(parent("7 (a) S (b) R 42 7 7 0 -1"), Some(42));
        assert_eq!(parent(""), None);
    }

    #[test]
    fn a_process_without_children_has_none() {
        let own = std::process::id() as Pid;
        assert!(!children().contains(&own));
    }
}
