//! What in the machine's description contradicts itself.

use super::machine_files::CPUS;
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
    if notes.is_empty() {
        let told = files.shows_cores().then(|| Finding::of("no contradiction", CPUS));
        return told.ok_or_else(|| Unreadable::new(CPUS, "no processor names its core"));
    }
    Ok(Finding::of("contradictions", CPUS).warn(notes, "compare with lscpu, and set --threads to a number"))
}
