//! What kernels and firmware get wrong, and what is made of it.

use paw_machine::root::Root;
use paw_machine::topology::{Topology, TopologyError};

use crate::paper::{Paper, paper, topology};

fn cores_of(paper: &Paper) -> Vec<String> {
    paper.topology().cores.iter().map(|c| c.cpus.to_string()).collect()
}

fn caches_of(topology: &Topology, name: &str) -> Vec<String> {
    topology.caches.iter().filter(|c| c.name() == name).map(|c| c.cpus.to_string()).collect()
}

#[test]
fn a_cache_whose_sharers_are_not_told_belongs_to_the_core() {
    for (file, nothing) in [
        ("cache/index2/shared_cpu_list", "\n"),
        ("cache/index2/shared_cpu_map", "00000000,00000000\n"),
        ("cache/index2/shared_cpu_map", "\n"),
    ] {
        let machine = paper("core:2 smt:2 l2:1M/2");
        for cpu in 0..4 {
            machine.remove(&format!("sys/devices/system/cpu/cpu{cpu}/cache/index2/shared_cpu_list"));
        }
        machine.put_cpus(0..4, file, nothing);
        assert_eq!(caches_of(&machine.topology(), "L2"), ["0,2", "1,3"], "{file} {nothing:?}");
    }
}

#[test]
fn a_mask_serves_where_the_list_is_empty() {
    let machine = paper("core:2 l2:1M/2");
    machine.put_cpus(0..2, "cache/index2/shared_cpu_list", "\n").put_cpus(0..2, "cache/index2/shared_cpu_map", "3\n");
    assert_eq!(caches_of(&machine.topology(), "L2"), ["0-1"]);
}

#[test]
fn a_mask_that_contradicts_its_list_is_believed() {
    let machine = paper("core:4 l2:1M/2");
    machine.put_cpus(0..4, "cache/index2/shared_cpu_map", "f\n").put_cpus(2..4, "topology/core_siblings", "f\n");
    let read = machine.topology();
    assert_eq!(caches_of(&read, "L2"), ["0-3"]);
    let [note] = &read.notes[..] else { panic!("{:?}", read.notes) };
    let said = "cpu0/cache/index2: shared_cpu_list says 0-1, shared_cpu_map says 0-3: the mask is believed";
    assert!(note.ends_with(said), "{note}");

    let node = paper("package:2 core:2");
    node.put("sys/devices/system/node/node0/cpumap", "00000000,00000001\n");
    assert_eq!(node.topology().nodes[0].cpus.to_string(), "0");
}

#[test]
fn caches_that_claim_each_others_processors_are_left_to_the_first() {
    let machine = paper("core:2 l2:1M/1");
    machine.put("sys/devices/system/cpu/cpu1/cache/index2/shared_cpu_list", "0-1\n");
    let read = machine.topology();
    assert_eq!(caches_of(&read, "L2"), ["0", "1"]);
    assert!(read.notes[0].contains("L2 of processor 1 claims processors 0"), "{:?}", read.notes);
}

#[test]
fn a_cache_without_size_or_kind_is_left_out() {
    let machine = paper("core:1");
    machine.put_cpus(0..1, "cache/index3/size", "0K\n").put_cpus(0..1, "cache/index2/type", "Unknown\n");
    let read = machine.topology();
    assert_eq!(read.caches.iter().map(|c| c.name()).collect::<Vec<_>>(), ["L1d", "L1i"]);
}

#[test]
fn a_machine_without_cache_files_has_no_caches() {
    let machine = paper("core:2");
    machine.remove("sys/devices/system/cpu/cpu0/cache").remove("sys/devices/system/cpu/cpu1/cache");
    assert!(machine.topology().caches.is_empty());
    assert_eq!(machine.topology().last_level_cache(), None);
}

#[test]
fn packages_numbered_minus_one_are_told_apart_by_their_siblings() {
    let machine = paper("package:2 core:2");
    machine.put_cpus(0..4, "topology/physical_package_id", "-1\n");
    let read = machine.topology();
    let packages: Vec<String> = read.packages.iter().map(|p| p.cpus.to_string()).collect();
    assert_eq!(packages, ["0-1", "2-3"]);
    assert_eq!(read.packages[0].id, None);
}

#[test]
fn one_package_number_given_twice_is_two_packages() {
    let machine = paper("package:2 core:2");
    machine.put_cpus(0..4, "topology/physical_package_id", "0\n");
    assert_eq!(machine.topology().packages.len(), 2);
}

