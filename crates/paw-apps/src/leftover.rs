//! What outlived the run: processes of its groups, and daemons that left them. All of them are ended.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

use crate::supervisor::Bell;
use crate::sys::{self, Orphan, Pid};

/// How long the killed may take to die. One that waits for a broken disk does not die at all.
const DYING: Duration = Duration::from_secs(2);
/// Between two looks for those that were not there, or not ours, at the look before.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Ends every process below this one; how many had to be. Those that the runs led must be reaped already, and their groups
/// killed: the orphans of all fall to this process, which is their subreaper (PR_SET_CHILD_SUBREAPER of prctl(2)).
pub(crate) fn clear(bell: &mut Bell) -> u32 {
    let limit = Instant::now() + DYING;
    let mut killed = 0;
    loop {
        match sys::reap_any() {
            Orphan::None => return killed,
            // A child that ended otherwise was a zombie, not waited for by its parent.
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

/// The parent that a line of proc_pid_stat(5) names: the second field after the name, which may hold anything.
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
