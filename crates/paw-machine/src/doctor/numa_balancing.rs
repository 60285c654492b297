//! Pages that the kernel moves between memory nodes.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// Pages that the kernel moves between memory nodes.
pub const NUMA_BALANCING: Check = Check {
    id: "numa-balancing",
    effect: "pages become unreadable for a moment and move, so that the same loop is slower now and faster later",
    size: None,
    privilege: Privilege::Root,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let path = "/proc/sys/kernel/numa_balancing";
    let value = files.word(path)?;
    let finding = Finding::of(&value, path);
    if value == "0" || files.topology.nodes.len() < 2 {
        return Ok(finding);
    }
    let cause = "the kernel moves pages between memory nodes while programs run";
    Ok(finding.warn(cause, "sudo sysctl kernel.numa_balancing=0").write(path, "0"))
}
