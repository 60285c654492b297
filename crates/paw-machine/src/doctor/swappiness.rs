//! The kernel's willingness to write memory to storage.

use super::swap::space_bytes;
use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// The setting of the profiles of `tuned` for low latency.
const LOW: f64 = 10.0;

/// The kernel's willingness to write memory to storage.
pub const SWAPPINESS: Check = Check {
    id: "swappiness",
    effect: "pages of a program that waits may be written out to make room for files",
    size: None,
    privilege: Privilege::Root,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let path = "/proc/sys/vm/swappiness";
    let value = files.number(path)?;
    let finding = Finding::of(value, path);
    if space_bytes(files).is_ok_and(|(total, _)| total == 0) {
        return Ok(finding.fine("there is no swap space"));
    }
    if value <= LOW {
        return Ok(finding);
    }
    let cause = format!("the kernel may write memory out for files (swappiness {value})");
    Ok(finding.info(cause, "sudo sysctl vm.swappiness=10").write(path, "10"))
}
