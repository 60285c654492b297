//! Transparent huge pages.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// Transparent huge pages.
pub const THP: Check = Check {
    id: "thp",
    effect: "whether a program's memory has huge pages may change from run to run, and with it the cost of its first touch and its misses of the TLB",
    size: Some("a first touch at 0.42 GB/s in place of 3 GB/s on a virtual machine"),
    privilege: Privilege::Root,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let path = "/sys/kernel/mm/transparent_hugepage/enabled";
    let choice = files.choice(path)?;
    let finding = Finding::of(&choice, path);
    let because = match choice.as_str() {
        "always" => "the kernel gives huge pages to whom it likes, as far as it has them",
        "never" => "a program that asks for huge pages gets none",
        "madvise" => return Ok(finding),
        _ => return Err(Unreadable::new(path, format!("it holds no choice: {choice}"))),
    };
    Ok(finding.info(because, "give them to programs that ask (madvise)").write(path, "madvise"))
}
