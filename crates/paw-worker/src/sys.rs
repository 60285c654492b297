//! System calls that neither std nor rustix offers: wait4, fork, and waiting for blocked signals.
#![allow(unsafe_code)]

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::Pid;

use crate::ending::Usage;

/// Whether to wait for an end that has not come yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitMode {
    /// Waits for the end of the child.
    Block,
    /// Returns at once if the child still runs.
    Poll,
}

/// Takes the ended child `pid` off the process table, with what it used; `None` where it has not ended.
pub(crate) fn reap(pid: Pid, mode: WaitMode) -> io::Result<Option<(ExitStatus, Usage)>> {
    let flags = match mode {
        WaitMode::Block => 0,
        WaitMode::Poll => libc::WNOHANG,
    };
    // SAFETY: rusage is a plain C structure of numbers, for which zeros are a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let mut status = 0;
    loop {
        // SAFETY: both pointers are to live locals.
        let reaped = unsafe { libc::wait4(pid.as_raw_pid(), &raw mut status, flags, &raw mut usage) };
        match reaped {
            0 => return Ok(None),
            -1 => match io::Error::last_os_error() {
                error if error.kind() == io::ErrorKind::Interrupted => {}
                error => return Err(error),
            },
            _ => break,
        }
    }
    let usage = Usage {
        user_s: seconds(usage.ru_utime),
        sys_s: seconds(usage.ru_stime),
        // Linux counts in KiB: getrusage(2).
        rss_bytes: usage.ru_maxrss as u64 * 1024,
    };
    Ok(Some((ExitStatus::from_raw(status), usage)))
}

/// Makes a second process of this one: in the first it returns the second's number, in the second `None`. This process must have
/// one thread, so that no lock of another stays held in the second.
pub(crate) fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: takes nothing; the caller has one thread.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        second => Ok(Pid::from_raw(second)),
    }
}

/// The signals that a process has blocked.
pub(crate) struct Blocked(libc::sigset_t);

/// Blocks every signal and gives SIGCHLD its default meaning, without which ended children vanish before anyone waits for them;
/// returns what was blocked before.
pub(crate) fn block_signals() -> Blocked {
    // SAFETY: numbers only.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
    let (all, mut before) = (signals(&[]), signals(&[]));
    // SAFETY: both sets are live locals.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const all, &raw mut before) };
    Blocked(before)
}

impl Blocked {
    /// Blocks what was blocked then, and no more.
    pub(crate) fn restore(&self) {
        // SAFETY: the set lives in `self`.
        unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const self.0, std::ptr::null_mut()) };
    }
}

/// Lets SIGINT, SIGTERM and SIGHUP pass: a terminal and a scheduler send them to every process, and the parent answers for all.
pub(crate) fn ignore_requests_to_end() {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: numbers only.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

/// A signal, and the process that sent it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heard {
    pub(crate) signal: i32,
    pub(crate) sender: u32,
}

/// Waits for one of `expected`, all of which are blocked, no longer than `limit`; returns it, and `None` at the limit.
pub(crate) fn await_signal(expected: &[i32], limit: Duration) -> Option<Heard> {
    let expected = signals(expected);
    let limit = libc::timespec { tv_sec: limit.as_secs() as _, tv_nsec: limit.subsec_nanos() as _ };
    // SAFETY: siginfo_t is a plain C structure of numbers and addresses, for which zeros are a value.
    let mut details: libc::siginfo_t = unsafe { std::mem::zeroed() };
    // SAFETY: the set, the details and the limit are live locals.
    let signal = unsafe { libc::sigtimedwait(&raw const expected, &raw mut details, &raw const limit) };
    // SAFETY: both signals that are awaited here, SIGCHLD and SIGTERM, come with a process.
    let sender = unsafe { details.si_pid() }.unsigned_abs();
    (signal > 0).then_some(Heard { signal, sender })
}

/// The set of `members`, and the set of all signals where there are none.
fn signals(members: &[i32]) -> libc::sigset_t {
    // SAFETY: a signal set is a plain C structure, for which zeros are a value.
    let mut set: libc::sigset_t = unsafe { std::mem::zeroed() };
    if members.is_empty() {
        // SAFETY: the set is a live local.
        unsafe { libc::sigfillset(&raw mut set) };
    }
    for member in members {
        // SAFETY: the set is a live local.
        unsafe { libc::sigaddset(&raw mut set, *member) };
    }
    set
}

/// Closes all files of this process.
pub(crate) fn close_files() {
    // SAFETY: numbers only; the caller is about to end and uses no file that it opened before.
    unsafe { libc::syscall(libc::SYS_close_range, 0, libc::c_uint::MAX, 0) };
}

/// Ends this process with `status`, by the same signal or with the same code, and runs nothing of its exit.
pub(crate) fn end_as(status: ExitStatus) -> ! {
    if let Some(signal) = status.signal() {
        let set = signals(&[signal]);
        // SAFETY: numbers only; Rust's own handler of faults gives way.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
        // SAFETY: the set is a live local.
        unsafe { libc::sigprocmask(libc::SIG_UNBLOCK, &raw const set, std::ptr::null_mut()) };
        // SAFETY: numbers only.
        unsafe { libc::raise(signal) };
    }
    // SAFETY: runs nothing of this process's exit.
    unsafe { libc::_exit(status.code().unwrap_or(1)) }
}

fn seconds(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 * 1e-6
}
