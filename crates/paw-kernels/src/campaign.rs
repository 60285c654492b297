//! Starts the children of planned cells, for the campaign to measure them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;

use paw_data::method::Method;
use paw_data::run::Instrument;
use paw_measure::campaign::{Processes, Producer};
use paw_measure::disturbance::Placement;
use paw_measure::fault::Fault;
use paw_measure::planned::PlannedCell;
use paw_measure::prepared_cell::PreparedCell;
use paw_measure::workload::Workload;

use crate::job::{Answers, CallJob, JobDescription};
use crate::request::Workbench;
use crate::workload::{Child, ChildWorkload, TimingWatch};

/// The beginning of a compiler's refusal: it holds for every point, so that no other is tried.
const REFUSED: &str = "did not build";

/// How a cell of a kernel is measured.
#[derive(Debug, Clone)]
pub struct KernelJob {
    /// How its samples are taken.
    pub method: Method,
    /// The job of its child, or why it cannot be measured.
    pub description: Result<JobDescription, Fault>,
    /// The job that writes the reference's answers, if the reference is a build.
    pub reference: Option<Result<CallJob, Fault>>,
    /// The number of a device's alternative in its group; its child stays for the next group.
    pub alternative: usize,
}

/// A cell of a kernel.
pub type Planned = PlannedCell<KernelJob>;

/// Starts children: one for each call job, and one for each alternative of launch jobs, so that a crash costs its row alone.
pub struct Children<'b> {
    bench: &'b Workbench,
    /// The files of reference answers that were written, or why not.
    answered: HashMap<PathBuf, Result<(), Fault>>,
    devices: HashMap<usize, Child>,
    watch: Option<Rc<dyn TimingWatch>>,
    refused: Option<Fault>,
}

impl<'b> Children<'b> {
    /// A producer without children.
    pub fn new(bench: &'b Workbench) -> Self {
        Self { bench, answered: HashMap::new(), devices: HashMap::new(), watch: None, refused: None }
    }

    /// These children, with `watch` told when one of them is timed.
    #[must_use]
    pub fn watched(self, watch: Rc<dyn TimingWatch>) -> Self {
        Self { watch: Some(watch), ..self }
    }

    fn open(&mut self, planned: &Planned) -> Result<ChildWorkload, Fault> {
        let KernelJob { description, reference, alternative, .. } = &planned.job;
        let description = description.as_ref().map_err(Clone::clone)?;
        if let Some(reference) = reference {
            self.answer(reference)?;
        }
        if let JobDescription::Launch(_) = description {
            return self.launch(planned, description, *alternative);
        }
        let name = planned.cell.build.as_ref().map_or_else(String::new, |build| build.full_name());
        let runtime = planned.cell.build.as_ref().map_or("", |build| &build.runtime);
        Child::start(&name, description, self.bench)?.open(description, runtime)
    }

    fn launch(&mut self, planned: &Planned, job: &JobDescription, alternative: usize) -> Result<ChildWorkload, Fault> {
        let child = match self.devices.get(&alternative).filter(|child| !child.is_broken()) {
            Some(child) => child.clone(),
            None => Child::start(&planned.cell.benchmark, job, self.bench)?,
        };
        let opened = child.open(job, "");
        self.devices.insert(alternative, child);
        if let Err(fault @ Fault::Broken(why)) = &opened
            && why.starts_with(REFUSED)
        {
            self.refused = Some(fault.clone());
        }
        opened
    }

    /// Runs the reference, which writes its answers, once for each file.
    fn answer(&mut self, reference: &Result<CallJob, Fault>) -> Result<(), Fault> {
        let job = reference.as_ref().map_err(unanswered)?;
        let Answers::Write(path) = &job.answers else { return Ok(()) };
        if let Some(known) = self.answered.get(path) {
            return known.clone();
        }
        let description = JobDescription::Call(job.clone());
        let opened =
            Child::start("the reference", &description, self.bench).and_then(|child| child.open(&description, ""));
        let written = opened.and_then(|mut workload| workload.verify());
        let done = written.map(|_| ()).map_err(|fault| unanswered(&fault));
        self.answered.insert(path.clone(), done.clone());
        done
    }
}

fn unanswered(fault: &Fault) -> Fault {
    Fault::Broken(format!("the reference has no answer, so that none can be checked: {fault}"))
}

impl Producer for Children<'_> {
    type Job = KernelJob;

    fn start(&mut self, planned: &Planned) -> Result<PreparedCell, Fault> {
        if let Some(refused) = &self.refused {
            return Err(refused.clone());
        }
        let mut workload = self.open(planned)?;
        if let Some(watch) = &self.watch {
            workload.watch(planned.cell.id, Rc::clone(watch));
        }
        let placement = if !self.bench.cpus.is_empty() { Placement::Pinned } else { Placement::Free };
        let (cell, method) = (planned.cell.clone(), planned.job.method.clone());
        Ok(PreparedCell::new(cell, method, Box::new(workload)).placed(placement))
    }

    fn processes(&self) -> Processes {
        Processes::Fresh
    }

    /// A child that calls belongs to its cell and is dropped with it; those that drive devices stay for the next group.
    fn end_processes(&mut self) {
        self.devices.clear();
    }

    fn instrument(&self) -> Instrument {
        self.bench.instrument.clone()
    }
}
