//! Snapshots of a running program's threads from proc_pid_stat(5).

use std::fs;

use crate::launch::ThreadSnapshots;
use crate::sys::Pid;

/// Most threads in a snapshot: reading more takes longer than the time between two snapshots.
const THREADS_MAX: usize = 1024;

/// A thread's state and last processor, from `stat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Thread {
    state: char,
    cpu: u32,
}

/// Adds a snapshot of the threads of the process `pid` and of its descendants.
pub(crate) fn at(pid: Pid, seen: &mut ThreadSnapshots) {
    let mut processes = vec![pid];
    let mut threads = Vec::new();
    while let Some(process) = processes.pop() {
        let (own, children) = process_threads(process);
        let waits = own.len() == 1 && !children.is_empty() && own[0].state != 'R';
        if !waits {
            threads.extend(own);
        }
        processes.extend(children);
        if threads.len() + processes.len() > THREADS_MAX {
            break;
        }
    }
    note(&threads, seen);
}

fn note(threads: &[Thread], seen: &mut ThreadSnapshots) {
    if threads.is_empty() {
        return;
    }
    let running = threads.iter().filter(|thread| thread.state == 'R').count();
    seen.looks += 1;
    seen.threads = seen.threads.max(threads.len() as u32);
    seen.cpus.extend(threads.iter().map(|thread| thread.cpu));
    if seen.running.len() <= running {
        seen.running.resize(running + 1, 0);
    }
    seen.running[running] += 1;
}

/// The living threads of a process, and its child processes.
fn process_threads(process: Pid) -> (Vec<Thread>, Vec<Pid>) {
    let (mut threads, mut children) = (Vec::new(), Vec::new());
    for task in fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten().take(THREADS_MAX) {
        let read = |name: &str| fs::read_to_string(task.path().join(name)).unwrap_or_default();
        threads.extend(thread(&read("stat")).filter(|thread| !['Z', 'X'].contains(&thread.state)));
        children.extend(read("children").split_whitespace().filter_map(|pid| pid.parse::<Pid>().ok()));
    }
    (threads, children)
}

/// State and last processor, fields 3 and 39; the name before them may contain brackets and blanks.
fn thread(stat: &str) -> Option<Thread> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace();
    let state = fields.next()?.chars().next()?;
    Some(Thread { state, cpu: fields.nth(35)?.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_and_processor_are_found_behind_any_name() {
        let stat = "7 (a) b (c) R 1 7 7 0 -1 4194304 1 0 0 0 1 2 0 0 20 0 1 0 99 1 1 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 5 0 0 0 0 0\n";
        assert_eq!(thread(stat), Some(Thread { state: 'R', cpu: 5 }));
        assert_eq!(thread("7 (a) R 1"), None);
    }

    #[test]
    fn looks_add_up() {
        let mut seen = ThreadSnapshots::default();
        let thread = |state, cpu| Thread { state, cpu };
        note(&[thread('S', 3), thread('R', 1)], &mut seen);
        note(&[thread('R', 1)], &mut seen);
        note(&[], &mut seen);
        let expected = ThreadSnapshots { looks: 2, cpus: [1, 3].into(), threads: 2, running: vec![0, 2] };
        assert_eq!(seen, expected);
    }

    #[test]
    fn this_test_is_seen() {
        let mut seen = ThreadSnapshots::default();
        at(std::process::id() as Pid, &mut seen);
        assert_eq!(seen.looks, 1);
        assert!(seen.threads >= 1 && !seen.cpus.is_empty() && seen.running.iter().sum::<u32>() == 1, "{seen:?}");
    }
}
