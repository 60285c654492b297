//! The items of the state, each with its meaning and when a change of it matters.

/// When a change of an item matters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ChangeRule {
    /// Any change of the item matters: it is a setting.
    Setting,
    /// Any growth matters: the item is a counter.
    Counter,
    /// A change by more than this matters, in the item's unit.
    Level(f64),
    /// No change matters: the item is listed for the reader.
    Note,
}

/// One name of the state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StateItem {
    /// Its name in the state, with its unit.
    pub name: &'static str,
    /// The item's meaning, as a phrase.
    pub meaning: &'static str,
    /// When a change matters.
    pub rule: ChangeRule,
}

const fn item(name: &'static str, rule: ChangeRule, meaning: &'static str) -> StateItem {
    StateItem { name, meaning, rule }
}

use ChangeRule::{Counter, Level, Note, Setting};

/// Whether the reading `name` says how a machine is set up, or counts what went wrong, and not how busy it was. What this version does not
/// know counts as a setting.
pub fn is_setting(name: &str) -> bool {
    let known = STATE_ITEMS.iter().find(|item| item.name == name);
    known.is_none_or(|item| matches!(item.rule, ChangeRule::Setting | ChangeRule::Counter))
}

/// Every name the state may hold.
pub const STATE_ITEMS: &[StateItem] = &[
    item("governor", Setting, "policy that chooses frequencies"),
    item("frequency_driver", Setting, "driver that sets frequencies"),
    item("energy_preference", Setting, "hint to the processor between speed and saving"),
    item("boost", Setting, "whether frequencies above the nominal one are allowed"),
    // Boost varies by 2 % on a quiet machine; the limit is 5 % of 2 GHz.
    item("frequency_mhz", Level(100.0), "mean of the processors' frequencies, as reported"),
    item("frequency_min_mhz", Setting, "lowest frequency allowed"),
    item("frequency_max_mhz", Setting, "highest frequency allowed"),
    item("throttle_core", Counter, "times that heat slowed a core, summed"),
    item("throttle_package", Counter, "times that heat slowed a package, summed"),
    item("temperature_c", Level(15.0), "hottest thermal zone"),
    // Paw's own threads raise the load: a change alone is no evidence.
    item("load_1min", Note, "tasks running or waiting, mean of a minute"),
    item("load_5min", Note, "tasks running or waiting, mean of five minutes"),
    item("load_15min", Note, "tasks running or waiting, mean of fifteen minutes"),
    item("tasks_running", Note, "tasks runnable at this moment"),
    item("steal_ticks", Counter, "time the hypervisor gave to others, in clock ticks, all processors"),
    item("pressure_cpu_10s_percent", Note, "time in which some task waited for a processor"),
    item("pressure_memory_10s_percent", Level(1.0), "time in which some task waited for memory"),
    item("pressure_io_10s_percent", Note, "time in which some task waited for storage"),
    // A change of a mebibyte, 256 pages, shows that swapping has begun.
    item("swap_used_bytes", Level(1_048_576.0), "swap space in use"),
    item("smt", Setting, "hardware threads switched on or off"),
    item("numa_balancing", Setting, "whether the kernel moves pages to where they are used"),
    item("aslr", Setting, "whether addresses are randomised (2: all)"),
    item("clocksource", Setting, "hardware behind the kernel's clock"),
    item("tsc", Setting, "whether the time-stamp counter ticks evenly: invariant, variable"),
    item("perf_event_paranoid", Setting, "who may count hardware events"),
    item("nmi_watchdog", Setting, "whether a watchdog takes a hardware counter"),
    item("zone_reclaim_mode", Setting, "whether a node's own memory is reclaimed before another's is used"),
    item("swappiness", Setting, "willingness to swap"),
    item("huge_pages", Setting, "huge pages reserved"),
    item("ksm", Setting, "whether equal pages are merged"),
    item("rt_runtime_us", Setting, "time in each second that real-time tasks may run"),
    item("autogroup", Setting, "whether sessions share processors as groups"),
    item("isolated_cpus", Setting, "processors kept free of other tasks"),
    item("nohz_full_cpus", Setting, "processors without a timer tick"),
    item("idle_driver", Setting, "driver of idle states"),
    item("idle_governor", Setting, "policy that chooses idle states"),
    item("thp", Setting, "transparent huge pages"),
    item("thp_defrag", Setting, "effort made for transparent huge pages"),
    item("pmu", Setting, "event source of the processors, or none"),
    item("mitigations", Setting, "weaknesses of the processor that the kernel works around"),
    item("cpus_online", Setting, "processors switched on"),
    item("cpus_allowed", Setting, "processors this process may run on"),
    item("cpus_offline", Setting, "processors switched off"),
    item("cpu_quota_cpus", Setting, "processors' worth of time this control group may use"),
    item("quota_throttled", Counter, "times that the control group had used up its quota"),
    item("memory_limit_bytes", Setting, "memory this control group may use"),
    item("memory_available_bytes", Note, "memory that can be had without swapping"),
    item("stack_limit_bytes", Setting, "stack of the main thread"),
    item("locked_memory_limit_bytes", Setting, "memory that may be locked"),
    item("container", Setting, "container this runs in"),
    item("virtualization", Setting, "hypervisor, or none"),
    item("microcode", Setting, "revision of the processor's microcode"),
];
