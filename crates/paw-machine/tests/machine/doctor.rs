//! Each check decides by its file alone, names it, and says UNKNOWN where the file does not tell.

use std::collections::BTreeSet;

use paw_machine::doctor::{CHECKS, Examined, Finding, Level, Step, examine};

use crate::paper::{Paper, paper};

/// The finding of one check.
pub fn found(machine: &Paper, id: &str) -> Finding {
    let all = examine(&machine.root, &machine.topology());
    let mut own = all.into_iter().filter(|examined| examined.id == id).map(|examined| examined.finding);
    own.next().unwrap_or_else(|| panic!("there is no check {id}"))
}

/// The settings that a finding recommends, as `path=value`.
fn writes(finding: &Finding) -> Vec<String> {
    let steps = finding.steps.iter().filter_map(|step| match step {
        Step::Write(setting) => Some(format!("{}={}", setting.path, setting.value)),
        Step::Command(_) => None,
    });
    steps.collect()
}

/// Replaces files of a quiet machine, and holds the level of a check against what is expected.
fn check(id: &str, files: &[(&str, &str)], level: Level) -> Finding {
    let machine = paper("governor:performance core:4 package:2");
    for (path, text) in files {
        machine.put(path, &format!("{text}\n"));
    }
    let finding = found(&machine, id);
    assert_eq!(finding.level, level, "{id} with {files:?}: {finding:?}");
    finding
}

#[test]
fn a_switch_is_judged_by_its_value() {
    use Level::{Info, Ok, Warn};
    let cpu = "sys/devices/system/cpu";
    for (id, path, values) in [
        ("boost", format!("{cpu}/cpufreq/boost"), [("1", Info), ("0", Ok)]),
        ("boost", format!("{cpu}/intel_pstate/no_turbo"), [("0", Info), ("1", Ok)]),
        (
            "thp",
            "sys/kernel/mm/transparent_hugepage/enabled".into(),
            [("[always] madvise never", Info), ("always [madvise] never", Ok)],
        ),
        (
            "thp-defrag",
            "sys/kernel/mm/transparent_hugepage/defrag".into(),
            [("[always] defer", Info), ("always [defer]", Ok)],
        ),
        ("ksm", "sys/kernel/mm/ksm/run".into(), [("1", Info), ("0", Ok)]),
        ("numa-balancing", "proc/sys/kernel/numa_balancing".into(), [("1", Warn), ("0", Ok)]),
        ("aslr", "proc/sys/kernel/randomize_va_space".into(), [("0", Info), ("2", Ok)]),
        ("perf-access", "proc/sys/kernel/perf_event_paranoid".into(), [("2", Info), ("-1", Ok)]),
        ("nmi-watchdog", "proc/sys/kernel/nmi_watchdog".into(), [("1", Info), ("0", Ok)]),
        ("rt-throttle", "proc/sys/kernel/sched_rt_runtime_us".into(), [("950000", Info), ("-1", Ok)]),
        ("autogroup", "proc/sys/kernel/sched_autogroup_enabled".into(), [("1", Info), ("0", Ok)]),
        ("isolation", format!("{cpu}/isolated"), [("8-9", Info), ("2-3", Ok)]),
        ("hardware-counters", "sys/bus/event_source/devices/software/type".into(), [("1", Info), ("1", Info)]),
        (
            "mitigations",
            format!("{cpu}/vulnerabilities/spectre_v2"),
            [("Mitigation: IBRS", Info), ("Not affected", Ok)],
        ),
        ("steal", "proc/stat".into(), [("cpu 50 0 0 40 0 0 0 10", Warn), ("cpu 50 0 0 950 0 0 0 1", Ok)]),
        (
            "limits",
            "proc/self/limits".into(),
            [
                ("Max cpu time  60  60  s", Warn),
                ("Max cpu time  unlimited  x  seconds\nMax stack size  unlimited  x  bytes", Ok),
            ],
        ),
    ] {
        for (value, level) in values {
            let finding = check(id, &[(&path, value)], level);
            assert_eq!(finding.action.is_empty(), level == Ok, "{id}: {finding:?}");
            let named = &finding.path;
            assert!(format!("/{path}").starts_with(named), "{id} names {}", finding.path);
        }
    }
}

