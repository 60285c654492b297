//! Starts the programs of a plan, for the campaign to measure them.

use std::cell::RefCell;
use std::rc::Rc;

use paw_data::cell::Role;
use paw_data::run::Instrument;
use paw_measure::campaign::{self, Processes, Producer};
use paw_measure::clock::Clock;
use paw_measure::disturbance::Placement;
use paw_measure::fault::Fault;
use paw_measure::planned::Campaign;
use paw_measure::prepared_cell::{Drive, PreparedCell};
use paw_measure::session::Session;
use paw_measure::watch::Watch;

use crate::launcher::Launcher;
use crate::plan::{self, Commands, PlannedProgram};
use crate::program::{Program, ProgramContext};
use crate::request::AppRequest;
use crate::series::Series;

/// Measures `campaign`; `watch` sees every event, and may stop it. `instrument` is the monotonic clock. Returns what became of each
/// cleanup that failed: it comes after the ends of its cells.
pub fn run(
    campaign: Campaign<Commands>,
    request: &AppRequest,
    launcher: Launcher,
    instrument: Instrument,
    watch: &mut dyn Watch,
) -> Vec<Fault> {
    let context = ProgramContext {
        launcher: Rc::new(RefCell::new(launcher)),
        metrics: request.metrics.clone().into(),
        expectations: request.expectations.clone().into(),
        ignored: request.options.ignored.clone().into(),
        warmups: request.plan.method.warmup,
        instrument,
    };
    let comparisons = plan::comparisons(&campaign).max(1);
    let session = Session::alone(Clock::monotonic());
    let mut programs = Programs { request, context, comparisons, series: Series::default() };
    campaign::run(campaign, &request.plan, &session, &mut programs, watch);
    programs.series.faults
}

struct Programs<'r> {
    request: &'r AppRequest,
    context: ProgramContext,
    /// Comparisons of alternatives.
    comparisons: usize,
    /// What runs once around the runs of a group.
    series: Series,
}

impl Producer for Programs<'_> {
    type Job = Commands;

    fn start(&mut self, planned: &PlannedProgram) -> Result<PreparedCell, Fault> {
        self.series.begin(planned, &self.context.launcher)?;
        let method = self.request.plan.method.clone();
        let drive = if planned.cell.role == Role::Base { Drive::Time } else { self.request.drive.clone() };
        let program = Program::new(planned.clone(), self.context.clone());
        let prepared = PreparedCell::new(planned.cell.clone(), method, Box::new(program));
        Ok(prepared.placed(Placement::Program).driven(drive))
    }

    fn processes(&self) -> Processes {
        Processes::EachSample
    }

    fn together(&self) -> usize {
        self.comparisons
    }

    fn finish(&mut self, _cells: Vec<PreparedCell>) {
        self.series.end(&self.context.launcher);
    }

    fn instrument(&self) -> Instrument {
        self.context.instrument.clone()
    }
}
