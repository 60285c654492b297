//! A machine as text: identity, structure, and the resources of this process.

use paw_data::machine::{CacheLevel, Identity};
use paw_machine::cpuset::CpuSet;
use paw_machine::topology::{Cache, CoreBranch, PackageBranch, Topology};

use crate::amount::{binary, counted};

/// The machine's identity in two lines.
pub fn identity(identity: &Identity) -> String {
    let virtual_machine = match identity.hypervisor.as_str() {
        "" => String::new(),
        name => format!(", virtual machine ({name})"),
    };
    let counts = [
        counted(identity.packages, "package"),
        counted(identity.cores, "core"),
        counted(identity.threads, "hardware thread"),
        counted(identity.numa_nodes, "memory node"),
    ];
    let first = format!("{}, {}{virtual_machine}", identity.cpu, identity.arch);
    format!("{first}\n{}, {} of memory; {}\n", counts.join(", "), binary(identity.memory_bytes), identity.os)
}

/// `L2 1 MiB × 2`, for every level.
pub fn caches(levels: &[CacheLevel]) -> String {
    let one = |cache: &CacheLevel| {
        let times = if cache.instances > 1 { format!(" × {}", cache.instances) } else { String::new() };
        format!("L{}{} {}{times}", cache.level, letter(&cache.kind), binary(cache.size_bytes))
    };
    levels.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The machine's packages, in each a line for cores that are alike.
pub fn structure(topology: &Topology) -> String {
    let mut tree = topology.tree();
    if topology.kinds.len() < 2 {
        tree.packages.iter_mut().flat_map(|package| &mut package.cores).for_each(|core| core.kind.clear());
    }
    let mut text: String = tree.packages.iter().map(package).collect();
    if !tree.caches.is_empty() {
        text += &format!("across packages: {}\n", alike(&tree.caches));
    }
    if !tree.offline.is_empty() {
        text += &format!("switched off: {}\n", tree.offline);
    }
    text
}

fn package(package: &PackageBranch) -> String {
    let id = package.id.map_or("?".to_owned(), |id| id.to_string());
    let nodes: Vec<_> = package.nodes.iter().map(ToString::to_string).collect();
    let shared = if package.caches.is_empty() { String::new() } else { format!(": {}", alike(&package.caches)) };
    let mut text = format!("package {id}, memory node {}{shared}\n", nodes.join(","));
    let mut groups: Vec<(String, u32, CpuSet)> = Vec::new();
    for core in &package.cores {
        let (look, cpus) = (core_look(core), core.pus.iter().map(|pu| pu.number));
        match groups.iter_mut().find(|(other, ..)| *other == look) {
            Some((_, count, all)) => {
                *count += 1;
                *all = all.iter().chain(cpus).collect();
            }
            None => groups.push((look, 1, cpus.collect())),
        }
    }
    for (look, count, cpus) in groups {
        text += &format!("  {}, each {look}: cpu {cpus}\n", counted(count, "core"));
    }
    text
}

fn core_look(core: &CoreBranch) -> String {
    let threads = counted(core.pus.len(), "hardware thread");
    let kind = if core.kind.is_empty() { String::new() } else { format!(" ({})", core.kind) };
    if core.caches.is_empty() { threads + &kind } else { format!("{threads}{kind}, {}", alike(&core.caches)) }
}

/// Caches, equal ones counted together.
fn alike(caches: &[Cache]) -> String {
    let mut groups: Vec<(String, u32)> = Vec::new();
    for cache in caches {
        let look = format!("L{}{} {}", cache.level, letter(cache.kind.word()), binary(cache.size_bytes));
        match groups.iter_mut().find(|(other, _)| *other == look) {
            Some((_, count)) => *count += 1,
            None => groups.push((look, 1)),
        }
    }
    let one = |(look, count): &(String, u32)| if *count > 1 { format!("{look} × {count}") } else { look.clone() };
    groups.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The resources of this process: processors, quota, memory.
pub fn allowance(topology: &Topology) -> String {
    let allowed = topology.allowed();
    let mut text = format!("may use: cpu {allowed}, {} of memory", binary(topology.effective_memory_bytes()));
    if let Some(quota) = &topology.allowance.quota {
        text += &format!(", {} processors' worth of time ({})", quota.cpus, quota.path);
    }
    text + "\n"
}

fn letter(kind: &str) -> &'static str {
    match kind {
        "data" => "d",
        "instruction" => "i",
        _ => "",
    }
}
