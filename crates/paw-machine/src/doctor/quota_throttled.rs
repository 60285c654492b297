//! How often the control group was stopped for its quota.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};
use crate::cgroup;

/// How often the control group was stopped for its quota.
pub const QUOTA_THROTTLED: Check = Check {
    id: "quota-throttled",
    effect: "each stop lasts until the next period, 100 ms in the kernel's default",
    size: None,
    privilege: Privilege::Root,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let directories = cgroup::branches(files.root, "cpu").into_iter().flat_map(|branch| branch.directories);
    let path = directories.map(|directory| format!("{directory}/cpu.stat")).find(|path| files.root.path(path).exists());
    let times = files.topology.allowance.throttled;
    let (Some(path), Some(times)) = (path, times) else {
        return Err(Unreadable::new("/proc/self/cgroup", "no control group counts it"));
    };
    let finding = Finding::of(times, path);
    if times == 0 {
        return Ok(finding);
    }
    let cause = format!("the control group was stopped {times} times for having used up its CPU quota");
    Ok(finding.warn(cause, "measure outside the container, or give it no CPU limit"))
}
