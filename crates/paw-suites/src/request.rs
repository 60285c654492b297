//! What the user wants measured, with flags and variables already understood.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use paw_data::cell::Combine;
use paw_data::method::Plan;
use paw_data::point::AxisValue;
use paw_machine::threads::PlacementOrder;

use crate::benchmark::Benchmark;

/// What the user wants measured.
#[derive(Debug)]
pub struct RunRequest {
    /// The benchmarks, in order.
    pub benchmarks: Vec<&'static Benchmark>,
    /// Values of axes that were set (`--set`, PAW's variables); axes a benchmark lacks are ignored for it.
    pub axes: BTreeMap<String, Vec<AxisValue>>,
    /// Ladders of single benchmarks, by name, where PAW's variables or methods give them; `axes` come first.
    pub ladders: BTreeMap<&'static str, Vec<AxisValue>>,
    /// The step at which a benchmark's calibration is warmed up, by name, as PAW did with its MED sizes; absent means at the point itself.
    pub warmup: BTreeMap<&'static str, AxisValue>,
    /// The most loops that PAW's methods begin with, by name, where it is another number than the method's.
    pub loops_max: BTreeMap<&'static str, u64>,
    /// Who does the work; empty means every provider that belongs to the default.
    pub providers: Vec<ProviderChoice>,
    /// Thread counts; empty means the benchmark's default.
    pub threads: Vec<Threads>,
    /// On which processors threads sit.
    pub place: ThreadPlacement,
    /// How long ladders go.
    pub ladder: Ladder,
    /// How the readings of ranks become one; `None`: as each benchmark has it, or as PAW's guide for PAW's methods.
    pub combine: Option<CombineChoice>,
    /// How ranks start together.
    pub start: StartMode,
    /// Method, seed, budget.
    pub plan: Plan,
    /// Whether variables that cap libraries are taken out of the workers' environment.
    pub environment: WorkerEnvironment,
    /// Program that is started as worker, and its first arguments.
    pub worker: (PathBuf, Vec<String>),
    /// How long a worker may take to load a library, make a first call, or check an answer.
    pub deadline: Duration,
    /// How long ranks wait for each other at least, before one is given up.
    pub rank_timeout: Duration,
    /// Whether this is the bare quick assessment.
    pub quick: bool,
}

/// A provider as the user names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderChoice {
    /// `embedded`, `native`, `openblas`, `mkl` …
    Name(String),
    /// A library file.
    Path(PathBuf),
}

/// A thread count as the user names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    /// So many.
    Count(u32),
    /// The cores of one package.
    Socket,
    /// One for each allowed core.
    Cores,
    /// One for each allowed hardware thread.
    All,
    /// 1, powers of two, cores of a package, all cores, all hardware threads.
    Topology,
    /// Twice as many as there is room for.
    Oversubscribed,
}

/// On which processors threads sit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadPlacement {
    /// One core a thread as long as there are cores; one thread goes to the idlest core.
    Default,
    /// Bound, in this order.
    Order(PlacementOrder),
    /// Where the operating system puts them.
    Unbound,
}

/// How the readings of ranks become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CombineChoice {
    /// In the same way for every benchmark.
    All(Combine),
    /// As PAW's guide has it: the fastest rank, the slowest for broadcast and scatter.
    Guide,
}

/// How ranks start together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StartMode {
    /// At an announced moment of a clock they agree on.
    #[default]
    GlobalClock,
    /// When the library's barrier lets them go.
    Barrier,
}

/// How long a default ladder goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ladder {
    /// Stops where one sample would pass a second.
    UntilOneSecond,
    /// Every value asked for.
    Full,
}

/// The environment workers are started in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkerEnvironment {
    /// As it is.
    Inherited,
    /// Without the variables that cap or steer BLAS libraries.
    Clean,
}
