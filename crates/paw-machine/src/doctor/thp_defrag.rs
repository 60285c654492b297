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
    match choice.as_str() {
        "always" => {
            let cause = "every program's first touch may wait for a huge page";
            Ok(finding.info(cause, "let only programs wait that ask for huge pages (madvise)").write(path, "madvise"))
        }
        "defer" | "defer+madvise" | "madvise" | "never" => Ok(finding),
        _ => Err(Unreadable::new(path, format!("it holds no choice: {choice}"))),
    }
}
