//! The system calls that the standard library does not offer.
#![allow(unsafe_code)]

/// Whether the child `pid` has ended. It stays on the process table, so that its number, and its group's, is not another's.
pub(crate) fn has_ended(pid: u32) -> bool {
    // SAFETY: siginfo_t is a plain C structure of numbers, for which zeros are a value.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let how = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: the pointer is to a live local.
    let asked = unsafe { libc::waitid(libc::P_PID, pid, &raw mut info, how) };
    // SAFETY: waitid filled the structure, or left the zeros.
    asked == 0 && unsafe { info.si_pid() } != 0
}

/// Kills the process group that the child `leader` leads, which must not have been reaped.
pub(crate) fn kill_group(leader: u32) {
    // SAFETY: kill takes two numbers and touches no memory of ours.
    unsafe { libc::kill(-(leader as libc::pid_t), libc::SIGKILL) };
}
