//! The state's readings, and which of their changes matter.

use std::collections::BTreeMap;

use paw_machine::state::{STATE_ITEMS, Significance, changes, state};

use crate::paper::{Paper, paper};

fn reading(machine: &Paper, name: &str) -> Option<String> {
    state(&machine.root, &machine.topology()).remove(name)
}

#[test]
fn readings_come_from_the_kernels_files() {
    let machine = paper("core:2 load:3.25 governor:powersave cgroup:v2 quota:1.5 host:virtual");
    let files = [
        ("proc/sys/kernel/numa_balancing", "1\n", "numa_balancing", "1"),
        ("proc/sys/kernel/randomize_va_space", "2\n", "aslr", "2"),
        ("proc/sys/kernel/perf_event_paranoid", "-1\n", "perf_event_paranoid", "-1"),
        ("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n", "thp", "madvise"),
        ("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n", "clocksource", "tsc"),
        ("proc/pressure/cpu", "some avg10=42.10 avg60=1 avg300=1 total=5\n", "pressure_cpu_10s_percent", "42.10"),
        ("proc/stat", "cpu  1 2 3 4 5 6 7 88 0 0\ncpu0 1 2 3 4 5 6 7 88 0 0\n", "steal_ticks", "88"),
        ("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n", "boost", "off"),
        ("sys/class/thermal/thermal_zone0/temp", "61400\n", "temperature_c", "61"),
        ("proc/self/limits", "Max stack size            8388608   unlimited   bytes\n", "stack_limit_bytes", "8388608"),
        ("sys/bus/event_source/devices/cpu/type", "4\n", "pmu", "cpu"),
        ("sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n", "mitigations", "meltdown"),
        ("run/.containerenv", "", "container", "podman"),
    ];
    for (path, text, name, expected) in files {
        machine.put(path, text);
        assert_eq!(reading(&machine, name).as_deref(), Some(expected), "{name}");
    }
    for (name, expected) in [
        ("governor", "powersave"),
        ("load_1min", "3.25"),
        ("tasks_running", "1"),
        ("cpu_quota_cpus", "1.5"),
        ("quota_throttled", "0"),
        ("cpus_allowed", "0-1"),
        ("smt", "notsupported"),
        ("virtualization", "unnamed hypervisor"),
        ("microcode", "0x2b"),
        ("tsc", "invariant"),
        ("frequency_mhz", "2000"),
    ] {
        assert_eq!(reading(&machine, name).as_deref(), Some(expected), "{name}");
    }
}

#[test]
fn governors_that_differ_are_all_told_and_throttle_counts_are_summed() {
    let machine = paper("core:4 governor:performance");
    machine.put_cpus(3..4, "cpufreq/scaling_governor", "powersave\n");
    assert_eq!(reading(&machine, "governor").as_deref(), Some("performance x3, powersave x1"));
    machine.put_cpus(0..4, "thermal_throttle/core_throttle_count", "2\n");
    assert_eq!(reading(&machine, "throttle_core").as_deref(), Some("8"));
    machine.put_cpus(0..4, "cpufreq/scaling_cur_freq", "3000000\n");
    assert_eq!(reading(&machine, "frequency_mhz").as_deref(), Some("3000"));
}

#[test]
fn what_is_not_told_is_absent() {
    let machine = paper("core:1");
    for name in ["governor", "boost", "throttle_core", "thp", "cpu_quota_cpus", "pmu", "container", "cpus_offline"] {
        assert_eq!(reading(&machine, name), None, "{name}");
    }
}

#[test]
fn every_reading_is_in_the_table() {
    let machine = paper("core:2 cgroup:v2 quota:1 limit:1G governor:performance load:1 offline:1");
    let read = state(&machine.root, &machine.topology());
    let unknown: Vec<&String> = read.keys().filter(|name| STATE_ITEMS.iter().all(|r| r.name != *name)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    let names: std::collections::BTreeSet<&str> = STATE_ITEMS.iter().map(|r| r.name).collect();
    assert_eq!(names.len(), STATE_ITEMS.len());
}

/// How a change is listed: `matters`, `noted`, or `none`.
fn weight(name: &str, before: &str, after: &str) -> &'static str {
    let one = |value: &str| BTreeMap::from([(name.to_owned(), value.to_owned())]);
    match changes(&one(before), &one(after)).first().map(|c| c.weight) {
        Some(Significance::Matters) => "matters",
        Some(Significance::Noted) => "noted",
        None => "none",
    }
}

#[test]
fn a_change_matters_by_its_rule() {
    assert_eq!(weight("governor", "powersave", "performance"), "matters");
    assert_eq!(weight("governor", "performance", "performance"), "none");
    assert_eq!(weight("throttle_core", "4", "5"), "matters");
    assert_eq!(weight("throttle_core", "5", "4"), "noted");
    assert_eq!(weight("frequency_mhz", "3000", "3050"), "noted");
    assert_eq!(weight("frequency_mhz", "3000", "2500"), "matters");
    assert_eq!(weight("load_1min", "0.1", "9"), "noted");
    assert_eq!(weight("steal_ticks", "10", "40"), "matters");
    assert_eq!(weight("from_a_newer_version", "a", "b"), "matters");
    assert_eq!(weight("frequency_mhz", "3000", "fast"), "noted");
}

#[test]
fn what_matters_comes_first_and_what_came_or_went_is_told() {
    let before = BTreeMap::from([("load_1min".to_owned(), "1".to_owned()), ("thp".to_owned(), "never".to_owned())]);
    let after = BTreeMap::from([("load_1min".to_owned(), "2".to_owned())]);
    let found = changes(&before, &after);
    assert_eq!(found.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["thp", "load_1min"]);
    assert_eq!((found[0].before.as_deref(), found[0].after.as_deref()), (Some("never"), None));
    assert_eq!(found[0].meaning, "transparent huge pages");
}