#[test]
fn package_numbers_decide_where_siblings_are_missing_or_contradict() {
    let missing = paper("package:2 core:2");
    missing.put_cpus(0..4, "topology/core_siblings_list", "\n").put_cpus(0..4, "topology/core_siblings", "0\n");
    let read = missing.topology();
    assert_eq!((read.packages.len(), read.notes.len()), (2, 0));

    let contradicting = paper("package:2 core:2");
    contradicting.put("sys/devices/system/cpu/cpu1/topology/core_siblings_list", "1-2\n");
    let read = contradicting.topology();
    assert_eq!(read.packages.len(), 2);
    assert!(read.notes[0].contains("contradict each other"), "{:?}", read.notes);
}

#[test]
fn siblings_with_different_core_numbers_are_different_cores() {
    // The paired cores of AMD's family 15h share a front end.
    let machine = paper("core:1 smt:2");
    machine.put("sys/devices/system/cpu/cpu1/topology/core_id", "1\n");
    assert_eq!(cores_of(&machine), ["0", "1"]);
}

#[test]
fn core_numbers_decide_where_sibling_lists_are_missing() {
    let machine = paper("package:2 core:2 smt:2");
    machine.put_cpus(0..8, "topology/thread_siblings_list", "\n").put_cpus(0..8, "topology/thread_siblings", "0\n");
    assert_eq!(cores_of(&machine), ["0,4", "1,5", "2,6", "3,7"]);
    machine.put_cpus(0..8, "topology/core_id", "-1\n");
    assert_eq!(machine.topology().cores.len(), 8);
}

#[test]
fn newer_names_of_the_sibling_lists_are_read_first() {
    let machine = paper("core:2");
    machine.put_cpus(0..2, "topology/core_id", "0\n").put_cpus(0..2, "topology/core_cpus_list", "0-1\n");
    assert_eq!(cores_of(&machine), ["0-1"]);
}

#[test]
fn a_cluster_numbered_65535_is_none() {
    let machine = paper("core:2");
    machine.put("sys/devices/system/cpu/cpu1/topology/cluster_id", "8\n");
    let read = machine.topology();
    assert_eq!((read.cores[0].cluster, read.cores[1].cluster), (None, Some(8)));
}

#[test]
fn overlapping_nodes_leave_a_processor_to_the_first() {
    let machine = paper("package:2 core:2");
    machine.put("sys/devices/system/node/node1/cpulist", "0-3\n");
    let read = machine.topology();
    assert_eq!(read.nodes[1].cpus.to_string(), "2-3");
    assert_eq!(read.cpu(0).unwrap().node, Some(0));
    assert!(read.notes[0].contains("node 1 claims processors 0-1"), "{:?}", read.notes);
}

#[test]
fn nodes_may_lack_memory_or_processors_and_have_gaps_between_their_numbers() {
    let read = topology("package:2 core:2 memoryless:1 cpuless:2 memory:4G");
    let seen: Vec<(u32, usize, u64)> =
        read.nodes.iter().map(|n| (n.number, n.cpus.len(), n.visible_bytes >> 30)).collect();
    assert_eq!(seen, [(0, 2, 4), (1, 2, 0), (254, 0, 4), (255, 0, 4)]);
    assert_eq!(read.nodes[0].distances[&255], 21);
}

#[test]
fn initiators_of_a_node_are_those_that_firmware_names() {
    let machine = paper("package:2 core:2 cpuless:1 memory:4G");
    let initiators = "sys/devices/system/node/node255/access1/initiators";
    machine.put(&format!("{initiators}/node0/cpulist"), "0-1\n").put(&format!("{initiators}/read_latency"), "250\n");
    machine.put(&format!("{initiators}/read_bandwidth"), "64000\n");
    machine.put(&format!("{initiators}/write_bandwidth"), "0\n");
    machine.put("sys/devices/system/node/node255/access0/initiators/read_latency", "250\n");
    let read = machine.topology();
    assert!(read.nodes[0].access.is_empty());
    let [access] = &read.nodes[2].access[..] else { panic!("{:?}", read.nodes[2]) };
    assert_eq!((access.class, access.initiators.to_string().as_str()), (1, "0"));
    assert_eq!((access.latency_ns, access.bandwidth_mb_s), ((Some(250), None), (Some(64_000), None)));
    assert_eq!(read.nodes[2].free_bytes, Some(4 << 30));
}

