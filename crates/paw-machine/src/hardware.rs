//! The machine's parts one by one, as data.

use paw_data::machine::hardware::{CacheInstance, Hardware, HardwareThread, MemoryNode, MemorySideCache, NodeAccess};

use crate::adapter;
use crate::cpuinfo::CpuInfo;
use crate::processor_model;
use crate::root::Root;
use crate::topology::{Cache, Cpu, MemoryAccess, NumaNode, SideCache, Topology};

/// Bytes of a MB/s.
const MEGA: u64 = 1_000_000;

/// The parts of the machine under `root`.
pub fn hardware(root: &Root, topology: &Topology) -> Hardware {
    Hardware {
        models: processor_model::models(&CpuInfo::read(root)),
        adapters: adapter::adapters(root),
        ..parts(topology)
    }
}

/// What the topology tells of the parts.
pub fn parts(topology: &Topology) -> Hardware {
    let allowed = topology.allowed();
    Hardware {
        threads: topology.cpus.iter().map(|cpu| thread(topology, cpu, allowed.contains(cpu.number))).collect(),
        offline: topology.offline.iter().collect(),
        caches: topology.caches.iter().map(cache).collect(),
        nodes: nodes(topology),
        notes: topology.notes.clone(),
        ..Hardware::default()
    }
}

fn thread(topology: &Topology, cpu: &Cpu, available: bool) -> HardwareThread {
    let (core, package) = (&topology.cores[cpu.core], &topology.packages[cpu.package]);
    let kind = topology.kinds.get(core.kind).filter(|_| topology.kinds.len() > 1);
    HardwareThread {
        cpu: cpu.number,
        thread: core.cpus.iter().take_while(|other| *other < cpu.number).count() as u32,
        core: cpu.core as u32,
        core_id: core.id,
        die: core.die,
        cluster: core.cluster,
        package: cpu.package as u32,
        package_id: package.id,
        node: cpu.node,
        kind: kind.map(|kind| kind.name.clone()).unwrap_or_default(),
        capacity: cpu.capacity,
        frequency_max_hz: cpu.frequency_max_khz.map(|khz| khz * 1000),
        available,
    }
}

fn cache(cache: &Cache) -> CacheInstance {
    CacheInstance {
        level: cache.level,
        kind: cache.kind.word().to_owned(),
        size_bytes: cache.size_bytes,
        line_bytes: cache.line_bytes,
        ways: cache.ways,
        sets: cache.sets,
        cpus: cache.cpus.iter().collect(),
    }
}

/// The memory nodes.
pub fn nodes(topology: &Topology) -> Vec<MemoryNode> {
    topology.nodes.iter().map(node).collect()
}

fn node(node: &NumaNode) -> MemoryNode {
    MemoryNode {
        number: node.number,
        cpus: node.cpus.iter().collect(),
        total_bytes: node.visible_bytes,
        free_bytes: node.free_bytes,
        distances: node.distances.clone(),
        access: node.access.iter().map(access).collect(),
        side_caches: node.side_caches.iter().map(side_cache).collect(),
    }
}

fn side_cache(cache: &SideCache) -> MemorySideCache {
    MemorySideCache {
        level: cache.level,
        size_bytes: cache.size_bytes,
        line_bytes: cache.line_bytes,
        direct_mapped: cache.is_direct_mapped,
    }
}

fn access(access: &MemoryAccess) -> NodeAccess {
    NodeAccess {
        class: access.class,
        initiators: access.initiators.iter().collect(),
        read_latency_ns: access.latency_ns.0,
        write_latency_ns: access.latency_ns.1,
        read_bytes_s: access.bandwidth_mb_s.0.map(|rate| rate * MEGA),
        write_bytes_s: access.bandwidth_mb_s.1.map(|rate| rate * MEGA),
    }
}
