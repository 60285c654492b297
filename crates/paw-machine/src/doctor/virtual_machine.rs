//! A hypervisor below this system.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};
use crate::hypervisor;

/// A hypervisor below this system.
pub const VIRTUAL_MACHINE: Check = Check {
    id: "virtual-machine",
    effect: "neighbours share caches, memory and clocks, and nothing here shows them",
    size: Some("the median of 300 s moved by 1.65 % from window to window, the minimum by 7 %"),
    privilege: Privilege::User,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let path = "/proc/cpuinfo";
    files.word(path)?;
    let unnamed = || files.cpuinfo.has_flag("hypervisor").then(|| "unnamed hypervisor".to_owned());
    let Some(name) = hypervisor::seen(files.root, &files.cpuinfo).or_else(unnamed) else {
        // Only x86 has a flag whose absence means something: firmware and device trees of other virtual machines may name none.
        return files.with_x86_flags().map(|path| Finding::of("none", path).fine("no hypervisor shows itself"));
    };
    let cause = format!(
        "this is a virtual machine ({name}): neighbours share caches, memory and clocks, memory may be backed only when first touched, and the topology is what the hypervisor shows"
    );
    Ok(Finding::of(name, path).warn(cause, "repeat runs at other times, or measure on bare metal"))
}
