//! Weaknesses of the processor that the kernel works around.

use super::machine_files::CPUS;
use super::{Check, Finding, MachineFiles, Privilege, Unreadable};
use crate::state::mitigated;

/// Weaknesses of the processor that the kernel works around.
pub const MITIGATIONS: Check = Check {
    id: "mitigations",
    effect: "system calls, interrupts and context switches take longer than on the same processor without them",
    size: None,
    privilege: Privilege::Root,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let path = format!("{CPUS}/vulnerabilities");
    let Some(names) = mitigated(files.root) else {
        return Err(Unreadable::new(path, "the kernel lists no weakness"));
    };
    let finding = Finding::of(&names, &path);
    if names == "none" {
        // A weakness whose file cannot be read may be worked around.
        files.root.names(&path).iter().try_for_each(|name| files.word(&format!("{path}/{name}")).map(drop))?;
        return Ok(finding);
    }
    let count = names.split(',').count();
    let cause = format!("{count} of the processor's weaknesses are worked around: {}", names.replace(',', ", "));
    Ok(finding.info(cause, "leave them, and compare with runs that have the same ones"))
}
