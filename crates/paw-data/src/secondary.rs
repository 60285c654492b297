//! Secondary metrics of samples: names, units, and which are sums over the loops.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// How a metric depends on the loops of its sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricSpan {
    /// The sum over all loops.
    Loops,
    /// One figure of the sample, whatever its loops.
    Sample,
}

/// Defines the metrics: variant, name in files, unit, span.
macro_rules! metrics {
    ($($(#[$doc:meta])* $variant:ident: $name:literal, $unit:literal, $span:ident;)*) => {
        /// A secondary metric that paw reads, by its meaning. Numbers that programs print, and times of single ranks and devices, have a
        /// [`MetricName`] only.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum SecondaryMetric {
            $($(#[$doc])* $variant,)*
        }

        impl SecondaryMetric {
            /// Every metric.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            const fn facts(self) -> (&'static str, &'static str, MetricSpan) {
                match self {
                    $(Self::$variant => ($name, $unit, MetricSpan::$span),)*
                }
            }
        }
    };
}

metrics! {
    /// Time by the device's own clock, between two marks.
    Event: "event_s", "s", Loops;
    /// Time by the device's own clock behind a gate: the queue was filled while it was held back.
    Gated: "gated_s", "s", Loops;
    /// Time by the host's clock, of kernels on a device.
    Host: "host_s", "s", Loops;
    /// Time that copying the inputs in would take for all launches.
    TransferIn: "transfer_in_s", "s", Loops;
    /// Time that copying the answers out would take for all launches.
    TransferOut: "transfer_out_s", "s", Loops;
    /// What the hardware allows, of all devices together, in the headline's unit a second.
    Limit: "limit_per_s", "headline's unit/s", Sample;
    /// Bytes a second that the PCIe links of all devices together carry for the copies that are timed.
    PcieLimit: "pcie_per_s", "bytes/s", Sample;
    /// The same of NVLink.
    NvLinkLimit: "nvlink_per_s", "bytes/s", Sample;
    /// The same of NVLink-C2C, between processor and device of one module.
    C2cLimit: "c2c_per_s", "bytes/s", Sample;
    /// Of several devices, the time in which all worked ÷ the time in which any worked; of a non-blocking collective, the part of it
    /// that the computation hid.
    Overlap: "overlap", "", Sample;
    /// Of the bytes that ranks read from a file, the part that came from storage and not from the page cache.
    FromStorage: "from_storage", "", Sample;
    /// Mean clock of the device's units over the sample, as they counted it or as a benchmark that looks saw it; the lowest of several devices.
    DeviceClock: "device_hz", "Hz", Sample;
    /// Bytes a second that other threads read and wrote meanwhile.
    LoadRate: "load_bytes_per_s", "bytes/s", Sample;
    /// Detours from 1 to 10 µs of threads that compute.
    DetoursMicrosecond: "detours_1us", "", Loops;
    /// Detours from 10 to 100 µs.
    DetoursTenMicroseconds: "detours_10us", "", Loops;
    /// Detours from 100 µs to 1 ms.
    DetoursHundredMicroseconds: "detours_100us", "", Loops;
    /// Detours from 1 to 10 ms.
    DetoursMillisecond: "detours_1ms", "", Loops;
    /// Detours of 10 ms and more.
    DetoursTenMilliseconds: "detours_10ms", "", Loops;
    /// Time of all detours, of all threads.
    DetourTime: "detour_s", "s", Loops;
    /// Time of the work and its detours, of all threads.
    QuantaTime: "quanta_s", "s", Loops;
    /// The detour in the middle of all that a sample has.
    MedianDetour: "median_detour_s", "s", Sample;
    /// The longest detour of a thread.
    LongestDetour: "longest_detour_s", "s", Sample;
    /// Power drawn during the sample of a benchmark that looks; of several devices the sum.
    Power: "power_w", "W", Sample;
    /// Temperature during the sample of a benchmark that looks; of several devices the highest.
    Temperature: "temperature_c", "°C", Sample;
    /// Why clocks were held down while the sample was taken, as bits of [`crate::throttle::REASONS`]; of several devices all of theirs.
    ThrottleReasons: "throttle_reasons", "", Sample;
    /// The whole region in ticks, where the clock counts ticks.
    Ticks: "ticks", "TSC ticks", Loops;
    /// The core's clock around the sample, by a chain of additions.
    CoreClock: "core_hz", "Hz", Sample;
    /// By how much of itself the core's clock moved from before the sample to after it.
    CoreDrift: "core_drift", "", Sample;
    /// Threads of the kernel's process that calls may run on.
    KernelThreads: "kernel_threads", "", Sample;
    /// Time of the fastest rank.
    RankMin: "rank_min_s", "s", Loops;
    /// Mean of the ranks' times.
    RankMean: "rank_mean_s", "s", Loops;
    /// Time of the slowest rank.
    RankMax: "rank_max_s", "s", Loops;
    /// Number of the slowest rank; the lowest in a tie.
    SlowestRank: "slowest", "", Sample;
    /// Largest run delay of the ranks whose own time and delay reach the slowest rank's time.
    RunDelaySlowest: "run_delay_slowest_s", "s", Loops;
    /// How many of these waited for longer than the limits of one process.
    RanksWaiting: "ranks_waiting", "", Sample;
    /// Time from the announced start to a rank's own; over ranks the largest.
    Skew: "skew_s", "s", Sample;
    /// Starts that a rank was already late for; over ranks the sum.
    Late: "late", "", Sample;
    /// Start on the common clock, from the announced one; over ranks the first.
    StartGlobal: "start_global_s", "s", Sample;
    /// End on the common clock, from the announced start; over ranks the last.
    EndGlobal: "end_global_s", "s", Sample;
    /// What the common clock may be off by, on the worst of all ranks.
    ClockBound: "clock_bound_s", "s", Sample;
    /// What a message takes one way between the two ranks furthest apart, of those that compared their clocks.
    OneWay: "one_way_s", "s", Sample;
    /// Time of the computation beside one non-blocking collective.
    Compute: "compute_s", "s", Sample;
    /// Time of one non-blocking collective together with its computation.
    Total: "total_s", "s", Sample;
    /// User time of a program.
    UserTime: "user_s", "s", Loops;
    /// System time of a program.
    SystemTime: "sys_s", "s", Loops;
    /// The most memory that one of a program's processes had resident.
    ResidentMemory: "rss_bytes", "bytes", Sample;
    /// Memory of the launcher, which the kernel counts as every smaller program's.
    ResidentFloor: "rss_floor_bytes", "bytes", Sample;
    /// Voluntary context switches of a program.
    VoluntarySwitches: "voluntary_switches", "", Loops;
    /// Involuntary context switches of a program.
    InvoluntarySwitches: "involuntary_switches", "", Loops;
    /// Page faults of a program without a read from a disk.
    MinorFaults: "minor_faults", "", Loops;
    /// Page faults of a program with a read from a disk.
    MajorFaults: "major_faults", "", Loops;
    /// Processor time that others took on a program's processors.
    OthersTime: "others_s", "s", Loops;
    /// Exit code of a program, where runs may fail; of several copies the first that is not the expected one.
    ExitCode: "exit_code", "", Sample;
}

impl SecondaryMetric {
    /// Detours by their length, the shortest first.
    pub const DETOURS: [Self; 5] = [
        Self::DetoursMicrosecond,
        Self::DetoursTenMicroseconds,
        Self::DetoursHundredMicroseconds,
        Self::DetoursMillisecond,
        Self::DetoursTenMilliseconds,
    ];

    /// Its name in files.
    pub const fn name(self) -> &'static str {
        self.facts().0
    }

    /// Its unit; empty of a share or a count.
    pub const fn unit(self) -> &'static str {
        self.facts().1
    }

    /// How it depends on the loops of its sample.
    pub const fn span(self) -> MetricSpan {
        self.facts().2
    }

    /// Its part for one iteration, or its value where it is not a sum over iterations.
    pub(crate) fn per_iteration(self, value: f64, loops: u64) -> f64 {
        match self.span() {
            MetricSpan::Loops => value / loops as f64,
            MetricSpan::Sample => value,
        }
    }
}

