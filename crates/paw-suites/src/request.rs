//! What the user wants measured, with flags and variables already understood.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use paw_data::method::Plan;
use paw_data::point::AxisValue;

use crate::benchmark::Benchmark;
use crate::choice::{CombineChoice, Ladder, ProviderChoice, StartMode, ThreadPlacement, Threads, WorkerEnvironment};

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
