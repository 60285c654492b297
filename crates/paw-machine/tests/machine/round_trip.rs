//! What is written for a specification is read back as that machine.

use std::collections::{BTreeMap, BTreeSet};

use crate::synthetic::{HardwareThread, MachineSpec};
use paw_machine::cpuset::CpuSet;
use paw_machine::topology::{CacheKind, Topology};
use proptest::prelude::*;

use crate::paper::{folder, topology};

/// Sets of processors online, one for each value of `key`.
fn grouped<K: Ord>(places: &[HardwareThread], online: &CpuSet, key: impl Fn(&HardwareThread) -> K) -> BTreeSet<CpuSet> {
    let mut groups: BTreeMap<K, CpuSet> = BTreeMap::new();
    for hardware_thread in places.iter().filter(|p| online.contains(p.cpu)) {
        groups.entry(key(hardware_thread)).or_default().insert(hardware_thread.cpu);
    }
    groups.into_values().collect()
}

fn caches(topology: &Topology, level: u32, kind: CacheKind) -> BTreeSet<CpuSet> {
    topology.caches.iter().filter(|c| (c.level, c.kind) == (level, kind)).map(|c| c.cpus.clone()).collect()
}

/// Every claim of the specification holds of what was read.
fn check(spec: &MachineSpec) {
    let directory = folder();
    let read = Topology::read(&spec.write(directory.path()).unwrap()).unwrap();
    let (places, online) = (spec.places(), spec.online());
    assert_eq!(read.notes, Vec::<String>::new(), "{spec}");
    assert_eq!(read.online(), online, "{spec}");
    let all: CpuSet = places.iter().map(|p| p.cpu).collect();
    assert_eq!(read.offline, all.difference(&online), "{spec}");
    let cores: BTreeSet<CpuSet> = read.cores.iter().map(|c| c.cpus.clone()).collect();
    assert_eq!(cores, grouped(&places, &online, |p| p.core), "{spec}");
    let packages: BTreeSet<CpuSet> = read.packages.iter().map(|p| p.cpus.clone()).collect();
    assert_eq!(packages, grouped(&places, &online, |p| p.package), "{spec}");
    assert_eq!(caches(&read, 1, CacheKind::Data), grouped(&places, &online, |p| p.core), "{spec}");
    let l3 = |p: &HardwareThread| (p.node, p.core_in_node.checked_div(spec.l3.cores).unwrap_or(0));
    assert_eq!(caches(&read, 3, CacheKind::Unified), grouped(&places, &online, l3), "{spec}");
    assert!(read.caches.iter().filter(|c| c.level == 3).all(|c| c.size_bytes == spec.l3.bytes), "{spec}");
    let nodes: Vec<u32> = read.nodes.iter().map(|n| n.number).collect();
    assert_eq!(nodes, spec.node_numbers(), "{spec}");
    for node in &read.nodes {
        let members: CpuSet = places.iter().filter(|p| p.node == node.number).map(|p| p.cpu).collect();
        assert_eq!(node.cpus, members.intersection(&online), "{spec}");
        let empty = spec.memoryless.contains(node.number);
        assert_eq!(node.visible_bytes, if empty { 0 } else { spec.memory_bytes }, "{spec}");
        assert_eq!(node.distances[&node.number], 10, "{spec}");
        assert_eq!(node.distances.len(), nodes.len(), "{spec}");
    }
    let quota = spec.quota_hundredths.map(|q| f64::from(q) / 100.0);
    assert_eq!(read.allowance.quota.as_ref().map(|q| q.cpus), quota, "{spec}");
    assert_eq!(read.allowance.memory.as_ref().map(|m| m.bytes), spec.memory_limit_bytes, "{spec}");
    let allowed = [&spec.affinity, &spec.cpuset]
        .into_iter()
        .flatten()
        .fold(online.clone(), |set, limit| if limit.intersects(&set) { set.intersection(limit) } else { set });
    assert_eq!(read.allowed(), allowed, "{spec}");
}

