//! Cores of several kinds.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// Cores of several kinds.
pub const HYBRID: Check = Check {
    id: "hybrid",
    effect: "a thread's time depends on the kind of core it runs on, and equal shares of work wait for the slowest",
    size: None,
    privilege: Privilege::User,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let kinds = &files.topology.kinds;
    let path = "/sys/devices/system/cpu";
    if kinds.len() < 2 {
        return Ok(Finding::of("cores of one kind", path));
    }
    let counts: Vec<String> = kinds.iter().map(|kind| format!("{} {}", kind.cores.len(), kind.name)).collect();
    let counts = counts.join(", ");
    let cause = format!("cores are of several kinds ({counts}): work shared out evenly waits for the slowest");
    Ok(Finding::of(counts, path).warn(cause, "compare kinds of cores separately (taskset selects one)"))
}
