//! Addresses that differ from run to run.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// Addresses that differ from run to run.
pub const ASLR: Check = Check {
    id: "aslr",
    effect: "where addresses never change, one lucky or unlucky layout decides; where they change, runs differ more and their mean is fair",
    size: None,
    privilege: Privilege::Root,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let path = "/proc/sys/kernel/randomize_va_space";
    let value = files.word(path)?;
    let finding = Finding::of(&value, path);
    if value == "2" {
        return Ok(
            finding.fine("every run has another layout, which is fair; `paw app --no-aslr` fixes it for one program")
        );
    }
    let cause = "all runs of a program have the same layout, or nearly: a lucky one cannot be told from a good one";
    Ok(finding.info(cause, "sudo sysctl kernel.randomize_va_space=2").write(path, "2"))
}
