//! Accounts of an ended process, from its zombie in /proc and from wait4(2).

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use crate::launch::End;
use crate::sys::Pid;

/// Scheduling statistics of a process's main thread, from /proc.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct MainThread {
    /// Seconds ready to run and without a processor.
    pub(crate) run_delay_s: Option<f64>,
    /// Changes of processor.
    pub(crate) migrations: Option<u64>,
}

impl MainThread {
    /// Reads the statistics of the process `pid`, which may have ended but not been reaped.
    pub(crate) fn of(pid: Pid) -> Self {
        let read = |name: &str| fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap_or_default();
        Self { run_delay_s: run_delay_s(&read("schedstat")), migrations: migrations(&read("sched")) }
    }
}

/// The second number of `schedstat`: nanoseconds waited on a run queue (Documentation/scheduler/sched-stats.rst).
fn run_delay_s(schedstat: &str) -> Option<f64> {
    let nanoseconds: u64 = schedstat.split_whitespace().nth(1)?.parse().ok()?;
    Some(nanoseconds as f64 * 1e-9)
}

/// The number in the line `se.nr_migrations : 3` of `sched`.
fn migrations(sched: &str) -> Option<u64> {
    let line = sched.lines().find_map(|line| line.strip_prefix("se.nr_migrations"))?;
    line.trim_start_matches([' ', ':']).trim().parse().ok()
}

/// The exit code or the signal of a process that was not killed by us.
pub(crate) fn end(status: ExitStatus) -> End {
    match status.signal() {
        Some(signal) => End::Signalled(signal),
        None => End::Exited(status.code().unwrap_or(-1)),
    }
}

pub(crate) fn seconds(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 * 1e-6
}

/// Peak memory of this process in bytes: `VmHWM` of proc_pid_status(5).
pub(crate) fn rss_peak_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib: u64 = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(0);
    kib * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delay_and_migrations_are_read_where_the_kernel_tells_them() {
        assert_eq!(run_delay_s("21500000 32500000 9\n"), Some(0.0325));
        assert_eq!(run_delay_s(""), None);
        let sched = "sh (12, #threads: 1)\n-----\nse.sum_exec_runtime        :      1.7\nse.nr_migrations           :        3\n";
        assert_eq!(migrations(sched), Some(3));
        assert_eq!(migrations("sh (12, #threads: 1)\n"), None);
    }

    #[test]
    fn an_end_is_a_code_or_a_signal() {
        // wait(2): the low byte is the signal, the next one the code.
        assert_eq!(end(ExitStatus::from_raw(3 << 8)), End::Exited(3));
        assert_eq!(end(ExitStatus::from_raw(11)), End::Signalled(11));
    }
}
