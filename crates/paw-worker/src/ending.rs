//! How a process ended.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// Resources that a process used in its life.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Usage {
    /// Processor time in user mode, in seconds.
    pub user_s: f64,
    /// Processor time in the kernel, in seconds.
    pub sys_s: f64,
    /// The most memory it held at once, in bytes.
    pub rss_bytes: u64,
}

/// How a worker ended, and what it used.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessEnd {
    /// In words: `was killed by SIGSEGV`, `exited with code 3`.
    pub how: String,
    /// Resources that the process used.
    pub usage: Usage,
}

impl ProcessEnd {
    pub(crate) fn new(status: ExitStatus, usage: Usage) -> Self {
        Self { how: words(status), usage }
    }
}

/// How a process ended, in words after its name: `was killed by SIGSEGV`, `exited with code 3`.
pub fn words(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("was killed by {}", signal_name(signal)),
        (None, Some(code)) => format!("exited with code {code}"),
        (None, None) => "ended".to_owned(),
    }
}

/// The signals of Linux, signal(7), that end a process.
const SIGNALS: [(i32, &str); 17] = [
    (libc::SIGHUP, "SIGHUP"),
    (libc::SIGINT, "SIGINT"),
    (libc::SIGQUIT, "SIGQUIT"),
    (libc::SIGILL, "SIGILL: an instruction this processor does not have"),
    (libc::SIGTRAP, "SIGTRAP"),
    (libc::SIGABRT, "SIGABRT: it gave up by itself"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGKILL, "SIGKILL: by someone, or by the kernel for want of memory"),
    (libc::SIGUSR1, "SIGUSR1"),
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGUSR2, "SIGUSR2"),
    (libc::SIGPIPE, "SIGPIPE"),
    (libc::SIGALRM, "SIGALRM"),
    (libc::SIGTERM, "SIGTERM"),
    (libc::SIGXCPU, "SIGXCPU"),
    (libc::SIGSYS, "SIGSYS: a system call that is forbidden here"),
];

/// The name of a signal, with its meaning if that is not well known: `SIGSYS: a system call that is forbidden here`.
pub fn signal_name(signal: i32) -> String {
    let known = SIGNALS.iter().find(|(number, _)| *number == signal);
    known.map_or_else(|| format!("signal {signal}"), |(_, name)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_described_in_words() {
        // wait(2): the low byte is the signal, the next one the exit code.
        assert_eq!(words(ExitStatus::from_raw(11)), "was killed by SIGSEGV");
        assert_eq!(words(ExitStatus::from_raw(3 << 8)), "exited with code 3");
        assert_eq!(words(ExitStatus::from_raw(40)), "was killed by signal 40");
    }
}
