//! A check says OK only where a file says so: never by default.

use std::fs;

use paw_machine::doctor::{CHECKS, Examined, Level, examine};
use paw_machine::root::Root;
use paw_machine::topology::Topology;

use crate::doctor::found;
use crate::paper::{Paper, folder, paper};

#[test]
fn nothing_is_ok_on_a_machine_that_says_nothing() {
    for cpuinfo in [
        "processor\t: 0\nmodel name\t: X\n\nprocessor\t: 1\n",
        "processor\t: 0\nvendor_id\t: GenuineIntel\n\nprocessor\t: 1\nvendor_id\t: GenuineIntel\n",
        "processor\t: 0\nvendor_id\t: AuthenticAMD\nflags\t\t:\n\nprocessor\t: 1\n",
        "processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n\nprocessor\t: 1\n",
    ] {
        let directory = folder();
        fs::create_dir(directory.path().join("proc")).unwrap();
        fs::write(directory.path().join("proc/cpuinfo"), cpuinfo).unwrap();
        let root = Root::at(directory.path());
        let findings = examine(&root, &Topology::read(&root).unwrap());
        assert_eq!(findings.len(), CHECKS.len());
        for Examined { id, finding, .. } in findings {
            // That frequencies are hidden, and /sys, is what these two have to say.
            let is_said = ["governor", "strange-topology"].contains(&id);
            let expected = if is_said { Level::Warn } else { Level::Unknown };
            assert_eq!(finding.level, expected, "{id} of {cpuinfo:?}: {finding:?}");
        }
    }
}

#[test]
fn what_is_said_by_half_is_not_ok() {
    let cpu = "sys/devices/system/cpu";
    for (id, path, text) in [
        ("idle-states", format!("{cpu}/cpuidle/current_driver"), "intel_idle"),
        ("cpu-quota", "proc/self/cgroup".into(), "0::/batch/job"),
        ("memory-limit", "proc/self/cgroup".into(), "0::/batch/job"),
        ("fewer-processors", "proc/self/status".into(), "Name:\tpaper"),
        ("limits", "proc/self/limits".into(), "Max stack size  unlimited  unlimited  bytes"),
        ("limits", "proc/self/limits".into(), "Limit  Soft Limit  Hard Limit  Units"),
        ("pressure", "proc/pressure/cpu".into(), "some avg10=0.00 avg60=0.00"),
        ("temperature", "sys/class/thermal/thermal_zone0/temp".into(), "109000"),
        ("thermal-throttling", format!("{cpu}/cpu0/thermal_throttle/core_throttle_count"), "?"),
        ("network", "proc/net/dev".into(), "Inter-"),
        ("smt", format!("{cpu}/smt/control"), "?"),
        ("ksm", "sys/kernel/mm/ksm/run".into(), "?"),
        ("thp", "sys/kernel/mm/transparent_hugepage/enabled".into(), "?"),
        ("thp-defrag", "sys/kernel/mm/transparent_hugepage/defrag".into(), "?"),
        ("graphical-session", "proc/77/comm".into(), "bash"),
        ("mains-power", "sys/class/power_supply/BAT0/status".into(), "Discharging"),
        ("mitigations", format!("{cpu}/vulnerabilities/spectre_v2"), ""),
        ("variable-tsc", "proc/cpuinfo".into(), "vendor_id\t: GenuineIntel"),
        ("virtual-machine", "proc/cpuinfo".into(), "vendor_id\t: GenuineIntel"),
    ] {
        let machine = paper("core:2 governor:performance");
        machine.put("proc/uptime", "100.0 90.0\n").put(&path, &format!("{text}\n"));
        let finding = found(&machine, id);
        assert!(finding.level == Level::Unknown && !finding.cause.is_empty(), "{id} with {text}: {finding:?}");
    }
}

#[test]
fn what_is_assumed_of_a_machine_is_no_finding() {
    let hidden_nodes = paper("core:2 package:2");
    hidden_nodes.put("proc/sys/kernel/numa_balancing", "1\n").remove("sys/devices/system/node");
    let hidden_cores = paper("core:2");
    hidden_cores.put("sys/devices/system/cpu/smt/control", "on\n");
    for cpu in ["cpu0", "cpu1"] {
        for directory in ["topology", "cache"] {
            hidden_cores.remove(&format!("sys/devices/system/cpu/{cpu}/{directory}"));
        }
    }
    for (machine, ids) in [
        (&hidden_nodes, &["numa-balancing", "lazy-memory"][..]),
        (&hidden_cores, &["smt", "hybrid", "strange-topology"]),
    ] {
        for id in ids {
            assert_eq!(found(machine, id).level, Level::Unknown, "{id}: {:?}", found(machine, id));
        }
    }
}

#[test]
fn cores_are_alike_where_they_tell_what_kinds_would_differ_in() {
    let told = |spec: &str| found(&paper(spec), "hybrid");
    for spec in ["core:1", "core:2", "core:2 smt:2", "package:2 core:2"] {
        assert_eq!(told(spec).level, Level::Ok, "{spec}");
    }
    for (file, text) in [
        ("cpu_capacity", "1024\n"),
        ("cpufreq/cpuinfo_max_freq", "3000000\n"),
        ("regs/identification/midr_el1", "0x00000000410fd4f1\n"),
    ] {
        let machine = paper("core:2");
        machine.put_cpus(0..1, file, text);
        machine.remove("sys/devices/system/cpu/cpu0/cache").remove("sys/devices/system/cpu/cpu1/cache");
        assert_eq!(found(&machine, "hybrid").level, Level::Unknown, "{file} of one core");
        machine.put_cpus(0..2, file, text);
        assert_eq!(found(&machine, "hybrid").level, Level::Ok, "{file} of both");
    }
}

#[test]
fn a_hypervisor_is_ruled_out_by_the_flags_of_x86_alone() {
    let level = |machine: &Paper| found(machine, "virtual-machine").level;
    assert_eq!(level(&paper("core:1")), Level::Ok);
    assert_eq!(level(&paper("core:1 host:virtual")), Level::Warn);
    let arm = paper("core:2 efficiency:2 evidence:midr");
    assert_eq!(level(&arm), Level::Unknown);
    arm.put("sys/class/dmi/id/sys_vendor", "QEMU\n");
    assert_eq!(level(&arm), Level::Warn);
    let other = paper("core:1");
    other.put("proc/cpuinfo", "processor : 0\nvendor_id : CentaurHauls\nflags : lm hypervisor\n");
    assert_eq!(level(&other), Level::Warn);
}

#[test]
fn a_group_that_is_shown_and_limits_nothing_is_ok() {
    for spec in ["cgroup:v1", "cgroup:v2"] {
        let machine = paper(&format!("core:2 {spec}"));
        for id in ["cpu-quota", "memory-limit"] {
            let finding = found(&machine, id);
            assert!(finding.level == Level::Ok && finding.path.starts_with("/sys/fs/cgroup/"), "{id}: {finding:?}");
        }
    }
}
