//! What is asked of the workbench, understood.

use std::path::PathBuf;
use std::time::Duration;

use paw_data::kernel::{Kernel, Level, Question};
use paw_data::method::{EndRule, Estimator, LoopRule, Memory, Method, Plan};
use paw_data::run::Instrument;

use crate::spec::facts::array_facts;
use crate::spec::{Measure, Spec};

/// A region of 10 ms holds two to ten of the timer's interrupts (every 1 to 4 ms), so that each sample has its share of them;
/// shorter ones would have one or none.
pub const REGION_S: f64 = 10e-3;

/// The clock's share in a region stays below a thousandth.
const OVERHEADS: f64 = 1000.0;

/// What is asked.
#[derive(Debug, Clone)]
pub struct KernelRequest {
    /// The kernel.
    pub spec: Spec,
    /// What about it.
    pub question: Question,
    /// How it is measured: the spec's, with what was typed in its place.
    pub measure: Measure,
    /// Seconds that a sample lasts at least, if its calls are not fixed.
    pub region_s: f64,
    /// Relative half-width of the median's interval up to which samples are added, if asked for.
    pub within: Option<f64>,
    /// The sizes.
    pub levels: Vec<Level>,
    /// Seed of the order of rounds.
    pub seed: u64,
    /// Seconds the whole may take, if limited.
    pub budget_s: Option<f64>,
}

/// The children, clock and directories that a kernel is measured with.
#[derive(Debug, Clone)]
pub struct Workbench {
    /// The program of the children that measure, and its first arguments.
    pub child: (PathBuf, Vec<String>),
    /// Processor that they stay on; any if absent.
    pub cpu: Option<u32>,
    /// The clock, as measured here.
    pub instrument: Instrument,
    /// How long a child may take to answer before it is ended.
    pub deadline: Duration,
    /// Directory of builds and what compilers said, which exists.
    pub builds: PathBuf,
    /// Directory of the answers, which exists.
    pub answers: PathBuf,
    /// Bytes of memory that are free.
    pub free_bytes: f64,
}

impl KernelRequest {
    /// The method of every series that is measured as asked.
    pub fn method(&self) -> Method {
        self.method_of(&self.measure)
    }

    /// The method of a series: fresh memory for every sample, the median the headline. Warming up is the child's part.
    pub fn method_of(&self, measure: &Measure) -> Method {
        let loops = match measure.reps {
            Some(reps) => LoopRule::Fixed(reps.max(1)),
            None => LoopRule::Floor { overheads: OVERHEADS, floor_s: self.region_s },
        };
        let samples = measure.metas.max(1);
        let ending = match self.within {
            // Four times the protocol's 31 is as many as the default method takes at most.
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
        Plan { method: self.method(), seed: self.seed, budget_s: self.budget_s }
    }

    /// What the run remembers of the kernel, but for what is known only when it is built: the reference.
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
            warmup: self.measure.warmup,
            cpu: None,
            levels: self.levels.clone(),
        }
    }
}
