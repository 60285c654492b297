//! State of the machine, which may change between runs: settings, load, frequencies, limits; and which changes matter.

mod change;
mod frequency;
mod kernel;
mod load;
mod table;

use std::collections::BTreeMap;

use paw_data::machine::State;

use crate::cpuinfo::CpuInfo;
use crate::hypervisor;
use crate::root::Root;
use crate::topology::Topology;

pub(crate) use kernel::{mitigated, pmu};

pub use change::{Change, Significance, changes};
pub use table::{ChangeRule, STATE_ITEMS, StateItem, is_setting};

/// Reads the state. What the host does not show is absent, never guessed; [`STATE_ITEMS`] says what each name means.
pub fn state(root: &Root, topology: &Topology) -> State {
    let cpuinfo = CpuInfo::read(root);
    let mut items = StateItems(State::new());
    frequency::read(root, topology, &cpuinfo, &mut items);
    load::read(root, &mut items);
    kernel::read(root, &mut items);
    limits(root, topology, &mut items);
    items.put("virtualization", hypervisor::seen(root, &cpuinfo).or_else(|| Some("none".to_owned())));
    items.put("tsc", tsc(&cpuinfo));
    items.put("microcode", cpuinfo.microcode());
    items.0
}

/// Items as they are collected; those without a value are left out.
#[derive(Debug)]
struct StateItems(State);

impl StateItems {
    fn put(&mut self, name: &str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.0.insert(name.to_owned(), value.to_string());
        }
    }
}

/// Reads the limits of this process.
fn limits(root: &Root, topology: &Topology, items: &mut StateItems) {
    let allowance = &topology.allowance;
    items.put("cpus_online", Some(topology.online()));
    items.put("cpus_allowed", Some(topology.allowed()));
    items.put("cpus_offline", Some(&topology.offline).filter(|set| !set.is_empty()));
    items.put("cpu_quota_cpus", allowance.quota.as_ref().map(|q| q.cpus));
    items.put("quota_throttled", allowance.throttled);
    items.put("memory_limit_bytes", allowance.memory.as_ref().map(|m| m.bytes));
    items.put("memory_available_bytes", Some(topology.memory.available_bytes).filter(|b| *b > 0));
    let limits = root.text("/proc/self/limits").unwrap_or_default();
    items.put("stack_limit_bytes", soft_limit(&limits, "Max stack size"));
    items.put("locked_memory_limit_bytes", soft_limit(&limits, "Max locked memory"));
    let containers = [("/.dockerenv", "docker"), ("/run/.containerenv", "podman")];
    let container = containers.iter().find(|(file, _)| root.path(file).exists()).map(|(_, name)| *name);
    items.put("container", container);
}

/// Whether the time-stamp counter ticks evenly, asleep or awake (Intel SDM volume 3, section 19.17.1); x86 alone has one.
pub(crate) fn tsc(cpuinfo: &CpuInfo) -> Option<&'static str> {
    let even = cpuinfo.has_flag("constant_tsc") && cpuinfo.has_flag("nonstop_tsc");
    cpuinfo.arch().filter(|arch| arch.starts_with("x86")).map(|_| if even { "invariant" } else { "variable" })
}

/// The soft limit in a line such as `Max stack size  8388608  unlimited  bytes`.
pub(crate) fn soft_limit(limits: &str, name: &str) -> Option<String> {
    let rest = limits.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next().map(str::to_owned)
}

/// Values with the number of times each occurs where there are several: `performance`, or `performance x8, powersave x8`.
pub(crate) fn tally(values: impl Iterator<Item = String>) -> Option<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    match counts.len() {
        0 => None,
        1 => counts.into_keys().next(),
        _ => Some(counts.iter().map(|(value, n)| format!("{value} x{n}")).collect::<Vec<_>>().join(", ")),
    }
}
