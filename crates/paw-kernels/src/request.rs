//! A request to the workbench, parsed and complete: one for processors and devices, with the rules of those for processors.

use std::path::PathBuf;
use std::time::Duration;

use paw_data::kernel::{Kernel, Level, Question, Tolerance};
use paw_data::method::{EndRule, Estimator, LoopRule, Memory, Method, Plan, Until};
use paw_data::run::Instrument;
use paw_data::summary::CONFIDENCE;
use paw_stats::ties;

use crate::element::Element;
use crate::spec::facts::array_facts;
use crate::spec::{Measure, Reference, Spec};

/// The default length of a sample in seconds on a processor. 10 ms contain two to ten timer interrupts (every 1 to 4 ms): shorter samples would
/// contain one or none, and scatter.
const REGION_S: f64 = 10e-3;

/// A region lasts this many clock readings at least: the clock's share stays below a thousandth.
const OVERHEADS: f64 = 1000.0;

/// A kernel for one kind of target, processors or devices, with what differs between requests about them.
pub trait Target: Sized {
    /// The table `[measure]` of its specs.
    type Measure;

    /// The reference that answers are compared with, and the tolerance.
    fn reference(&self) -> (&Reference, Tolerance);

    /// The type of its result; `None` if it has none, as on devices.
    fn result(&self) -> Option<Element> {
        None
    }

    /// The method of the request's series; of a device, with warm caches.
    fn method(request: &KernelRequest<Self>) -> Method;

    /// The run's facts of the kernel, without those known only after building, and without what the workbench adds.
    fn facts(request: &KernelRequest<Self>) -> Kernel;
}

/// A request about a kernel, on processors unless `S` is the spec of one for devices.
#[derive(Debug, Clone)]
pub struct KernelRequest<S: Target = Spec> {
    /// The kernel; one for devices has the values of axes that were typed in place of its own.
    pub spec: S,
    /// The question.
    pub question: Question,
    /// How it is measured: the spec's settings, replaced by those of the command line.
    pub measure: S::Measure,
    /// The least seconds of a sample (of a device, with warm caches), if asked for and unless its calls are fixed.
    pub region_s: Option<f64>,
    /// The relative half-width of the median's interval at which a series ends, if asked for.
    pub within: Option<f64>,
    /// The sizes; empty for devices, where the axes have them.
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
    /// The number of the device that launches run on, among those of its back-end; calls ignore it.
    pub device: u32,
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

impl<S: Target> KernelRequest<S> {
    /// The calls or launches of a sample: `reps`, else as many as last for `floor_s` seconds and for `overheads` readings of the clock.
    pub(crate) fn loops(reps: Option<u64>, (overheads, floor_s): (f64, f64)) -> LoopRule {
        reps.map_or(LoopRule::Floor { overheads, floor_s }, |reps| LoopRule::Fixed(reps.max(1)))
    }

    /// The rule that ends a series at the interval asked for, after at least `least` and at most four times `most` samples.
    pub(crate) fn interval(&self, least: u32, most: u32) -> Option<EndRule> {
        let max = most.saturating_mul(4);
        self.within.map(|within| EndRule::Interval { within, min: least, max, min_long: least })
    }

    /// The plan of the run.
    pub fn plan(&self) -> Plan {
        let plan = Plan::new(S::method(self), self.seed, self.budget_s);
        Plan { invocations: self.invocations, until: self.until, ..plan }
    }

    /// The run's facts of the kernel, as its target states them.
    pub fn facts(&self) -> Kernel {
        S::facts(self)
    }
}

impl KernelRequest {
    /// The request with as many samples as rounds are needed to separate `builds`, if it has fewer.
    pub fn separating(mut self, builds: usize) -> Self {
        if builds > 1 {
            self.measure.metas = self.measure.metas.max(rounds_needed(builds));
        }
        self
    }

    /// The method of a series with the settings `measure`: fresh memory for every sample, the median as headline. The child warms up.
    pub fn method_of(&self, measure: &Measure) -> Method {
        let samples = measure.metas.max(1);
        Method {
            name: format!("meta{samples}"),
            warmup: 0,
            loops: Self::loops(measure.reps, (OVERHEADS, self.region_s.unwrap_or(REGION_S))),
            // Four times the protocol's 31 equals the most samples of the default method.
            ending: self.interval(samples, samples).unwrap_or(EndRule::Fixed { samples }),
            headline: Estimator::Median,
            memory: Memory::Fresh,
        }
    }
}

impl Target for Spec {
    type Measure = Measure;

    fn reference(&self) -> (&Reference, Tolerance) {
        (&self.reference, self.tolerance)
    }

    fn result(&self) -> Option<Element> {
        self.signature.result
    }

    fn method(request: &KernelRequest) -> Method {
        request.method_of(&request.measure)
    }

    fn facts(KernelRequest { spec, question, measure, levels, .. }: &KernelRequest) -> Kernel {
        Kernel {
            name: spec.name.clone(),
            question: *question,
            function: spec.function.clone(),
            signature: spec.signature.text.clone(),
            arrays: array_facts(&spec.arrays),
            iterations: spec.iterations.to_string(),
            footprint: spec.footprint(),
            residency: spec.residency().map(|variant| variant.name.clone()).unwrap_or_default(),
            tolerance: spec.tolerance,
            calls: measure.calls,
            cache: measure.cache,
            float: measure.float,
            restore: measure.restore,
            warmup: measure.warmup,
            warmup_s: measure.warmup_s,
            levels: levels.clone(),
            ..Kernel::default()
        }
    }
}
