//! Interrupts of devices, and the processors that take them.

use super::processes::any_runs;
use super::{Check, Finding, MachineFiles, Privilege, Unreadable};
use crate::cpuset::CpuSet;

/// Interrupts of devices, and the processors that take them.
pub const IRQS: Check = Check {
    id: "irqs",
    effect: "a processor that takes an interrupt stops what it measures, and its first-level cache is not what it was",
    size: None,
    privilege: Privilege::Root,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let directory = "/proc/irq";
    let numbers = files.root.numbered(directory, "");
    let list = |irq: &u32| files.root.word(&format!("{directory}/{irq}/smp_affinity_list"))?.parse::<CpuSet>().ok();
    let lists: Vec<CpuSet> = numbers.iter().filter_map(list).collect();
    if lists.is_empty() {
        return Err(Unreadable::new(directory, "no interrupt is listed"));
    }
    let takers = lists.iter().fold(CpuSet::new(), |all, list| all.union(list));
    let moved = if any_runs(files, &["irqbalance"])?.is_some() { ", moved by irqbalance" } else { "" };
    let finding = Finding::of(format!("{} on processors {takers}{moved}", lists.len()), directory);
    let own = files.topology.allowed();
    let shared = takers.intersection(&own);
    if shared.is_empty() || files.topology.online().len() < 2 {
        return Ok(finding);
    }
    let cause = format!("interrupts may come to processors {shared}, on which this process runs{moved}");
    Ok(finding
        .info(cause, "keep them to one processor, and measure on the others")
        .command("for irq in /proc/irq/[0-9]*; do echo 0 > \"$irq/smp_affinity_list\" 2>/dev/null || true; done"))
}
