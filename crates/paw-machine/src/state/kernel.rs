//! Settings of the kernel that move results.

use crate::root::{Root, chosen};
use crate::state::StateItems;

/// Files that hold one plain value: the item's name, and the file.
const PLAIN: &[(&str, &str)] = &[
    ("smt", "/sys/devices/system/cpu/smt/control"),
    ("numa_balancing", "/proc/sys/kernel/numa_balancing"),
    ("aslr", "/proc/sys/kernel/randomize_va_space"),
    ("clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource"),
    ("perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid"),
    ("nmi_watchdog", "/proc/sys/kernel/nmi_watchdog"),
    ("zone_reclaim_mode", "/proc/sys/vm/zone_reclaim_mode"),
    ("swappiness", "/proc/sys/vm/swappiness"),
    ("huge_pages", "/proc/sys/vm/nr_hugepages"),
    ("ksm", "/sys/kernel/mm/ksm/run"),
    ("rt_runtime_us", "/proc/sys/kernel/sched_rt_runtime_us"),
    ("autogroup", "/proc/sys/kernel/sched_autogroup_enabled"),
    ("isolated_cpus", "/sys/devices/system/cpu/isolated"),
    ("nohz_full_cpus", "/sys/devices/system/cpu/nohz_full"),
    ("idle_driver", "/sys/devices/system/cpu/cpuidle/current_driver"),
    ("idle_governor", "/sys/devices/system/cpu/cpuidle/current_governor"),
];

/// Files that list the choices, the one in force in brackets: `always [madvise] never`.
const CHOICES: &[(&str, &str)] = &[
    ("thp", "/sys/kernel/mm/transparent_hugepage/enabled"),
    ("thp_defrag", "/sys/kernel/mm/transparent_hugepage/defrag"),
];

/// Event sources of processors: one of them means that hardware counters exist.
const PMUS: &[&str] = &["cpu", "cpu_core", "cpu_atom", "armv8_pmuv3_0", "armv8_pmuv3"];

pub(super) fn read(root: &Root, items: &mut StateItems) {
    for (name, path) in PLAIN {
        items.put(name, root.word(path).filter(|value| value != "(null)"));
    }
    for (name, path) in CHOICES {
        items.put(name, root.word(path).filter(|text| text.contains('[')).map(|text| chosen(&text).to_owned()));
    }
    items.put("pmu", pmu(root));
    items.put("mitigations", mitigated(root));
}

/// The event source of the processors, or `none`; `None` where no source is listed, which means that /sys is hidden.
pub(crate) fn pmu(root: &Root) -> Option<String> {
    let sources = root.names("/sys/bus/event_source/devices");
    let found = sources.iter().find(|s| PMUS.contains(&s.as_str()) || s.starts_with("armv8_"));
    (!sources.is_empty()).then(|| found.map_or("none", String::as_str).to_owned())
}

/// The processor's vulnerabilities that the kernel mitigates, each of which may cost time.
pub(crate) fn mitigated(root: &Root) -> Option<String> {
    let directory = "/sys/devices/system/cpu/vulnerabilities";
    let names = root.names(directory);
    let is_mitigated =
        |name: &&String| root.text(&format!("{directory}/{name}")).is_some_and(|t| t.starts_with("Mitigation"));
    let active: Vec<&str> = names.iter().filter(is_mitigated).map(String::as_str).collect();
    let listed = if active.is_empty() { "none".to_owned() } else { active.join(",") };
    (!names.is_empty()).then_some(listed)
}
