//! The idlest core, found from two snapshots of /proc/stat: a benchmark pinned to a busy core is slower than an unpinned one.

use std::collections::BTreeMap;

use paw_sort::OrderBy;

use crate::cpuset::CpuSet;
use crate::root::Root;
use crate::topology::Topology;

/// Smallest difference in load that counts: of the twenty ticks of 10 ms in 0.2 s one may be paw's own, so two of twenty.
const BUSY_STEP: f64 = 0.1;

/// The kernel's counters at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snapshot {
    /// Text of /proc/stat.
    pub stat: String,
    /// Text of /proc/interrupts; empty where it cannot be read.
    pub interrupts: String,
}

impl Snapshot {
    /// Reads the counters. Two snapshots should be at least 0.2 s apart.
    pub fn take(root: &Root) -> Self {
        let text = |path| root.text(path).unwrap_or_default();
        Self { stat: text("/proc/stat"), interrupts: text("/proc/interrupts") }
    }
}

/// The activity of each processor between two snapshots.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CpuActivity {
    /// Share of the time that was not idle, 0 … 1, by processor.
    pub busy: BTreeMap<u32, f64>,
    /// Interrupts taken, by processor.
    pub interrupts: BTreeMap<u32, u64>,
}

impl CpuActivity {
    /// The activity between the snapshots, of the processors that both have.
    pub fn between(before: &Snapshot, after: &Snapshot) -> Self {
        let (old, new) = (ticks(&before.stat), ticks(&after.stat));
        let share = |(cpu, now): (&u32, &Ticks)| {
            let was = old.get(cpu)?;
            let total = now.total.saturating_sub(was.total);
            let idle = now.idle.saturating_sub(was.idle);
            (total > 0).then(|| (*cpu, 1.0 - (idle as f64 / total as f64).min(1.0)))
        };
        let (old_irq, new_irq) = (interrupts(&before.interrupts), interrupts(&after.interrupts));
        let taken = |(cpu, now): (&u32, &u64)| Some((*cpu, now.saturating_sub(*old_irq.get(cpu)?)));
        Self { busy: new.iter().filter_map(share).collect(), interrupts: new_irq.iter().filter_map(taken).collect() }
    }

    /// The activity by which the cores of `cpus` are the idlest, in this order, and all others are busy.
    pub fn preferring(topology: &Topology, cpus: &[u32]) -> Self {
        let rank = |core: &CpuSet| cpus.iter().position(|cpu| core.contains(*cpu)).unwrap_or(cpus.len());
        let share = |core: &CpuSet| (rank(core) as f64 + 0.5) * BUSY_STEP;
        let cores = topology.cores.iter().flat_map(|core| core.cpus.iter().map(move |cpu| (cpu, share(&core.cpus))));
        Self { busy: cores.collect(), interrupts: BTreeMap::new() }
    }

    /// The busiest processor's share among `cpus`; what is unknown counts as idle.
    pub fn busiest(&self, cpus: &CpuSet) -> f64 {
        cpus.iter().filter_map(|cpu| self.busy.get(&cpu)).copied().fold(0.0, f64::max)
    }

    fn interrupts_on(&self, cpus: &CpuSet) -> u64 {
        cpus.iter().filter_map(|cpu| self.interrupts.get(&cpu)).sum()
    }
}

/// Allowed cores by idleness, the idlest first, each as its first allowed processor.
///
/// On a hybrid machine the most capable kind comes first, as the kind that the machine is known for.
/// A core is as busy as its busiest hardware thread, allowed or not. Among equals come first the cores without
/// processor 0 (where the kernel does its housekeeping), then those with fewer interrupts.
pub fn ranking(topology: &Topology, activity: &CpuActivity) -> Vec<u32> {
    let mut cores = topology.allowed_cores();
    cores.order_by_key(|(index, allowed)| {
        let core = &topology.cores[*index];
        let steps = (activity.busiest(&core.cpus) / BUSY_STEP).floor() as u64;
        (core.kind, steps, core.cpus.contains(0), activity.interrupts_on(&core.cpus), allowed.first())
    });
    cores.iter().filter_map(|(_, allowed)| allowed.first()).collect()
}

/// The processor on the idlest allowed core.
pub fn idlest(topology: &Topology, activity: &CpuActivity) -> Option<u32> {
    ranking(topology, activity).first().copied()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ticks {
    total: u64,
    idle: u64,
}

/// `cpu3 user nice system idle iowait irq softirq steal guest guest_nice` (proc_stat(5)); guest time is in user time already.
fn ticks(stat: &str) -> BTreeMap<u32, Ticks> {
    let line = |line: &str| {
        let mut fields = line.split_whitespace();
        let cpu = fields.next()?.strip_prefix("cpu")?.parse().ok()?;
        let counts: Vec<u64> = fields.take(8).map_while(|f| f.parse().ok()).collect();
        let idle = counts.get(3)? + counts.get(4).copied().unwrap_or(0);
        Some((cpu, Ticks { total: counts.iter().sum(), idle }))
    };
    stat.lines().filter_map(line).collect()
}

/// Sums of the columns that the first line names `CPU0 CPU1 …`.
fn interrupts(text: &str) -> BTreeMap<u32, u64> {
    let mut lines = text.lines();
    let head = lines.next().unwrap_or("");
    let cpus: Vec<u32> = head.split_whitespace().filter_map(|name| name.strip_prefix("CPU")?.parse().ok()).collect();
    let mut sums: BTreeMap<u32, u64> = cpus.iter().map(|cpu| (*cpu, 0)).collect();
    for line in lines {
        let Some((_, counts)) = line.split_once(':') else { continue };
        // The rows ERR and MIS hold one count for the whole machine.
        let counts: Vec<u64> = counts.split_whitespace().map_while(|c| c.parse().ok()).take(cpus.len()).collect();
        if counts.len() < cpus.len() {
            continue;
        }
        for (cpu, count) in cpus.iter().zip(counts) {
            *sums.entry(*cpu).or_default() += count;
        }
    }
    sums
}
