//! How hard the kernel tries to find a huge page when memory is touched.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// How hard the kernel tries to find a huge page when memory is touched.
pub const THP_DEFRAG: Check = Check {
    id: "thp-defrag",
    effect: "a first touch may wait until the kernel has moved other pages out of the way",
    size: None,
    privilege: Privilege::Root,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let path = "/sys/kernel/mm/transparent_hugepage/defrag";
    let choice = files.choice(path)?;
    let finding = Finding::of(&choice, path);
    if choice != "always" {
        return Ok(finding);
    }
    let cause = "every program's first touch may wait for a huge page";
    Ok(finding.info(cause, "let only programs wait that ask for huge pages (madvise)").write(path, "madvise"))
}
