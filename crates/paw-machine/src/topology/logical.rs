//! Raw facts of /sys about each logical processor.

use paw_sort::OrderBy;

use crate::cpuset::CpuSet;
use crate::root::Root;
use crate::topology::mask::{Contradiction, set};

/// Where /sys lists processors.
pub const CPUS: &str = "/sys/devices/system/cpu";

/// A cluster number that means none (the kernel's `(u16)-1`).
const CLUSTER_NONE: i64 = 65_535;

/// Raw facts of /sys about one logical processor online.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Logical {
    pub number: u32,
    pub package_id: Option<i64>,
    pub die_id: Option<i64>,
    pub cluster_id: Option<i64>,
    pub core_id: Option<i64>,
    /// The processor and its siblings in the core; empty if unknown.
    pub threads: CpuSet,
    /// The processor and all others of its package; empty if unknown.
    pub package_cpus: CpuSet,
    pub capacity: Option<u32>,
    pub frequency_max_khz: Option<u64>,
    /// Arm's main identification register: implementer, part, revision.
    pub midr: Option<String>,
}

/// The processors listed.
#[derive(Debug, Default)]
pub struct Listed {
    pub online: Vec<Logical>,
    pub offline: CpuSet,
    pub notes: Vec<String>,
}

/// Reads the processors online from /sys, or from /proc/cpuinfo where /sys is hidden.
pub fn read(root: &Root, contradictions: &mut Vec<Contradiction>) -> Listed {
    let present: CpuSet = root.numbered(CPUS, "cpu").into_iter().collect();
    if present.is_empty() {
        let notes = vec!["/sys/devices/system/cpu is hidden: processors are taken from /proc/cpuinfo".to_owned()];
        return Listed {
            online: from_cpuinfo(&root.text("/proc/cpuinfo").unwrap_or_default()),
            notes,
            ..Listed::default()
        };
    }
    let online = online(root, &present);
    let logicals: Vec<Logical> = online.iter().map(|number| logical(root, number, &online, contradictions)).collect();
    Listed { online: logicals, offline: present.difference(&online), notes: Vec::new() }
}

/// `online` of the whole machine, or of each processor on kernels (and captures) that lack the list.
fn online(root: &Root, present: &CpuSet) -> CpuSet {
    let listed = root.word(&format!("{CPUS}/online")).and_then(|list| list.parse::<CpuSet>().ok());
    let listed = listed.map(|set| set.intersection(present)).filter(|set| !set.is_empty());
    // The first processor often cannot be switched off and has no such file.
    let single = |cpu: &u32| root.text(&format!("{CPUS}/cpu{cpu}/online")).as_deref() != Some("0");
    listed.unwrap_or_else(|| present.iter().filter(single).collect())
}

fn logical(root: &Root, number: u32, online: &CpuSet, contradictions: &mut Vec<Contradiction>) -> Logical {
    let directory = format!("{CPUS}/cpu{number}");
    let topology = format!("{directory}/topology");
    let id = |name: &str| root.number::<i64>(&format!("{topology}/{name}")).filter(|id| *id >= 0);
    let mut told = |names: &[&str]| set(root, &topology, names, contradictions).intersection(online);
    Logical {
        number,
        threads: told(&["core_cpus", "thread_siblings"]),
        package_cpus: told(&["package_cpus", "core_siblings"]),
        package_id: id("physical_package_id"),
        die_id: id("die_id"),
        cluster_id: id("cluster_id").filter(|id| *id != CLUSTER_NONE),
        core_id: id("core_id"),
        capacity: root.number(&format!("{directory}/cpu_capacity")),
        frequency_max_khz: root.number(&format!("{directory}/cpufreq/cpuinfo_max_freq")),
        midr: root.word(&format!("{directory}/regs/identification/midr_el1")),
    }
}

/// Processors by their blocks in cpuinfo, with package and core, which x86 lists.
fn from_cpuinfo(cpuinfo: &str) -> Vec<Logical> {
    let mut found: Vec<Logical> = Vec::new();
    for line in cpuinfo.lines() {
        let Some((key, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        match (key.trim(), found.last_mut()) {
            ("processor", _) => {
                // On s390 and old Arm kernels this key also names the model.
                if let Ok(number) = value.parse() {
                    found.push(Logical { number, ..Logical::default() });
                }
            }
            ("physical id", Some(last)) => last.package_id = value.parse().ok(),
            ("core id", Some(last)) => last.core_id = value.parse().ok(),
            _ => {}
        }
    }
    found.order_by_key(|logical| logical.number);
    found.dedup_by_key(|logical| logical.number);
    found
}
