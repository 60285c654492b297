//! What each reading of the state means, and when a change of it matters.

/// When a change of a reading matters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    /// A setting: any change.
    Setting,
    /// A counter: any growth.
    Counter,
    /// A level: a move by more than this many of its units.
    Level(f64),
    /// Never: kept for the reader alone.
    Note,
}

/// One name of the state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// Its name in the state, with its unit.
    pub name: &'static str,
    /// What it tells, as a phrase.
    pub meaning: &'static str,
    /// When a change matters.
    pub rule: Rule,
}

const fn reading(name: &'static str, rule: Rule, meaning: &'static str) -> Reading {
    Reading { name, meaning, rule }
}

use Rule::{Counter, Level, Note, Setting};

/// Every name the state may hold.
pub const READINGS: &[Reading] = &[
    reading("governor", Setting, "policy that chooses frequencies"),
    reading("frequency_driver", Setting, "driver that sets frequencies"),
    reading("energy_preference", Setting, "hint to the processor between speed and saving"),
    reading("boost", Setting, "whether frequencies above the nominal one are allowed"),
    // Boost moves by 2 % on a quiet machine; a twentieth of 2 GHz is more than that.
    reading("frequency_mhz", Level(100.0), "mean of the processors' frequencies, as reported"),
    reading("frequency_min_mhz", Setting, "lowest frequency allowed"),
    reading("frequency_max_mhz", Setting, "highest frequency allowed"),
    reading("throttle_core", Counter, "times that heat slowed a core, summed"),
    reading("throttle_package", Counter, "times that heat slowed a package, summed"),
    reading("temperature_c", Level(15.0), "hottest thermal zone"),
    // Our own threads raise the load: a change alone says little.
    reading("load_1min", Note, "tasks running or waiting, mean of a minute"),
    reading("load_5min", Note, "tasks running or waiting, mean of five minutes"),
    reading("load_15min", Note, "tasks running or waiting, mean of fifteen minutes"),
    reading("tasks_running", Note, "tasks runnable at this moment"),
    reading("steal_ticks", Counter, "time the hypervisor gave to others, in clock ticks, all processors"),
    reading("pressure_cpu_10s_percent", Note, "time in which some task waited for a processor"),
    reading("pressure_memory_10s_percent", Level(1.0), "time in which some task waited for memory"),
    reading("pressure_io_10s_percent", Note, "time in which some task waited for storage"),
    // A mebibyte is 256 pages: swapping has begun.
    reading("swap_used_bytes", Level(1_048_576.0), "swap space in use"),
    reading("smt", Setting, "hardware threads switched on or off"),
    reading("numa_balancing", Setting, "whether the kernel moves pages to where they are used"),
    reading("aslr", Setting, "whether addresses are randomised (2: all)"),
    reading("clocksource", Setting, "hardware behind the kernel's clock"),
    reading("tsc", Setting, "whether the time-stamp counter ticks evenly: invariant, variable"),
    reading("perf_event_paranoid", Setting, "who may count hardware events"),
    reading("nmi_watchdog", Setting, "whether a watchdog takes a hardware counter"),
    reading("zone_reclaim_mode", Setting, "whether a node's own memory is reclaimed before another's is used"),
    reading("swappiness", Setting, "willingness to swap"),
    reading("huge_pages", Setting, "huge pages reserved"),
    reading("ksm", Setting, "whether equal pages are merged"),
    reading("rt_runtime_us", Setting, "time in each second that real-time tasks may run"),
    reading("autogroup", Setting, "whether sessions share processors as groups"),
    reading("isolated_cpus", Setting, "processors kept free of other tasks"),
    reading("nohz_full_cpus", Setting, "processors without a timer tick"),
    reading("idle_driver", Setting, "driver of idle states"),
    reading("idle_governor", Setting, "policy that chooses idle states"),
    reading("thp", Setting, "transparent huge pages"),
    reading("thp_defrag", Setting, "effort made for transparent huge pages"),
    reading("pmu", Setting, "event source of the processors, or none"),
    reading("mitigations", Setting, "weaknesses of the processor that the kernel works around"),
    reading("cpus_online", Setting, "processors switched on"),
    reading("cpus_allowed", Setting, "processors this process may run on"),
    reading("cpus_offline", Setting, "processors switched off"),
    reading("cpu_quota_cpus", Setting, "processors' worth of time this control group may use"),
    reading("quota_throttled", Counter, "times that the control group had used up its quota"),
    reading("memory_limit_bytes", Setting, "memory this control group may use"),
    reading("memory_available_bytes", Note, "memory that can be had without swapping"),
    reading("stack_limit_bytes", Setting, "stack of the main thread"),
    reading("locked_memory_limit_bytes", Setting, "memory that may be locked"),
    reading("container", Setting, "container this runs in"),
    reading("virtualization", Setting, "hypervisor, or none"),
    reading("microcode", Setting, "revision of the processor's microcode"),
];
