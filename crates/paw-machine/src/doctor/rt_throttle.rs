//! The part of each second that real-time tasks may run.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// The part of each second that real-time tasks may run.
pub const RT_THROTTLE: Check = Check {
    id: "rt-throttle",
    effect: "a program with a real-time priority stands still once a second, where others want its processor; others do not",
    size: Some("50 ms in each second: 2 % of samples of 10 ms, and 13 % of those of 100 ms"),
    privilege: Privilege::Root,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let path = "/proc/sys/kernel/sched_rt_runtime_us";
    let value = files.number(path)?;
    let finding = Finding::of(format!("{value} us"), path);
    if value < 0.0 {
        return Ok(finding.fine("real-time tasks are never stopped"));
    }
    let cause = format!("real-time tasks are stopped after {:.0} ms of each period", value / 1e3);
    Ok(finding
        .info(cause, "sudo sysctl kernel.sched_rt_runtime_us=-1, if a real-time priority is used")
        .write(path, "-1"))
}
