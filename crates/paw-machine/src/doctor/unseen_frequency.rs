//! Whether the machine shows its frequency control at all.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// Whether the machine shows its frequency control at all.
pub const UNSEEN_FREQUENCY: Check = Check {
    id: "unseen-frequency",
    effect: "nobody can tell from files whether the clock is steady",
    size: Some("the clock of a virtual machine drifted by 1.5 to 2 % while equal programs ran"),
    privilege: Privilege::User,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    match files.of_processors("cpufreq/scaling_governor") {
        Ok((path, _)) => Ok(Finding::of("shown", path)),
        Err(unreadable) => Ok(Finding::of("not shown", unreadable.path).warn(
            "this machine shows no frequency control: whether clocks are steady is unknown",
            "check the measured core clock in the run, and compare alternatives within one run",
        )),
    }
}