#[test]
fn caches_of_memory_are_read_in_bytes_the_nearest_to_the_processors_first() {
    let machine = paper("package:1 core:2 memory:4G");
    let directory = "sys/devices/system/node/node0/memory_side_cache";
    for (level, size, indexing) in [(1, "17179869184", "0"), (2, "1048576", "1"), (3, "0", "0")] {
        machine.put(&format!("{directory}/index{level}/size"), &format!("{size}\n"));
        machine.put(&format!("{directory}/index{level}/indexing"), &format!("{indexing}\n"));
        machine.put(&format!("{directory}/index{level}/line_size"), "64\n");
    }
    machine.put(&format!("{directory}/uevent"), "");
    let read = machine.topology();
    let seen: Vec<_> = read.nodes[0].side_caches.iter().map(|c| (c.level, c.size_bytes, c.is_direct_mapped)).collect();
    assert_eq!(seen, [(2, 1 << 20, Some(false)), (1, 16 << 30, Some(true))], "one of no size is none");
    assert_eq!(read.nodes[0].side_caches[0].line_bytes, Some(64));
}

#[test]
fn without_node_files_the_machine_is_one_node() {
    let machine = paper("package:2 core:2 memory:4G");
    machine.remove("sys/devices/system/node");
    let read = machine.topology();
    assert_eq!(read.nodes.len(), 1);
    assert_eq!((read.nodes[0].cpus.to_string().as_str(), read.nodes[0].visible_bytes), ("0-3", 8 << 30));
    assert_eq!(read.nodes[0].distances[&0], 10);
}

#[test]
fn a_node_without_a_list_is_read_from_its_mask() {
    let machine = paper("core:2");
    machine.remove("sys/devices/system/node/node0/cpulist").put("sys/devices/system/node/node0/cpumap", "3\n");
    assert_eq!(machine.topology().nodes[0].cpus.to_string(), "0-1");
}

#[test]
fn memory_is_the_machines_and_not_the_sum_over_nodes() {
    let machine = paper("core:1 memory:24G");
    machine.put("sys/devices/system/node/node0/meminfo", "Node 0 MemTotal:  4194304 kB\n");
    let read = machine.topology();
    assert_eq!((read.memory.total_bytes >> 30, read.nodes[0].visible_bytes >> 30), (24, 4));
    assert_eq!(read.memory.available_bytes >> 30, 18);
}

#[test]
fn an_offline_processor_is_in_no_core_and_counts_apart() {
    let read = topology("core:2 smt:2 offline:3");
    assert_eq!((read.offline.to_string().as_str(), read.cpus.len(), read.cores.len()), ("3", 3, 2));
    assert_eq!(read.cores[1].cpus.to_string(), "1");
}

#[test]
fn without_the_list_of_online_processors_each_is_asked() {
    let machine = paper("core:4 offline:2");
    machine.remove("sys/devices/system/cpu/online");
    assert_eq!(machine.topology().online().to_string(), "0-1,3");
}

#[test]
fn processors_without_topology_files_are_cores_of_one_package() {
    let machine = paper("package:2 core:2");
    for cpu in 0..4 {
        machine.remove(&format!("sys/devices/system/cpu/cpu{cpu}/topology"));
    }
    let read = machine.topology();
    assert_eq!((read.packages.len(), read.cores.len()), (1, 4));
}

#[test]
fn a_hidden_sys_leaves_cpuinfo() {
    let machine = paper("core:3");
    machine.remove("sys");
    machine
        .put("proc/cpuinfo", "processor: 0\nphysical id: 0\ncore id: 0\n\nprocessor: 1\nphysical id: 1\ncore id: 0\n");
    let read = machine.topology();
    assert_eq!((read.packages.len(), read.cores.len(), read.cpus.len()), (2, 2, 2));
    assert!(read.notes[0].contains("/sys/devices/system/cpu is hidden"), "{:?}", read.notes);
}

#[test]
fn nothing_at_all_is_an_error_that_names_the_root() {
    let empty = tempfile::tempdir().unwrap();
    let error = Topology::read(&Root::at(empty.path())).unwrap_err();
    assert!(matches!(error, TopologyError::NoProcessor { .. }));
    assert!(error.to_string().contains(empty.path().to_str().unwrap()));
}
