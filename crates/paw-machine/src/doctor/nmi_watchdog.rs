//! The watchdog that takes a hardware counter.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// The watchdog that takes a hardware counter.
pub const NMI_WATCHDOG: Check = Check {
    id: "nmi-watchdog",
    effect: "one counter of the processor is taken, and each processor is interrupted every few seconds",
    size: None,
    privilege: Privilege::Root,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let path = "/proc/sys/kernel/nmi_watchdog";
    let value = files.word(path)?;
    let finding = Finding::of(&value, path);
    if value == "0" {
        return Ok(finding);
    }
    let cause = "the kernel's watchdog takes a hardware counter";
    Ok(finding.info(cause, "sudo sysctl kernel.nmi_watchdog=0").write(path, "0"))
}
