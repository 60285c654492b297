//! Two system calls that the standard library lacks.
#![allow(unsafe_code)]

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::time::Duration;

/// Processor time this thread has had.
pub fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid timespec for the call to fill.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(failed, 0, "Linux has a clock for every thread");
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Starts a command in a session of its own, as daemons do; it is there when this returns.
///
/// # Errors
/// The command cannot be started.
pub fn start_in_own_session(command: &mut Command) -> io::Result<Child> {
    let leave = || {
        // SAFETY: setsid takes nothing, and is allowed between fork and exec.
        let session = unsafe { libc::setsid() };
        if session < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    };
    // SAFETY: the closure makes one call that is async-signal-safe, and allocates nothing.
    let command = unsafe { command.pre_exec(leave) };
    command.spawn()
}
