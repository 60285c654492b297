//! Equal pages that the kernel merges.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// Equal pages that the kernel merges.
pub const KSM: Check = Check {
    id: "ksm",
    effect: "a kernel thread compares pages all the time, and a write to a merged page has to copy it",
    size: None,
    privilege: Privilege::Root,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let path = "/sys/kernel/mm/ksm/run";
    let value = files.word(path)?;
    let finding = Finding::of(&value, path);
    match value.as_str() {
        "0" | "2" => Ok(finding),
        "1" => Ok(finding.info("the kernel merges equal pages", "let it pause").write(path, "0")),
        _ => Err(Unreadable::new(path, format!("it holds no switch: {value}"))),
    }
}
