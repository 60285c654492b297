//! Measures the roofs of a roofline into the session of benchmarks, a kernel or a program.

use paw_data::kernel::Kernel;
use paw_data::method::Plan;
use paw_data::precision::Precision;
use paw_measure::method::{NAMES, preset};
use paw_measure::planned::Campaign;
use paw_measure::watch::{Control, Watch};
use paw_suites::campaign;
use paw_suites::choice::Threads;
use paw_suites::executor::Executor;
use paw_suites::host::Host;
use paw_suites::plan::Assignment;
use paw_suites::request::RunRequest;
use paw_suites::roofs;

use crate::failure::Failure;
use crate::session::Session;
use crate::startup;

/// Time that all roofs of one number of threads may take: some dozen cells of a few invocations each.
const BUDGET_S: f64 = 12.0;

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

/// Threads under whose roofs something ran, and their processors; empty: where the system puts them.
pub type Seats = (u32, Vec<u32>);

/// Roofs, planned: a campaign for each number of threads.
pub struct Roofs {
    sets: Vec<(RunRequest, Campaign<Assignment>)>,
}

impl Roofs {
    /// Plans the roofs of the numbers that `kernel` works on, with as many threads on the processors `cpus`; cells are numbered from `first`.
    pub fn of_kernel(kernel: &Kernel, host: &Host, cpus: &[u32], first: u32, run: &Plan) -> Result<Self, Failure> {
        let seats = (kernel.threads.unwrap_or(1), cpus.to_vec());
        Self::plan(&[kernel.precision()], &[seats], host, first, run)
    }

    /// Plans the roofs of `precisions` at each of `seats`, with the seed and within the budget of `run`; cells are numbered from `first`.
    pub fn plan(
        precisions: &[Precision],
        seats: &[Seats],
        host: &Host,
        mut first: u32,
        run: &Plan,
    ) -> Result<Self, Failure> {
        let method = preset(NAMES[0]).ok_or_else(|| Failure::usage("the default method is unknown"))?;
        let budget_s = run.budget_s.map_or(BUDGET_S, |budget_s| budget_s.min(BUDGET_S));
        let mut sets = Vec::new();
        for (threads, cpus) in seats {
            let plan = Plan::new(method.clone(), run.seed, Some(budget_s));
            let new = RunRequest::new(roofs::benchmarks(precisions), plan, startup::worker()?);
            let request = RunRequest { threads: vec![Threads::Count(*threads)], ..roofs::narrowed(new, host) };
            let cpus: &[u32] = if cpus.len() == *threads as usize { cpus } else { &[] };
            let planned = roofs::references(&request, host, cpus, first);
            let planned = planned.map_err(|why| Failure::usage(why.to_string()))?;
            first += planned.cells().count() as u32;
            sets.push((request, planned));
        }
        Ok(Self { sets })
    }

    /// How many cells they are.
    pub fn cells(&self) -> usize {
        self.sets.iter().map(|(_, campaign)| campaign.cells().count()).sum()
    }

    /// Measures them into `session`, unless the run has been asked to stop.
    pub fn measure(self, host: &Host, session: &mut Session) {
        for (request, campaign) in self.sets {
            if session.asked() == Control::Go {
                campaign::run(campaign, &request, host, &Executor::Workers, session);
            }
        }
    }
}