prop_compose! {
    fn shape()(
        packages in 1_u32..3, nodes in 1_u32..3, cores in 1_u32..4, smt in 1_u32..4,
        l2 in 1_u32..3, l3 in 0_u32..4, stride in 1_u32..3,
        numbering in proptest::sample::select(vec!["last", "adjacent", "interleaved"]),
    ) -> String {
        format!("package:{packages} node:{nodes} core:{cores} smt:{smt} l2:2M/{l2} l3:24M/{l3} stride:{stride} numbering:{numbering}")
    }
}

prop_compose! {
    fn limits()(
        cgroup in proptest::sample::select(vec!["v1", "v2"]),
        quota in proptest::option::of(1_u32..900), limit in proptest::option::of(1_u64..64),
        cpuset in proptest::option::of(proptest::collection::btree_set(0_u32..24, 1..12)),
        affinity in proptest::option::of(proptest::collection::btree_set(0_u32..24, 1..12)),
        offline in proptest::collection::btree_set(1_u32..24, 0..6),
        cpuless in 0_u32..3,
    ) -> String {
        let set = |numbers: std::collections::BTreeSet<u32>| numbers.into_iter().collect::<CpuSet>().to_string();
        let mut text = format!("cgroup:{cgroup} cpuless:{cpuless} offline:{}", set(offline));
        text += &quota.map(|q| format!(" quota:{}.{:02}", q / 100, q % 100)).unwrap_or_default();
        text += &limit.map(|g| format!(" limit:{g}G")).unwrap_or_default();
        text += &cpuset.map(|s| format!(" cpuset:{}", set(s))).unwrap_or_default();
        text + &affinity.map(|s| format!(" affinity:{}", set(s))).unwrap_or_default()
    }
}

proptest! {
    // Each case writes some hundred small files.
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_machine_written_is_the_machine_read(shape in shape(), limits in limits()) {
        let spec: MachineSpec = format!("{shape} {limits}").parse().unwrap();
        check(&spec);
    }

    #[test]
    fn a_specification_written_is_the_specification_read(shape in shape(), limits in limits()) {
        let spec: MachineSpec = format!("{shape} {limits} host:virtual load:3.5 governor:powersave").parse().unwrap();
        prop_assert_eq!(spec.to_string().parse::<MachineSpec>().unwrap(), spec);
    }
}

#[test]
fn a_large_machine_is_read_whole() {
    let read = topology("package:2 node:2 core:16 smt:2 l3:32M/8 memory:96G");
    assert_eq!((read.packages.len(), read.cores.len(), read.cpus.len()), (2, 64, 128));
    assert_eq!(caches(&read, 3, CacheKind::Unified).len(), 8);
    assert_eq!(read.memory.total_bytes, 4 * (96 << 30));
    assert_eq!(read.nodes[0].distances[&1], 15);
    assert_eq!(read.nodes[0].distances[&3], 21);
    assert_eq!(read.last_level_cache().unwrap().size_bytes, 32 << 20);
    assert_eq!(read.data_caches(0).iter().map(|c| c.name()).collect::<Vec<_>>(), ["L1d", "L2", "L3"]);
    assert_eq!(read.cpu(64).unwrap().core, 0);
    assert_eq!(read.cpu(300), None);
}

#[test]
fn a_wrong_specification_says_where() {
    let refusal = |text: &str| text.parse::<MachineSpec>().unwrap_err().to_string();
    assert!(refusal("core").contains("no key:value"));
    assert!(refusal("sockets:2").contains("no key \"sockets\""));
    assert!(refusal("core:0").contains("not a number from 1"));
    assert!(refusal("l3:many").contains("not a size"));
    assert!(refusal("cgroup:v3").contains("none, v1, v2, hybrid"));
    assert!(refusal("core:1 offline:0").contains("no processor is left online"));
}
