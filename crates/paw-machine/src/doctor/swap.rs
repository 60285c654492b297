//! Memory that was written to storage.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// Memory that was written to storage.
pub const SWAP: Check = Check {
    id: "swap",
    effect: "memory was short, and a page that was written out is read from storage when it is used",
    size: None,
    privilege: Privilege::Root,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let (total, free) = space_bytes(files)?;
    let used = total.saturating_sub(free) as f64 / f64::from(1 << 20);
    let finding = Finding::of(format!("{used:.0} MiB used"), MEMINFO);
    if used <= 0.0 {
        return Ok(finding);
    }
    let cause = format!("{used:.0} MiB of swap space is in use: memory was short");
    Ok(finding.warn(cause, "free memory before measuring: sudo swapoff -a").command("swapoff -a"))
}

pub(super) const MEMINFO: &str = "/proc/meminfo";

/// Bytes of swap space, and those not in use.
pub(super) fn space_bytes(files: &MachineFiles<'_>) -> Result<(u64, u64), Unreadable> {
    let text = files.word(MEMINFO)?;
    let bytes = |key: &str| {
        let rest = text.lines().find_map(|line| line.strip_prefix(key))?;
        rest.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
    };
    bytes("SwapTotal:").zip(bytes("SwapFree:")).ok_or_else(|| Unreadable::new(MEMINFO, "it counts no swap space"))
}
