//! The living children of a process, from /proc.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};

/// Sends SIGKILL to every living child of this process, and returns their number. A child that nobody has waited for keeps its
/// process number, so the signal reaches no other process.
pub fn kill_children() -> u32 {
    let children = of(std::process::id());
    // A program that is set to another user's id refuses the signal.
    for child in &children {
        let _ = kill_process(*child, Signal::KILL);
    }
    children.len() as u32
}

/// The children of `parent`; processes that ended and were not waited for are among them.
fn of(parent: u32) -> Vec<Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    numbers
        .filter(|pid| parent_in(&fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default()) == Some(parent))
        .filter_map(Pid::from_raw)
        .collect()
}

/// The parent in a line of proc_pid_stat(5): the second field after the name, which may contain brackets and blanks.
fn parent_in(stat: &str) -> Option<u32> {
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_is_found_behind_any_name() {
        assert_eq!(parent_in("7 (a) S (b) R 42 7 7 0 -1"), Some(42));
        assert_eq!(parent_in(""), None);
    }

    #[test]
    fn this_process_is_a_child_of_its_parent_and_not_of_itself() {
        let own = rustix::process::getpid();
        let parent = rustix::process::getppid().expect("a test has a parent");
        assert!(of(parent.as_raw_nonzero().get().unsigned_abs()).contains(&own));
        assert!(!of(std::process::id()).contains(&own));
    }
}