/// The name of a secondary metric in a sample and in files. A text becomes one only by [`MetricName::read`], so that a mistyped literal
/// does not compile:
///
/// ```
/// use paw_data::sample::Sample;
/// use paw_data::secondary::SecondaryMetric;
/// Sample::default().extra.insert(SecondaryMetric::Event.into(), 1.5);
/// ```
///
/// ```compile_fail,E0308
/// use paw_data::sample::Sample;
/// Sample::default().extra.insert("event_s", 1.5);
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct MetricName(Cow<'static, str>);

impl MetricName {
    /// The number that a program prints as `metric`, one of [`Application::metrics`](crate::application::Application::metrics).
    pub fn of_program(metric: &str) -> Self {
        Self(format!("metric.{metric}").into())
    }

    /// How often a call ran the block numbered `number` of its loops.
    pub fn of_block(number: usize) -> Self {
        Self(format!("runs_{number}").into())
    }

    /// The time of one rank.
    pub fn of_rank(rank: usize) -> Self {
        Self(format!("rank_{rank}_s").into())
    }

    /// The time of one device, `cuda0`.
    pub fn of_device(device: &str) -> Self {
        Self(format!("{device}_s").into())
    }

    /// A name as a file or a message has it; this version need not know it.
    pub fn read(name: String) -> Self {
        Self(name.into())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<SecondaryMetric> for MetricName {
    fn from(metric: SecondaryMetric) -> Self {
        Self(metric.name().into())
    }
}

impl PartialEq<SecondaryMetric> for MetricName {
    fn eq(&self, metric: &SecondaryMetric) -> bool {
        self.0 == metric.name()
    }
}

impl fmt::Display for MetricName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for MetricName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}
