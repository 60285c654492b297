//! The system calls that the standard library does not offer.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

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
pub(crate) fn reap(pid: u32, mode: WaitMode) -> io::Result<Option<(ExitStatus, Usage)>> {
    let flags = match mode {
        WaitMode::Block => 0,
        WaitMode::Poll => libc::WNOHANG,
    };
    // SAFETY: rusage is a plain C structure of numbers, for which zeros are a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let mut status = 0;
    loop {
        // SAFETY: both pointers are to live locals.
        let reaped = unsafe { libc::wait4(pid as libc::pid_t, &raw mut status, flags, &raw mut usage) };
        match reaped {
            0 => return Ok(None),
            -1 if interrupted() => {}
            -1 => return Err(io::Error::last_os_error()),
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

fn seconds(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 * 1e-6
}

fn interrupted() -> bool {
    io::Error::last_os_error().kind() == io::ErrorKind::Interrupted
}

/// Sends `signal` to the process `pid`, which must be a child that was not reaped, so that its number is not another's.
pub(crate) fn signal(pid: u32, signal: i32) -> io::Result<()> {
    // SAFETY: kill takes two numbers and touches no memory of ours.
    checked(unsafe { libc::kill(pid as libc::pid_t, signal) })
}

/// Makes the kernel kill this process when the thread that started it ends.
pub(crate) fn die_with_parent() -> io::Result<()> {
    // SAFETY: this request takes one number and touches no memory of ours.
    checked(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) })
}

/// Keeps the calling thread, and every thread it will start, on `cpus`.
pub(crate) fn stay_on(cpus: &[u32]) -> io::Result<()> {
    // SAFETY: cpu_set_t is a plain C structure of numbers, for which zeros are the empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for &cpu in cpus {
        if cpu as usize >= libc::CPU_SETSIZE as usize {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("there is no processor {cpu}")));
        }
        // SAFETY: the number was checked against the size of the set.
        unsafe { libc::CPU_SET(cpu as usize, &mut set) };
    }
    // SAFETY: the set lives through the call and its size is told.
    checked(unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set) })
}

/// Makes descriptor `to` another name of `from`.
pub(crate) fn replace(from: BorrowedFd<'_>, to: RawFd) -> io::Result<()> {
    // SAFETY: `from` is open; what `to` was is given up by the caller.
    checked(unsafe { libc::dup2(from.as_raw_fd(), to) })
}

fn checked(result: i32) -> io::Result<()> {
    match result {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
