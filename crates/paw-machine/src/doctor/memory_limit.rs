//! The memory that the control group may use.

use super::machine_files::gibibytes;
use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// The memory that the control group may use.
pub const MEMORY_LIMIT: Check = Check {
    id: "memory-limit",
    effect: "points that need more memory are left out, and pages are reclaimed near the limit",
    size: None,
    privilege: Privilege::Root,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let Some(limit) = &files.topology.allowance.memory else {
        return files.group_of("memory").map(|group| Finding::of("none", group));
    };
    let finding = Finding::of(format!("{:.1} GiB", gibibytes(limit.bytes)), &limit.path);
    if limit.bytes >= files.topology.memory.total_bytes {
        return Ok(finding);
    }
    let cause =
        format!("{} limits memory to {:.1} GiB: larger points are left out", limit.path, gibibytes(limit.bytes));
    Ok(finding.warn(cause, "raise the control group's limit"))
}
