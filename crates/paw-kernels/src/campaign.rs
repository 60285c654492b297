//! Measures groups of cells: answers of the reference first, then all builds of a group in rounds.

use std::collections::HashMap;
use std::path::PathBuf;

use paw_data::cell::Cell;
use paw_data::method::Plan;
use paw_data::outcome::{Check, CheckVerdict, Ending, Outcome, Status};
use paw_data::run::Instrument;
use paw_measure::clock::Clock;
use paw_measure::disturbance::Placement;
use paw_measure::fault::Fault;
use paw_measure::measure::measure;
use paw_measure::prepared_cell::PreparedCell;
use paw_measure::session::Session;
use paw_measure::watch::{Control, Event, Watch};
use paw_measure::workload::Workload;

use crate::job::{Answers, CallJob};
use crate::plan::Planned;
use crate::request::Workbench;
use crate::workload::KernelWorkload;

/// A group gets at least this much of a budget, in seconds: too little measures nothing.
const GROUP_MIN_S: f64 = 0.5;

/// Who measures: keeps what reference answers are there already.
pub struct Campaign<'b> {
    bench: &'b Workbench,
    session: Session<'static>,
    answered: HashMap<PathBuf, Result<(), Fault>>,
}

impl<'b> Campaign<'b> {
    /// A campaign that begins now.
    pub fn new(bench: &'b Workbench) -> Self {
        Self { bench, session: Session::alone(Clock::monotonic()), answered: HashMap::new() }
    }

    /// Measures the groups one after the other; `watch` hears of everything, and may stop it.
    pub fn run(&mut self, groups: Vec<Vec<Planned>>, plan: &Plan, watch: &mut dyn Watch) -> Control {
        let count = groups.len();
        for (number, group) in groups.into_iter().enumerate() {
            let plan = share(plan, self.session.at_s(), number, count);
            if self.group(group, &plan, watch) == Control::Stop {
                return Control::Stop;
            }
        }
        Control::Go
    }

    /// Measures one group.
    pub fn group(&mut self, group: Vec<Planned>, plan: &Plan, watch: &mut dyn Watch) -> Control {
        let mut entries = Vec::new();
        for planned in group {
            if watch.asked() == Control::Stop {
                return Control::Stop;
            }
            match self.start(&planned) {
                Ok(workload) => {
                    let placement = if self.bench.cpu.is_some() { Placement::Pinned } else { Placement::Free };
                    entries.push(PreparedCell::new(planned.cell, planned.method, Box::new(workload)).placed(placement));
                }
                Err(fault) => absent(&planned.cell, fault, &self.bench.instrument, watch),
            }
        }
        let outcomes = measure(&mut entries, plan, &self.session, watch);
        after(&outcomes, watch)
    }

    /// Holds the answers of every cell against the reference; times nothing.
    pub fn check(&mut self, groups: Vec<Vec<Planned>>, watch: &mut dyn Watch) {
        for planned in groups.into_iter().flatten() {
            if watch.asked() == Control::Stop {
                return;
            }
            match self.start(&planned) {
                Ok(mut workload) => check(planned.cell, &mut workload, watch),
                Err(fault) => absent(&planned.cell, fault, &self.bench.instrument, watch),
            }
        }
    }

    fn start(&mut self, planned: &Planned) -> Result<KernelWorkload, Fault> {
        let job = planned.job.as_ref().map_err(Clone::clone)?;
        if let Some(reference) = &planned.reference {
            answered(&mut self.answered, reference, self.bench)?;
        }
        let name = planned.cell.build.as_ref().map_or_else(String::new, |build| build.full_name());
        KernelWorkload::start(&name, job, self.bench)
    }
}

/// The plan of a group, `number` of `count`, at `at_s` seconds since the run began: an equal share of what is left, and a seed of its own.
pub(crate) fn share(plan: &Plan, at_s: f64, number: usize, count: usize) -> Plan {
    let left_s = plan.budget_s.map(|budget_s| budget_s - at_s);
    Plan {
        budget_s: left_s.map(|left_s| (left_s / (count - number) as f64).max(GROUP_MIN_S)),
        seed: plan.seed.wrapping_add(number as u64),
        ..plan.clone()
    }
}

/// Whether another group follows one that ended so.
pub(crate) fn after(outcomes: &[Outcome], watch: &mut dyn Watch) -> Control {
    let interrupted = outcomes.iter().any(|outcome| outcome.ending == Some(Ending::Interrupted));
    if interrupted || watch.asked() == Control::Stop { Control::Stop } else { Control::Go }
}

/// Has the reference write its answers, once; `known` are those that it wrote already, or could not.
pub(crate) fn answered(
    known: &mut HashMap<PathBuf, Result<(), Fault>>,
    reference: &Result<CallJob, Fault>,
    bench: &Workbench,
) -> Result<(), Fault> {
    let job = reference.as_ref().map_err(unanswered)?;
    let Answers::Write(path) = &job.answers else { return Ok(()) };
    if let Some(known) = known.get(path) {
        return known.clone();
    }
    let started = KernelWorkload::start("the reference", job, bench);
    let written = started.and_then(|mut workload| workload.verify());
    let done = written.map(|_| ()).map_err(|fault| unanswered(&fault));
    known.insert(path.clone(), done.clone());
    done
}

fn unanswered(fault: &Fault) -> Fault {
    Fault::Broken(format!("the reference has no answer, so that none can be checked: {fault}"))
}

/// Holds the answers of a cell against the reference; times nothing.
pub(crate) fn check(mut cell: Cell, workload: &mut dyn Workload, watch: &mut dyn Watch) {
    workload.describe(&mut cell);
    watch.on(Event::Begun { cell: &cell, instrument: &workload.instrument() });
    let outcome = looked_at(cell.id, workload.verify());
    watch.on(Event::Ended { outcome: &outcome });
}

/// Tells of a cell that has no number; `instrument` is the clock that it would have been timed by.
pub(crate) fn absent(cell: &Cell, fault: Fault, instrument: &Instrument, watch: &mut dyn Watch) {
    watch.on(Event::Begun { cell, instrument });
    let outcome = looked_at(cell.id, Err(fault));
    watch.on(Event::Ended { outcome: &outcome });
}

/// The outcome of a cell that was not timed.
fn looked_at(cell: u32, check: Result<Check, Fault>) -> Outcome {
    let (status, why, check) = match check {
        Ok(check) if check.verdict == CheckVerdict::Fail => {
            (Status::Failed, Some(format!("wrong answer: {}", check.note)), Some(check))
        }
        Ok(check) => (Status::Measured, None, Some(check)),
        Err(fault @ (Fault::Missing(_) | Fault::Interrupted)) => (Status::Skipped, Some(fault.to_string()), None),
        Err(Fault::Wrong(check)) => (Status::Failed, Some(format!("wrong answer: {}", check.note)), Some(*check)),
        Err(fault @ Fault::Broken(_)) => (Status::Failed, Some(fault.to_string()), None),
    };
    Outcome { cell, status, ending: None, why, check, caveats: Vec::new() }
}