#[test]
fn several_files_decide_together() {
    use Level::{Info, Ok, Warn};
    let zone = |temperature| {
        [
            ("sys/class/thermal/thermal_zone0/temp", temperature),
            ("sys/class/thermal/thermal_zone0/trip_point_0_type", "passive"),
            ("sys/class/thermal/thermal_zone0/trip_point_0_temp", "95000"),
        ]
    };
    check("temperature", &zone("96000"), Warn);
    check("temperature", &zone("45000"), Ok);
    let pressure = |cpu, memory| [("proc/pressure/cpu", cpu), ("proc/pressure/memory", memory)];
    let (calm, tight) = ("some avg10=0.10 avg60=9", "some avg10=42.10 avg60=1");
    check("pressure", &pressure(tight, calm), Warn);
    check("pressure", &pressure(calm, tight), Warn);
    check("pressure", &pressure(calm, calm), Ok);
    let power = |online| {
        [
            ("sys/class/power_supply/AC/type", "Mains"),
            ("sys/class/power_supply/AC/online", online),
            ("sys/class/power_supply/BAT0/type", "Battery"),
        ]
    };
    check("mains-power", &power("0"), Warn);
    check("mains-power", &power("1"), Ok);
    check(
        "mains-power",
        &[("sys/class/power_supply/mouse/type", "Battery"), ("sys/class/power_supply/mouse/scope", "Device")],
        Ok,
    );
    let net = |packets| [("proc/net/dev", packets), ("proc/uptime", "100.0 90.0")];
    let busy =
        "Inter-| Receive\n lo: 9 99999999 0 0 0 0 0 0 9 99999999 0\neth0: 9 400000 0 0 0 0 0 0 9 100000 0 0 0 0 0 0";
    check("network", &net(busy), Info);
    check("network", &net("lo: 9 99999999 0 0 0 0 0 0 9 99999999 0"), Ok);
    let irqs = |list| [("proc/irq/24/smp_affinity_list", list), ("proc/1/comm", "init"), ("proc/2/comm", "irqbalance")];
    let finding = check("irqs", &irqs("0-3"), Info);
    assert!(finding.cause.contains("processors 0-3") && finding.cause.contains("irqbalance"), "{finding:?}");
    check("irqs", &irqs("900"), Ok);
    let session = |program| [("proc/2/comm", "kthreadd"), ("proc/77/comm", program)];
    check("graphical-session", &session("Xorg"), Warn);
    check("graphical-session", &session("bash"), Ok);
    let swap = |swappiness| {
        [
            ("proc/meminfo", "MemTotal: 8388608 kB\nSwapTotal: 2048 kB\nSwapFree: 2048 kB"),
            ("proc/sys/vm/swappiness", swappiness),
        ]
    };
    check("swappiness", &swap("60"), Info);
    check("swappiness", &swap("10"), Ok);
    let clocks = |least, most| {
        [
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq", least),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", most),
            ("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3000000"),
        ]
    };
    check("frequency-limits", &clocks("800000", "2000000"), Info);
    check("frequency-limits", &clocks("2000000", "2000000"), Ok);
    check("frequency-limits", &clocks("800000", "3000000"), Ok);
}

#[test]
fn settings_are_written_where_they_were_found() {
    let cpu = "sys/devices/system/cpu";
    let machine = paper("governor:powersave core:2");
    for policy in ["policy0", "policy1"] {
        machine.put(&format!("{cpu}/cpufreq/{policy}/scaling_governor"), "powersave\n");
    }
    let governor = |policy| format!("/{cpu}/cpufreq/{policy}/scaling_governor=performance");
    assert_eq!(writes(&found(&machine, "governor")), ["policy0", "policy1"].map(governor));
    machine.put(&format!("{cpu}/cpuidle/current_driver"), "intel_idle\n");
    for (state, latency) in [("state0", "0"), ("state1", "2"), ("state2", "170")] {
        machine.put(&format!("{cpu}/cpu1/cpuidle/{state}/latency"), latency);
        machine.put(&format!("{cpu}/cpu1/cpuidle/{state}/disable"), "0\n");
    }
    let idle = found(&machine, "idle-states");
    assert_eq!((writes(&idle), idle.level), (vec![format!("/{cpu}/cpu1/cpuidle/state2/disable=1")], Level::Info));
    machine.put(&format!("{cpu}/intel_pstate/no_turbo"), "0\n");
    assert_eq!(writes(&found(&machine, "boost")), [format!("/{cpu}/intel_pstate/no_turbo=1")]);
}

#[test]
fn a_threaded_core_is_told_from_one_that_is_not() {
    assert_eq!(found(&paper("core:2 smt:2"), "smt").level, Level::Info);
    assert_eq!(found(&paper("core:2"), "smt").level, Level::Ok);
}

#[test]
fn what_a_machine_does_not_say_is_unknown_with_its_file_and_a_reason() {
    let machine = paper("core:1");
    for directory in ["proc", "sys/devices/system/node", "sys/devices/system/cpu/smt"] {
        machine.remove(directory);
    }
    // The topology is always there, and whether frequencies are shown is what that check is about.
    let always = ["hybrid", "strange-topology", "governor"];
    for Examined { id, finding, .. } in examine(&machine.root, &machine.topology()) {
        let expected =
            if always.contains(&id) { finding.level != Level::Unknown } else { finding.level == Level::Unknown };
        assert!(expected, "{id}: {finding:?}");
        assert!(
            finding.path.starts_with('/') && (finding.level != Level::Unknown || !finding.cause.is_empty()),
            "{id}: {finding:?}"
        );
    }
}

#[test]
fn what_is_garbled_is_unknown_and_nothing_panics() {
    for garbage in
        ["", "\u{fffd}\u{7f}", "-", "99999999999999999999999999", "some avg10=x", "cpu x y", "[", "max stack"]
    {
        let machine = paper("core:2 governor:performance");
        let files = [
            "proc/loadavg",
            "proc/stat",
            "proc/pressure/cpu",
            "proc/sys/kernel/perf_event_paranoid",
            "proc/self/limits",
            "proc/net/dev",
            "proc/uptime",
            "sys/devices/system/cpu/cpufreq/boost",
            "proc/sys/vm/swappiness",
            "sys/devices/system/cpu/isolated",
            "proc/irq/1/smp_affinity_list",
        ];
        for path in files {
            machine.put(path, garbage);
        }
        for id in ["steal", "pressure", "boost"] {
            assert_eq!(found(&machine, id).level, Level::Unknown, "{id} with {garbage:?}");
        }
    }
}

#[test]
fn every_check_has_an_id_of_its_own_and_says_what_it_does() {
    let ids: BTreeSet<&str> = CHECKS.iter().map(|check| check.id).collect();
    assert_eq!(ids.len(), CHECKS.len());
    for check in CHECKS {
        assert!(check.id.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{}", check.id);
        assert!(
            !check.effect.is_empty() && check.size.is_none_or(|size| size.contains(|c: char| c.is_ascii_digit())),
            "{}",
            check.id
        );
    }
}
