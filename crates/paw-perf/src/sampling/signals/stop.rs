//! Why a traced thread has stopped: ptrace(2), "Stopped states", after `PTRACE_SEIZE`.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// Why a traced thread has stopped, or how it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// A signal is about to be delivered to it.
    Signal(i32),
    /// Job control has stopped its process.
    Group,
    /// It has just begun, or its process goes on after job control has stopped it.
    Trap,
    /// Its process became another program.
    Exec,
    /// Another event that it only has to be let go from.
    Other,
    /// It ended.
    Ended(ExitStatus),
}

/// `PTRACE_EVENT_EXEC` and `PTRACE_EVENT_STOP`.
const EXEC: i32 = 4;
const STOP: i32 = 128;

impl Stop {
    /// The meaning of a status of wait(2).
    pub fn of(status: i32) -> Self {
        if status & 0xff != 0x7f {
            return Self::Ended(ExitStatus::from_raw(status));
        }
        match (status >> 16, status >> 8 & 0xff) {
            (0, signal) => Self::Signal(signal),
            (EXEC, _) => Self::Exec,
            (STOP, libc::SIGTRAP) => Self::Trap,
            (STOP, _) => Self::Group,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stopped(event: i32, signal: i32) -> Stop {
        Stop::of(event << 16 | signal << 8 | 0x7f)
    }

    #[test]
    fn stops_are_told_apart() {
        assert_eq!(stopped(0, libc::SIGTERM), Stop::Signal(libc::SIGTERM));
        assert_eq!(stopped(0, libc::SIGSTOP), Stop::Signal(libc::SIGSTOP), "a stop that is about to be delivered");
        assert_eq!(stopped(STOP, libc::SIGSTOP), Stop::Group, "a stop that was");
        assert_eq!(stopped(STOP, libc::SIGTRAP), Stop::Trap);
        assert_eq!(stopped(EXEC, libc::SIGTRAP), Stop::Exec);
        assert_eq!(stopped(3, libc::SIGTRAP), Stop::Other, "a thread was started");
    }

    #[test]
    fn ends_keep_their_code_or_signal() {
        assert!(matches!(Stop::of(9 << 8), Stop::Ended(status) if status.code() == Some(9)));
        assert!(
            matches!(Stop::of(libc::SIGSEGV | 0x80), Stop::Ended(status) if status.signal() == Some(libc::SIGSEGV))
        );
    }
}
