//! The processors that this process may use, and those that are there.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// The processors that this process may use, and those that are there.
pub const FEWER_PROCESSORS: Check = Check {
    id: "fewer-processors",
    effect: "numbers are those of a part of the machine, and other processes may use the rest at the same time",
    size: None,
    privilege: Privilege::User,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let (allowed, online) = (files.topology.allowed(), files.topology.online());
    let path = "/proc/self/status";
    files.word(path)?;
    let allowance = &files.topology.allowance;
    if allowance.affinity.is_none() && allowance.cpuset.is_none() {
        return Err(Unreadable::new(path, "it lists no allowed processors"));
    }
    let finding = Finding::of(format!("{allowed} of {online}"), path);
    if allowed.len() >= online.len() {
        return Ok(finding);
    }
    let cause =
        format!("this process may use processors {allowed} of {online}: peaks and bandwidths are those of this part");
    Ok(finding.warn(cause, "start it without taskset and outside the cpuset to assess the whole machine"))
}
