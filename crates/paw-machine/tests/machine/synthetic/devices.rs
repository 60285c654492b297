//! Files below /sys/devices: processors, their caches, memory nodes.

use std::io;

use crate::synthetic::hardware_thread::CoreType;
use crate::synthetic::{FileTree, HardwareThread, KindEvidence, MachineSpec, SharedCache};
use paw_machine::cpuset::CpuSet;

const CPUS: &str = "/sys/devices/system/cpu";
const NODES: &str = "/sys/devices/system/node";

/// Core numbers have gaps on real machines, and start again in every package.
const CORE_ID_STEP: u32 = 4;

/// Highest frequencies of the two kinds, and of a favoured core.
const PERFORMANCE_KHZ: u64 = 5_000_000;
const FAVOURED_KHZ: u64 = 5_200_000;
const EFFICIENCY_KHZ: u64 = 3_900_000;

/// Processors with their lists of siblings. An offline one keeps its directory and loses its topology.
pub(super) fn processors(spec: &MachineSpec, places: &[HardwareThread], tree: &FileTree<'_>) -> io::Result<()> {
    let all: CpuSet = places.iter().map(|p| p.cpu).collect();
    tree.put(&format!("{CPUS}/present"), &all)?;
    tree.put(&format!("{CPUS}/online"), spec.online())?;
    tree.put(&format!("{CPUS}/offline"), all.intersection(&spec.offline))?;
    tree.put(&format!("{CPUS}/smt/control"), if spec.smt > 1 { "on" } else { "notsupported" })?;
    for hardware_thread in places {
        let directory = format!("{CPUS}/cpu{}", hardware_thread.cpu);
        if spec.offline.contains(hardware_thread.cpu) {
            tree.put(&format!("{directory}/online"), 0)?;
            continue;
        }
        let topology = |file: &str| format!("{directory}/topology/{file}");
        let sharing =
            |same: fn(&HardwareThread) -> u32| online_where(spec, places, |p| same(p) == same(hardware_thread));
        tree.put(&topology("physical_package_id"), hardware_thread.package)?;
        tree.put(&topology("core_id"), (hardware_thread.core % cores_per_package(spec)) * CORE_ID_STEP)?;
        tree.put(&topology("die_id"), 0)?;
        tree.put(&topology("cluster_id"), 65_535)?;
        tree.put(&topology("thread_siblings_list"), sharing(|p| p.core))?;
        tree.put(&topology("core_siblings_list"), sharing(|p| p.package))?;
        speed(spec, hardware_thread, &directory, tree)?;
    }
    if spec.efficiency > 0 && spec.evidence == KindEvidence::Events {
        let of = |kind| online_where(spec, places, |p| p.kind == kind);
        tree.put("/sys/devices/cpu_core/cpus", of(CoreType::Performance))?;
        tree.put("/sys/devices/cpu_atom/cpus", of(CoreType::Efficiency))?;
    }
    Ok(())
}

fn cores_per_package(spec: &MachineSpec) -> u32 {
    spec.nodes * (spec.cores + spec.efficiency)
}

/// Frequencies, capacities and registers, as far as the machine shows them.
fn speed(spec: &MachineSpec, hardware_thread: &HardwareThread, directory: &str, tree: &FileTree<'_>) -> io::Result<()> {
    if let Some(governor) = &spec.governor {
        tree.put(&format!("{directory}/cpufreq/scaling_governor"), governor)?;
    }
    let thrifty = hardware_thread.kind == CoreType::Efficiency;
    let hybrid = spec.efficiency > 0;
    match spec.evidence {
        KindEvidence::Frequency if hybrid => {
            let khz = match (thrifty, hardware_thread.core_in_node) {
                (true, _) => EFFICIENCY_KHZ,
                (false, 0) => FAVOURED_KHZ,
                (false, _) => PERFORMANCE_KHZ,
            };
            tree.put(&format!("{directory}/cpufreq/cpuinfo_max_freq"), khz)
        }
        KindEvidence::Capacity if hybrid => {
            tree.put(&format!("{directory}/cpu_capacity"), if thrifty { 718 } else { 1024 })
        }
        KindEvidence::Midr if hybrid => {
            let midr = if thrifty { "0x00000000410fd870" } else { "0x00000000410fd850" };
            tree.put(&format!("{directory}/cpu_capacity"), if thrifty { 718 } else { 1024 })?;
            tree.put(&format!("{directory}/regs/identification/midr_el1"), midr)
        }
        _ => Ok(()),
    }
}

/// Caches, in the order in which x86 numbers them.
pub(super) fn caches(spec: &MachineSpec, places: &[HardwareThread], tree: &FileTree<'_>) -> io::Result<()> {
    for hardware_thread in places.iter().filter(|p| !spec.offline.contains(p.cpu)) {
        let core = online_where(spec, places, |p| p.core == hardware_thread.core);
        let within_node = |group: fn(&HardwareThread, &MachineSpec) -> u32| {
            online_where(spec, places, |p| {
                p.node == hardware_thread.node && group(p, spec) == group(hardware_thread, spec)
            })
        };
        let own = |bytes| SharedCache { bytes, cores: 1 };
        let all = [
            (1, "Data", own(spec.l1d_bytes), core.clone()),
            (1, "Instruction", own(spec.l1i_bytes), core),
            (2, "Unified", spec.l2, within_node(HardwareThread::l2)),
            (3, "Unified", spec.l3, within_node(HardwareThread::l3)),
        ];
        for (index, (level, kind, cache, cpus)) in all.into_iter().filter(|(_, _, c, _)| c.bytes > 0).enumerate() {
            let file = |name: &str| format!("{CPUS}/cpu{}/cache/index{index}/{name}", hardware_thread.cpu);
            tree.put(&file("level"), level)?;
            tree.put(&file("type"), kind)?;
            tree.put(&file("size"), format!("{}K", cache.bytes >> 10))?;
            tree.put(&file("coherency_line_size"), 64)?;
            tree.put(&file("ways_of_associativity"), 8 * level)?;
            tree.put(&file("shared_cpu_list"), cpus)?;
        }
    }
    Ok(())
}

/// Memory nodes with their distances.
pub(super) fn nodes(spec: &MachineSpec, places: &[HardwareThread], tree: &FileTree<'_>) -> io::Result<()> {
    let numbers = spec.node_numbers();
    let ordinary = spec.packages * spec.nodes;
    for number in &numbers {
        let directory = format!("{NODES}/node{number}");
        tree.put(&format!("{directory}/cpulist"), online_where(spec, places, |p| p.node == *number))?;
        let kilobytes = if spec.memoryless.contains(*number) { 0 } else { spec.memory_bytes >> 10 };
        let meminfo =
            format!("Node {number} MemTotal:       {kilobytes} kB\nNode {number} MemFree:        {kilobytes} kB");
        tree.put(&format!("{directory}/meminfo"), meminfo)?;
        let same_package =
            |other: u32| *number < ordinary && other < ordinary && number / spec.nodes == other / spec.nodes;
        let distance = |other: &u32| match *other {
            other if other == *number => 10,
            other if same_package(other) => 10 + (spec.distance - 10) / 2,
            _ => spec.distance,
        };
        let row: Vec<String> = numbers.iter().map(|other| distance(other).to_string()).collect();
        tree.put(&format!("{directory}/distance"), row.join(" "))?;
    }
    Ok(())
}

fn online_where(spec: &MachineSpec, places: &[HardwareThread], fits: impl Fn(&HardwareThread) -> bool) -> CpuSet {
    places.iter().filter(|p| fits(p) && !spec.offline.contains(p.cpu)).map(|p| p.cpu).collect()
}
