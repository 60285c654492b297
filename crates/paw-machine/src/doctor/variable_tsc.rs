//! Whether the time-stamp counter ticks evenly.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};
use crate::state::tsc;

/// Whether the time-stamp counter ticks evenly.
pub const VARIABLE_TSC: Check = Check {
    id: "variable-tsc",
    effect: "ticks of the counter are no time where it slows down or stops",
    size: None,
    privilege: Privilege::User,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let path = files.with_x86_flags()?;
    match tsc(&files.cpuinfo) {
        None => Err(Unreadable::new(path, "only processors of x86 have such a counter")),
        Some("invariant") => Ok(Finding::of("invariant", path)),
        Some(kind) => Ok(Finding::of(kind, path).warn(
            "the processor does not guarantee that its time-stamp counter ticks evenly (constant_tsc, nonstop_tsc)",
            "use the monotonic clock, as paw does by default",
        )),
    }
}
