//! Who may count events.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// Who may count events.
pub const PERF_ACCESS: Check = Check {
    id: "perf-access",
    effect: "times are right; counters and profiles lack the kernel's part, or cannot be taken",
    size: None,
    privilege: Privilege::Root,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let path = "/proc/sys/kernel/perf_event_paranoid";
    let value = files.number(path)?;
    let finding = Finding::of(value, path);
    let cause = match value {
        open if open <= 1.0 => return Ok(finding),
        own if own <= 2.0 => "users may count their own code, and not what the kernel does for it",
        _ => "users may count nothing at all",
    };
    Ok(finding.info(cause, "sudo sysctl kernel.perf_event_paranoid=1").write(path, "1"))
}
