//! Counters of the processor.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};
use crate::state::pmu;

/// Counters of the processor.
pub const HARDWARE_COUNTERS: Check = Check {
    id: "hardware-counters",
    effect: "times are right; cycles, instructions and misses of caches cannot be counted",
    size: None,
    privilege: Privilege::User,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let path = "/sys/bus/event_source/devices";
    let Some(source) = pmu(files.root) else {
        return Err(Unreadable::new(path, "no source of events is listed"));
    };
    let finding = Finding::of(&source, path);
    if source != "none" {
        return Ok(finding);
    }
    let cause = "the processor's counters are not there; a hypervisor may hide them";
    Ok(finding.info(cause, "count on bare metal, or let the hypervisor pass them on"))
}
