//! Cores of several kinds.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};
use crate::topology::Topology;

/// Cores of several kinds.
pub const HYBRID: Check = Check {
    id: "hybrid",
    effect: "a thread's time depends on the kind of core it runs on, and equal shares of work wait for the slowest",
    size: None,
    privilege: Privilege::User,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let kinds = &files.topology.kinds;
    let path = "/sys/devices/system/cpu";
    if kinds.len() < 2 {
        let alike = alike_by(files).ok_or_else(|| {
            Unreadable::new(path, "processors tell neither part number, nor caches, nor capacity, nor frequency")
        })?;
        return Ok(Finding::of("cores of one kind", path).fine(alike));
    }
    let counts: Vec<String> = kinds.iter().map(|kind| format!("{} {}", kind.cores.len(), kind.name)).collect();
    let counts = counts.join(", ");
    let cause = format!("cores are of several kinds ({counts}): work shared out evenly waits for the slowest");
    Ok(Finding::of(counts, path).warn(cause, "compare kinds of cores separately (taskset selects one)"))
}

/// What every core tells that kinds would differ in; `None` where that is nothing, and so no kind can be told from another.
fn alike_by(files: &MachineFiles<'_>) -> Option<&'static str> {
    let Topology { cpus, cores, caches, .. } = files.topology;
    let has_cache = |cpu: u32| caches.iter().any(|cache| cache.level <= 2 && cache.cpus.contains(cpu));
    if cores.len() == 1 {
        return Some("there is one core");
    }
    let identified = files.of_processors("regs/identification/midr_el1").map_or(0, |(_, registers)| registers.len());
    if identified == cpus.len() {
        return Some("their part numbers make no kinds");
    }
    if cores.iter().all(|core| core.cpus.first().is_some_and(has_cache)) {
        return Some("their caches make no kinds");
    }
    if cpus.iter().all(|cpu| cpu.capacity.is_some()) {
        return Some("their capacities make no kinds");
    }
    cpus.iter().all(|cpu| cpu.frequency_max_khz.is_some()).then_some("their highest frequencies make no kinds")
}
