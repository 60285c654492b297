//! Kinds of core, by each kind of evidence.

use crate::paper::{paper, topology};

fn kinds(spec: &str) -> Vec<(String, usize)> {
    topology(spec).kinds.iter().map(|k| (k.name.clone(), k.cores.len())).collect()
}

fn hybrid(evidence: &str) -> Vec<(String, usize)> {
    kinds(&format!("core:6 smt:2 efficiency:8 evidence:{evidence}"))
}

#[test]
fn kinds_are_found_by_every_evidence() {
    let both = [("performance".to_owned(), 6), ("efficiency".to_owned(), 8)];
    assert_eq!(hybrid("events"), both);
    assert_eq!(hybrid("frequency"), both);
    assert_eq!(hybrid("capacity"), both);
    assert_eq!(hybrid("midr"), both);
}

#[test]
fn the_evidence_is_named() {
    assert!(topology("core:2 efficiency:4 evidence:events").kinds[1].evidence.contains("cpu_atom"));
    assert!(topology("core:2 efficiency:4 evidence:midr").kinds[0].evidence.contains("midr_el1"));
}

#[test]
fn each_core_knows_its_kind_and_efficiency_cores_share_a_second_level_cache() {
    let read = topology("core:2 smt:2 efficiency:8");
    let of_core: Vec<usize> = read.cores.iter().map(|c| c.kind).collect();
    assert_eq!(of_core, [0, 0, 1, 1, 1, 1, 1, 1, 1, 1]);
    let l2: Vec<usize> = read.caches.iter().filter(|c| c.level == 2).map(|c| c.cpus.len()).collect();
    assert_eq!(l2, [2, 2, 4, 4]);
}

#[test]
fn favoured_cores_are_no_kind_of_their_own() {
    let machine = paper("core:8 smt:2");
    machine.put_cpus(0..16, "cpufreq/cpuinfo_max_freq", "5000000\n");
    machine.put_cpus(0..2, "cpufreq/cpuinfo_max_freq", "5800000\n");
    assert_eq!(machine.topology().kinds.len(), 1);
}

#[test]
fn a_sibling_switched_off_makes_no_kind() {
    let machine = paper("core:4 smt:2 offline:7");
    for cpu in [0, 1, 2, 3, 4, 5, 6] {
        machine.put_cpus(cpu..cpu + 1, "cpufreq/cpuinfo_max_freq", "5000000\n");
    }
    assert_eq!(machine.topology().kinds.len(), 1);
}

#[test]
fn small_differences_of_capacity_make_no_kind_and_three_kinds_are_ordered() {
    let machine = paper("core:6");
    machine.put_cpus(0..6, "cpu_capacity", "1024\n").put_cpus(5..6, "cpu_capacity", "1000\n");
    assert_eq!(machine.topology().kinds.len(), 1);
    machine.put_cpus(0..3, "cpu_capacity", "300\n").put_cpus(3..5, "cpu_capacity", "800\n");
    let read = machine.topology();
    let seen: Vec<(&str, &[usize])> = read.kinds.iter().map(|k| (k.name.as_str(), &k.cores[..])).collect();
    assert_eq!(seen, [("performance", &[5][..]), ("middle", &[3, 4]), ("efficiency", &[0, 1, 2])]);
}

#[test]
fn kinds_are_told_apart_by_their_caches_where_the_kernel_tells_nothing_else() {
    // Intel's Lakefield: four Tremont cores on one second-level cache, and a Sunny Cove core with a smaller one.
    let lakefield = paper("core:5 l1d:32K l2:1536K/4 l3:4M");
    lakefield.put_cpus(4..5, "cache/index0/size", "48K\n").put_cpus(4..5, "cache/index2/size", "512K\n");
    let seen = |machine: &crate::paper::Paper| -> Vec<(String, Vec<usize>)> {
        machine.topology().kinds.iter().map(|k| (k.name.clone(), k.cores.clone())).collect()
    };
    let by_size = [
        ("L1i 32 KiB, L1d 32 KiB, L2 1536 KiB".to_owned(), vec![0, 1, 2, 3]),
        ("L1i 32 KiB, L1d 48 KiB, L2 512 KiB".to_owned(), vec![4]),
    ];
    assert_eq!(seen(&lakefield), by_size);
    // Frequencies too alike to make a kind still say which one is the faster.
    lakefield.put_cpus(0..4, "cpufreq/cpuinfo_max_freq", "2800000\n");
    lakefield.put_cpus(4..5, "cpufreq/cpuinfo_max_freq", "3000000\n");
    let by_speed = [("performance".to_owned(), vec![4]), ("efficiency".to_owned(), vec![0, 1, 2, 3])];
    assert_eq!(seen(&lakefield), by_speed);
}

#[test]
fn a_cache_that_some_cores_do_not_list_makes_no_kind() {
    let machine = paper("core:4 l2:1M/1");
    machine.remove("sys/devices/system/cpu/cpu1/cache").remove("sys/devices/system/cpu/cpu3/cache/index2");
    assert_eq!(machine.topology().kinds.len(), 1);
}

#[test]
fn favoured_cores_of_a_kind_stay_in_it() {
    // NVIDIA's GB10 without its identification registers: two kinds, the faster one with three capacities.
    let gb10 = paper("core:20 l2:512K/1");
    gb10.put_cpus(0..20, "cpu_capacity", "718\n").put_cpus(0..20, "cpufreq/cpuinfo_max_freq", "2808000\n");
    for fast in [5..10, 15..20] {
        gb10.put_cpus(fast.clone(), "cpu_capacity", "997\n").put_cpus(fast.clone(), "cache/index2/size", "2048K\n");
        gb10.put_cpus(fast, "cpufreq/cpuinfo_max_freq", "3900000\n");
    }
    gb10.put_cpus(15..19, "cpu_capacity", "1017\n").put_cpus(19..20, "cpu_capacity", "1024\n");
    let read = gb10.topology();
    let seen: Vec<(&str, usize)> = read.kinds.iter().map(|k| (k.name.as_str(), k.cores.len())).collect();
    assert_eq!(seen, [("performance", 10), ("efficiency", 10)]);
    assert_eq!(read.kinds[0].cores, [5, 6, 7, 8, 9, 15, 16, 17, 18, 19]);
}

#[test]
fn event_sources_that_leave_cores_out_are_not_believed() {
    let machine = paper("core:2 efficiency:4 evidence:events");
    machine.put("sys/devices/cpu_atom/cpus", "2\n");
    assert_eq!(machine.topology().kinds.len(), 1);
}
