//! Each thing that spoils measurements is one caveat, with cause and action.

use paw_machine::doctor::caveats;

use crate::paper::{Paper, paper};

fn ids(machine: &Paper) -> Vec<String> {
    caveats(&machine.root, &machine.topology()).into_iter().map(|c| c.id).collect()
}

#[test]
fn a_quiet_machine_under_control_has_no_caveat() {
    assert!(ids(&paper("package:2 core:8 smt:2 governor:performance")).is_empty());
}

#[test]
fn each_spoiler_has_its_caveat() {
    let quiet = "governor:performance core:4";
    for (words, id) in [
        ("host:virtual", "virtual-machine"),
        ("cgroup:v1 quota:2", "cpu-quota"),
        ("load:2.5", "load"),
        ("affinity:0-1", "fewer-processors"),
        ("cgroup:v2 cpuset:3", "fewer-processors"),
        ("cgroup:v2 limit:1G", "memory-limit"),
        ("efficiency:4", "hybrid"),
        ("governor:powersave", "governor"),
    ] {
        assert_eq!(ids(&paper(&format!("{quiet} {words}"))), [id], "{words}");
    }
    assert_eq!(ids(&paper("core:4")), ["governor"]);
}

#[test]
fn files_that_speak_of_trouble_have_their_caveat() {
    for (path, text, id) in [
        ("sys/fs/cgroup/batch/job/cpu.stat", "nr_throttled 44\n", "quota-throttled"),
        ("sys/devices/system/node/node0/meminfo", "Node 0 MemTotal: 4194304 kB\n", "lazy-memory"),
        ("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n", "clocksource"),
        ("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "3\n", "thermal-throttling"),
        ("proc/cpuinfo", "vendor_id: AuthenticAMD\nflags: lm sse2\n", "variable-tsc"),
        ("sys/devices/system/cpu/cpu1/topology/core_siblings_list", "0\n", "strange-topology"),
    ] {
        let machine = paper("governor:performance core:4 cgroup:v2");
        machine.put(path, text);
        assert_eq!(ids(&machine), [id], "{path}");
    }
    let swapping = paper("governor:performance core:1");
    swapping.put("proc/meminfo", "MemTotal: 8388608 kB\nSwapTotal: 2048 kB\nSwapFree: 1024 kB\n");
    assert_eq!(ids(&swapping), ["swap"]);
}

#[test]
fn numa_balancing_matters_where_there_are_nodes() {
    let two = paper("governor:performance package:2");
    two.put("proc/sys/kernel/numa_balancing", "1\n");
    assert_eq!(ids(&two), ["numa-balancing"]);
    let one = paper("governor:performance");
    one.put("proc/sys/kernel/numa_balancing", "1\n");
    assert!(ids(&one).is_empty());
}

#[test]
fn a_quota_above_what_there_is_spoils_nothing() {
    assert!(ids(&paper("governor:performance core:2 cgroup:v2 quota:4")).is_empty());
}

#[test]
fn the_most_serious_come_first_and_every_caveat_is_complete() {
    let machine = paper("host:virtual load:4 cgroup:v2 quota:0.5");
    let found = caveats(&machine.root, &machine.topology());
    let ids: Vec<&str> = found.iter().map(|c| c.id.as_str()).collect();
    assert_eq!(ids, ["cpu-quota", "load", "governor", "virtual-machine"]);
    assert!(found.iter().all(|c| !c.cause.is_empty() && !c.action.is_empty()));
    assert!(found[0].cause.contains("use 0.50 of its 1 processors"), "{}", found[0].cause);
}
