//! Sessions that share the processors as groups.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// Sessions that share the processors as groups.
pub const AUTOGROUP: Check = Check {
    id: "autogroup",
    effect: "a nice value counts within a session only, so that `nice` helps less than expected",
    size: None,
    privilege: Privilege::Root,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let path = "/proc/sys/kernel/sched_autogroup_enabled";
    let value = files.word(path)?;
    let finding = Finding::of(&value, path);
    if value == "0" {
        return Ok(finding);
    }
    let cause = "sessions share the processors as groups: nice acts within a session only";
    Ok(finding.info(cause, "sudo sysctl kernel.sched_autogroup_enabled=0, if nice is used").write(path, "0"))
}
