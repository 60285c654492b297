//! A request to the workbench, parsed and complete.

use std::path::PathBuf;
use std::time::Duration;

use paw_data::kernel::{Kernel, Level, Question};
use paw_data::method::{EndRule, Estimator, LoopRule, Memory, Method, Plan, Until};
use paw_data::run::Instrument;
use paw_data::summary::CONFIDENCE;
use paw_stats::ties;

use crate::spec::facts::array_facts;
use crate::spec::{Measure, Spec};

/// The default length of a sample in seconds. 10 ms contain two to ten timer interrupts (every 1 to 4 ms): shorter samples would
/// contain one or none, and scatter.
pub const REGION_S: f64 = 10e-3;

/// A region lasts this many clock readings at least: the clock's share stays below a thousandth.
const OVERHEADS: f64 = 1000.0;

/// A request about a kernel on a processor.
#[derive(Debug, Clone)]
pub struct KernelRequest {
    /// The kernel.
    pub spec: Spec,
    /// The question.
    pub question: Question,
    /// How it is measured: the spec's settings, replaced by those of the command line.
    pub measure: Measure,
    /// The least seconds of a sample, unless its calls are fixed.
    pub region_s: f64,
    /// The relative half-width of the median's interval at which a series ends, if asked for.
    pub within: Option<f64>,
    /// The sizes.
    pub levels: Vec<Level>,
    /// Seed of the order of rounds.
    pub seed: u64,
    /// The most seconds of the whole run, if limited.
    pub budget_s: Option<f64>,
    /// Processes that each cell's samples come from, if the user sets their number.
    pub invocations: Option<u32>,
    /// The rule that ends a group in place of its cells' rules, if the user asks for one.
    pub until: Option<Until>,
}

/// The equipment of every kernel of a run: child program, processor, clock, directories.
#[derive(Debug, Clone)]
pub struct Workbench {
    /// The program of the children, and its first arguments.
    pub child: (PathBuf, Vec<String>),
    /// The processors they are pinned to; empty leaves them free.
    pub cpus: Vec<u32>,
    /// Number of threads set for OpenMP; `None` leaves its default.
    pub threads: Option<u32>,
    /// The clock as this process measured it.
    pub instrument: Instrument,
    /// The time after which a child that does not answer is killed.
    pub deadline: Duration,
    /// The existing directory of builds and compilers' output.
    pub builds: PathBuf,
    /// The existing directory of answers.
    pub answers: PathBuf,
    /// Free memory in bytes.
    pub free_bytes: f64,
}

/// The fewest rounds that can separate `builds`.
pub fn rounds_needed(builds: usize) -> u32 {
    ties::rounds_needed(builds, CONFIDENCE) as u32
}

impl KernelRequest {
    /// The request with as many samples as rounds are needed to separate `builds`, if it has fewer.
    pub fn separating(mut self, builds: usize) -> Self {
        if builds > 1 {
            self.measure.metas = self.measure.metas.max(rounds_needed(builds));
        }
        self
    }

    /// The method of every series with the request's own settings.
    pub fn method(&self) -> Method {
        self.method_of(&self.measure)
    }

    /// The method of a series with the settings `measure`: fresh memory for every sample, the median as headline. The child warms up.
    pub fn method_of(&self, measure: &Measure) -> Method {
        let loops = match measure.reps {
            Some(reps) => LoopRule::Fixed(reps.max(1)),
            None => LoopRule::Floor { overheads: OVERHEADS, floor_s: self.region_s },
        };
        let samples = measure.metas.max(1);
        let ending = match self.within {
            // Four times the protocol's 31 equals the most samples of the default method.
            Some(within) => {
                EndRule::Interval { within, min: samples, max: samples.saturating_mul(4), min_long: samples }
            }
            None => EndRule::Fixed { samples },
        };
        let name = format!("meta{samples}");
        Method { name, warmup: 0, loops, ending, headline: Estimator::Median, memory: Memory::Fresh }
    }

    /// The plan of the run.
    pub fn plan(&self) -> Plan {
        let plan = Plan::new(self.method(), self.seed, self.budget_s);
        Plan { invocations: self.invocations, until: self.until, ..plan }
    }

    /// The run's facts of the kernel, without those known only after building: reference and sources.
    pub fn facts(&self) -> Kernel {
        let spec = &self.spec;
        Kernel {
            name: spec.name.clone(),
            question: self.question,
            device: String::new(),
            function: spec.function.clone(),
            signature: spec.signature.text.clone(),
            sources: Vec::new(),
            arrays: array_facts(&spec.arrays),
            iterations: spec.iterations.to_string(),
            footprint: spec.footprint(),
            reference: String::new(),
            reference_variant: String::new(),
            residency: spec.residency().map(|variant| variant.name.clone()).unwrap_or_default(),
            tolerance: spec.tolerance,
            calls: self.measure.calls,
            cache: self.measure.cache,
            float: self.measure.float,
            restore: self.measure.restore,
            warmup: self.measure.warmup,
            cpu: None,
            cpus: Vec::new(),
            threads: None,
            levels: self.levels.clone(),
        }
    }
}
