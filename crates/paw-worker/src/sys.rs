//! System calls that neither std nor rustix offers: wait4, and a guard that ends a process's group after it.
#![allow(unsafe_code)]

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use rustix::process::Pid;

use crate::ending::Usage;

/// Whether to wait for an end that has not come yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitMode {
    /// Wait until it comes.
    Block,
    /// Only look.
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

/// Starts a guard: a process in this process's group that kills the group as soon as this process has ended, however it ends. What
/// a library forks and leaves behind ends with its worker. Call it while this process has one thread.
pub(crate) fn guard_group() -> io::Result<()> {
    // SAFETY: takes nothing.
    let guarded = unsafe { libc::getpid() };
    // SAFETY: there is one thread, so no lock is held by another; the child makes system calls alone.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => guard(guarded),
        _ => Ok(()),
    }
}

/// Waits for the end of its parent, `guarded`, and kills the group.
fn guard(guarded: libc::pid_t) -> ! {
    // SAFETY: a signal set is a plain C structure, for which zeros are a value.
    let (mut all, mut ended): (libc::sigset_t, libc::sigset_t) = unsafe { std::mem::zeroed() };
    // SAFETY: the set is a live local.
    unsafe { libc::sigfillset(&raw mut all) };
    // SAFETY: the set is a live local.
    unsafe { libc::sigaddset(&raw mut ended, libc::SIGUSR1) };
    // SAFETY: the set is a live local.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const all, std::ptr::null_mut()) };
    // SAFETY: numbers only.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGUSR1) };
    // SAFETY: numbers only; this process uses no file, and must not keep the parent's socket open.
    unsafe { libc::syscall(libc::SYS_close_range, 0, libc::c_uint::MAX, 0) };
    let mut signal = 0;
    // SAFETY: takes nothing.
    while unsafe { libc::getppid() } == guarded {
        // SAFETY: both are live locals, and the signal is blocked.
        unsafe { libc::sigwait(&raw const ended, &raw mut signal) };
    }
    // SAFETY: numbers only. The group has this process in it, so its number is not used again.
    unsafe { libc::kill(0, libc::SIGKILL) };
    // SAFETY: runs nothing of the parent's exit.
    unsafe { libc::_exit(0) }
}

fn seconds(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 * 1e-6
}
