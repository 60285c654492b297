//! Measures groups of launches: answers of the processor first, then all alternatives of a point in rounds.

use std::collections::HashMap;
use std::path::PathBuf;

use paw_data::method::Plan;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::measure::measure;
use paw_measure::prepared_cell::PreparedCell;
use paw_measure::session::Session;
use paw_measure::watch::{Control, Watch};

use super::plan::PlannedLaunch;
use super::request::DeviceWorkbench;
use super::workload::{DeviceChild, DeviceWorkload};
use crate::campaign::{absent, after, answered, check, share};
use crate::request::Workbench;

/// What a compiler refuses once, it refuses at every point.
const REFUSED: &str = "did not build";

/// Who measures: keeps children that have the device open, one for each alternative, so that a crash costs its row alone.
pub struct DeviceCampaign<'b> {
    bench: &'b DeviceWorkbench,
    session: Session<'static>,
    children: HashMap<usize, DeviceChild>,
    answered: HashMap<PathBuf, Result<(), Fault>>,
    refused: Option<Fault>,
}

impl<'b> DeviceCampaign<'b> {
    /// A campaign that begins now.
    pub fn new(bench: &'b DeviceWorkbench) -> Self {
        let session = Session::alone(Clock::monotonic());
        Self { bench, session, children: HashMap::new(), answered: HashMap::new(), refused: None }
    }

    /// Measures the groups one after the other; `watch` hears of everything, and may stop it.
    pub fn run(&mut self, groups: Vec<Vec<PlannedLaunch>>, plan: &Plan, watch: &mut dyn Watch) -> Control {
        let count = groups.len();
        for (number, group) in groups.into_iter().enumerate() {
            let plan = share(plan, self.session.at_s(), number, count);
            if self.group(group, &plan, watch) == Control::Stop {
                return Control::Stop;
            }
        }
        Control::Go
    }

    fn group(&mut self, group: Vec<PlannedLaunch>, plan: &Plan, watch: &mut dyn Watch) -> Control {
        let mut entries = Vec::new();
        for planned in group {
            if watch.asked() == Control::Stop {
                return Control::Stop;
            }
            match self.start(&planned) {
                Ok(workload) => entries.push(PreparedCell::new(planned.cell, planned.method, Box::new(workload))),
                Err(fault) => absent(&planned.cell, fault, &self.bench.instrument, watch),
            }
        }
        let outcomes = measure(&mut entries, plan, &self.session, watch);
        after(&outcomes, watch)
    }

    /// Holds the answers of every cell against the reference; times nothing.
    pub fn check(&mut self, groups: Vec<Vec<PlannedLaunch>>, watch: &mut dyn Watch) {
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

    fn start(&mut self, planned: &PlannedLaunch) -> Result<DeviceWorkload, Fault> {
        if let Some(refused) = &self.refused {
            return Err(refused.clone());
        }
        let job = planned.job.as_ref().map_err(Clone::clone)?;
        if let Some(reference) = &planned.reference {
            let bench = self.processor();
            answered(&mut self.answered, reference, &bench)?;
        }
        let child = match self.children.get(&planned.alternative).filter(|child| !child.is_broken()) {
            Some(child) => child.clone(),
            None => DeviceChild::start(&planned.cell.benchmark, job.backend, self.bench)?,
        };
        self.children.insert(planned.alternative, child.clone());
        let opened = DeviceWorkload::open(&child, job);
        if let Err(fault @ Fault::Broken(why)) = &opened
            && why.starts_with(REFUSED)
        {
            self.refused = Some(fault.clone());
        }
        opened
    }

    /// Where the reference on the processor is called.
    fn processor(&self) -> Workbench {
        Workbench {
            child: self.bench.child.clone(),
            cpu: None,
            instrument: self.bench.instrument.clone(),
            deadline: self.bench.deadline,
            answers: self.bench.answers.clone(),
            free_bytes: f64::INFINITY,
        }
    }
}
