//! A guard: the process between a worker or launcher and its parent, which ends everything that they leave behind.
//!
//! The process that the parent starts becomes the guard, and forks the worker. Linux gives orphans to the nearest ancestor that asks
//! for them (`PR_SET_CHILD_SUBREAPER`, prctl(2)), so that a daemon of a library, in whatever group or session, becomes the guard's
//! child at the latest when the worker ends. A guard has no children but those, hence it ends nothing that paw did not start.

use std::io;
use std::os::unix::process::{ExitStatusExt, parent_id};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitOptions, getpid, getppid, kill_process, set_child_subreaper,
    set_parent_process_death_signal, setpgid, setrlimit, wait,
};

use crate::children::kill_children;
use crate::sys::{self, WaitMode};

/// Longest wait for processes that were killed; one that waits for a broken disk never dies.
const DYING: Duration = Duration::from_secs(1);
/// Time between two searches: a process may fork, or become a child of the guard, between them.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);
/// Longest wait for a signal: a backstop, since each end of a child sends one.
const SIGNAL_MAX: Duration = Duration::from_secs(60);

/// What becomes of the guarded process when its guard is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuardLost {
    /// It dies, and has a group of its own, so that a library that signals its group spares the guard.
    Dies,
    /// It goes on until its parent's socket closes: it ends what it started by itself, in a session that it makes.
    GoesOn,
}

/// Puts a guard between this process and its parent, and returns in a new process, the worker, with the number of that parent. The
/// guard ends when the parent does, and the worker with it. Without permission to fork there is no guard, and this process dies with
/// its parent.
pub fn split(lost: GuardLost) -> io::Result<u32> {
    let blocked = sys::block_signals();
    let tied = set_child_subreaper(Some(getpid())).and_then(|()| set_parent_process_death_signal(Some(Signal::TERM)));
    let parent = parent_id();
    let guard = getpid();
    match tied.map_err(io::Error::from).and_then(|()| sys::fork()) {
        Ok(Some(worker)) => watch(worker, parent),
        Ok(None) => {
            blocked.restore();
            if lost == GuardLost::GoesOn {
                set_parent_process_death_signal(None)?;
                return Ok(parent);
            }
            set_parent_process_death_signal(Some(Signal::KILL))?;
            setpgid(None, None)?;
            sys::ignore_requests_to_end();
            if getppid() != Some(guard) {
                return Err(io::Error::other("the guard ended before its worker was tied to it"));
            }
            Ok(parent)
        }
        Err(_) => {
            blocked.restore();
            set_parent_process_death_signal(Some(Signal::KILL))?;
            Ok(parent_id())
        }
    }
}

/// Waits for the end of the worker, of its parent, or for its parent's SIGTERM; then ends what is left, and ends as the worker did.
fn watch(worker: Pid, parent: u32) -> ! {
    sys::close_files();
    let status = end_of(worker, parent);
    end_all();
    // The worker's core, if there is one, is written already.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    sys::end_as(status)
}

/// How the worker ended; it is killed when its parent has ended, or asks by SIGTERM. Others send SIGTERM to every process of a group or
/// job (`timeout`, a scheduler): paw hears it, too, and says when the worker ends. Orphans that end before it are waited for.
fn end_of(worker: Pid, parent: u32) -> ExitStatus {
    loop {
        while let Ok(Some((child, status))) = wait(WaitOptions::NOHANG) {
            if child == worker {
                return ExitStatus::from_raw(status.as_raw());
            }
        }
        let is_lost = || parent_id() != parent;
        let is_asked = |heard: sys::Heard| heard.signal == libc::SIGTERM && heard.sender == parent;
        let expected = [libc::SIGCHLD, libc::SIGTERM];
        if is_lost() || sys::await_signal(&expected, SIGNAL_MAX).is_some_and(is_asked) || is_lost() {
            // The worker is not waited for yet, so the number is its own.
            let _ = kill_process(worker, Signal::KILL);
            let ended = sys::reap(worker, WaitMode::Block).ok().flatten();
            return ended.map_or(ExitStatus::from_raw(libc::SIGKILL), |(status, _)| status);
        }
    }
}

/// Kills and waits for the children of this process until it has none: each that dies gives it its own children.
fn end_all() {
    let limit = Instant::now() + DYING;
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) if Instant::now() < limit => {
                kill_children();
                sys::await_signal(&[libc::SIGCHLD], BETWEEN_LOOKS);
            }
            _ => return,
        }
    }
}
