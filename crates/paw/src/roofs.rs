//! Measures the roofs of a roofline into the session of a kernel.

use std::time::Duration;

use paw_data::kernel::Kernel;
use paw_data::method::Plan;
use paw_measure::method::{NAMES, preset};
use paw_measure::watch::{Control, Watch};
use paw_suites::campaign;
use paw_suites::choice::{Ladder, StartMode, ThreadPlacement, Threads, WorkerEnvironment};
use paw_suites::executor::Executor;
use paw_suites::host::Host;
use paw_suites::plan::Assignment;
use paw_suites::request::RunRequest;
use paw_suites::roofs;

use crate::failure::Failure;
use crate::session::Session;
use crate::startup;

/// Time that all roofs may take: some dozen cells of a few invocations each.
const BUDGET_S: f64 = 12.0;
/// Time a worker may take to allocate and to check an answer.
const DEADLINE: Duration = Duration::from_secs(60);

/// Whether the roofs of a roofline are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Roofline {
    /// They are, after the builds.
    Measured,
    /// They are not.
    None,
}

impl From<bool> for Roofline {
    fn from(asked: bool) -> Self {
        if asked { Self::Measured } else { Self::None }
    }
}

/// The roofs of a kernel, planned.
pub struct Roofs {
    request: RunRequest,
    campaign: paw_measure::planned::Campaign<Assignment>,
}

impl Roofs {
    /// Plans the roofs of the numbers that `kernel` works on, with as many threads on the processors `cpus`; cells are numbered from `first`.
    pub fn plan(kernel: &Kernel, host: &Host, cpus: &[u32], first: u32, seed: u64) -> Result<Self, Failure> {
        let method = preset(NAMES[0]).ok_or_else(|| Failure::usage("the default method is unknown"))?;
        let threads = kernel.threads.unwrap_or(1);
        let request = RunRequest {
            benchmarks: roofs::benchmarks(kernel.precision()),
            axes: Default::default(),
            ladders: Default::default(),
            warmup: Default::default(),
            loops_max: Default::default(),
            providers: Vec::new(),
            threads: vec![Threads::Count(threads)],
            place: ThreadPlacement::Default,
            ladder: Ladder::UntilOneSecond,
            combine: None,
            start: StartMode::default(),
            plan: Plan::new(method, seed, Some(BUDGET_S)),
            environment: WorkerEnvironment::Inherited,
            worker: startup::worker()?,
            deadline: DEADLINE,
            rank_timeout: DEADLINE,
            quick: false,
        };
        let cpus = if cpus.len() == threads as usize { cpus } else { &[] };
        let planned = roofs::references(&request, host, cpus, first);
        Ok(Self { campaign: planned.map_err(|why| Failure::usage(why.to_string()))?, request })
    }

    /// How many cells they are.
    pub fn cells(&self) -> usize {
        self.campaign.cells().count()
    }

    /// Measures them into `session`, unless the run has been asked to stop.
    pub fn measure(self, host: &Host, session: &mut Session) {
        if session.asked() == Control::Go {
            campaign::run(self.campaign, &self.request, host, &Executor::Workers, session);
        }
    }
}
