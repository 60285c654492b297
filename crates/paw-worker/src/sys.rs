//! wait4, which neither std nor rustix offers: a process's end together with what it used.
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

fn seconds(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 * 1e-6
}
