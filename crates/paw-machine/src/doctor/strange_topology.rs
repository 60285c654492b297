//! What in the machine's description contradicts itself.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// What in the machine's description contradicts itself.
pub const STRANGE_TOPOLOGY: Check = Check {
    id: "strange-topology",
    effect: "threads may be put where two of them share a core, or caches be taken for larger than they are",
    size: None,
    privilege: Privilege::User,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let notes = files.topology.notes.join("; ");
    let path = "/sys/devices/system/cpu";
    if notes.is_empty() {
        return Ok(Finding::of("no contradiction", path));
    }
    Ok(Finding::of("contradictions", path).warn(notes, "compare with lscpu, and set --threads to a number"))
}
