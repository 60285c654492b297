//! Pages that the kernel moves between memory nodes.

use super::machine_files::NODES;
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
    if value == "0" {
        return Ok(finding);
    }
    if !files.shows_nodes() {
        return Err(Unreadable::new(NODES, format!("no memory node is listed, and {path} is {value}")));
    }
    if files.topology.nodes.len() < 2 {
        return Ok(finding.fine("there is one memory node"));
    }
    let cause = "the kernel moves pages between memory nodes while programs run";
    Ok(finding.warn(cause, "sudo sysctl kernel.numa_balancing=0").write(path, "0"))
}
