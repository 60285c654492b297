//! The request of a run, with flags and variables already parsed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use paw_data::method::Plan;
use paw_data::point::AxisValue;

use crate::benchmark::Benchmark;
use crate::choice::{CombineChoice, Ladder, ProviderChoice, StartMode, ThreadPlacement, Threads, WorkerEnvironment};

/// The request of a run.
#[derive(Debug)]
pub struct RunRequest {
    /// The benchmarks, in order.
    pub benchmarks: Vec<&'static Benchmark>,
    /// Values of axes that were set (`--set`, PAW's variables); axes a benchmark lacks are ignored for it.
    pub axes: BTreeMap<String, Vec<AxisValue>>,
    /// Ladders of single benchmarks, by name, from PAW's variables or methods; `axes` overrides them.
    pub ladders: BTreeMap<&'static str, Vec<AxisValue>>,
    /// The size at which a benchmark is warmed up before its calibration, by name (PAW's MED sizes); absent: at the point itself.
    pub warmup: BTreeMap<&'static str, AxisValue>,
    /// NLOOP_MAX of single benchmarks under PAW's methods, by name, where it differs from the method's.
    pub loops_max: BTreeMap<&'static str, u64>,
    /// The providers asked for; empty: every provider of the default.
    pub providers: Vec<ProviderChoice>,
    /// Thread counts; empty means the benchmark's default.
    pub threads: Vec<Threads>,
    /// On which processors threads run.
    pub place: ThreadPlacement,
    /// How long ladders go.
    pub ladder: Ladder,
    /// How the readings of ranks are combined; `None`: as each benchmark states, or as PAW's guide or code does under their methods.
    pub combine: Option<CombineChoice>,
    /// How ranks start together.
    pub start: StartMode,
    /// Method, seed, budget.
    pub plan: Plan,
    /// Whether workers start without the variables that limit a library's threads or choose its kernels.
    pub environment: WorkerEnvironment,
    /// The program started as worker, and its first arguments.
    pub worker: (PathBuf, Vec<String>),
    /// How long a worker may take to load a library, make a first call, or check an answer.
    pub deadline: Duration,
    /// The shortest time after which a rank that does not answer counts as dead.
    pub rank_timeout: Duration,
    /// Whether this is the bare quick assessment.
    pub quick: bool,
}

/// How long a worker may take where nobody says.
const DEADLINE: Duration = Duration::from_secs(60);

impl RunRequest {
    /// A request of `benchmarks` by `plan`, measured by workers that `worker` starts; everything else is as where nothing was typed.
    pub fn new(benchmarks: Vec<&'static Benchmark>, plan: Plan, worker: (PathBuf, Vec<String>)) -> Self {
        Self {
            benchmarks,
            axes: BTreeMap::new(),
            ladders: BTreeMap::new(),
            warmup: BTreeMap::new(),
            loops_max: BTreeMap::new(),
            providers: Vec::new(),
            threads: Vec::new(),
            place: ThreadPlacement::Default,
            ladder: Ladder::UntilOneSecond,
            combine: None,
            start: StartMode::default(),
            plan,
            environment: WorkerEnvironment::Inherited,
            worker,
            deadline: DEADLINE,
            rank_timeout: DEADLINE,
            quick: false,
        }
    }

    /// Whether devices may be sampled where there are many: nobody named one, and PAW's methods measure all of them.
    pub fn samples_devices(&self) -> bool {
        self.providers.is_empty() && !self.follows_paw()
    }

    /// Whether the method is one of PAW's, which measure what PAW measures and nothing more.
    pub fn follows_paw(&self) -> bool {
        self.plan.method.name.starts_with("paw")
    }

    /// Whether the method is that of PAW 1.6's code, which takes the largest time over ranks where the guide says the smallest.
    pub fn follows_code(&self) -> bool {
        self.plan.method.name == "paw16"
    }
}
