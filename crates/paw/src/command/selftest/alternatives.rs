//! Alternatives of known work, measured and compared by the code that measures and compares everything else.

use std::cell::RefCell;
use std::rc::Rc;

use paw_data::cell::Cell;
use paw_data::comparison::{Comparison, Origin};
use paw_data::method::{Method, Plan};
use paw_data::outcome::{Check, CheckVerdict};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::{Instrument, Record};
use paw_measure::campaign::{self, Producer};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::instrument;
use paw_measure::local::Local;
use paw_measure::planned::{Campaign, PlannedCell};
use paw_measure::prepared_cell::PreparedCell;
use paw_measure::recorder::Recorder;
use paw_measure::session::Session;
use paw_measure::workload::Timed;
use paw_stats::rng::Rng;

use super::machine::{Machine, Work};

/// One of the alternatives: an iteration is `steps` steps of `work`.
#[derive(Debug, Clone)]
pub struct Alternative {
    /// The work of an iteration.
    pub work: Work,
    /// Steps of that work in an iteration.
    pub steps: u64,
    /// The interruptions of the work, if there are any.
    pub pauses: Option<Pauses>,
}

/// Pauses at random times: before an iteration with this chance, of exponentially distributed length.
#[derive(Debug, Clone, Copy)]
pub struct Pauses {
    /// Chance of a pause before a region.
    pub chance: f64,
    /// Mean length in seconds.
    pub mean_s: f64,
    /// Seed of chance and length.
    pub seed: u64,
}

/// Measures alternatives in the same rounds; their records in order. The error says why one could not be measured.
pub fn measured(
    machine: &Rc<dyn Machine>,
    alternatives: &[Alternative],
    method: &Method,
    seed: u64,
) -> Result<Vec<Record>, String> {
    let clock = machine.clock();
    let cells = (0..).zip(alternatives).map(|(id, alternative)| PlannedCell {
        cell: cell(id, &method.name),
        job: (alternative.clone(), method.clone()),
    });
    let campaign = Campaign::unestimated(vec![cells.collect()]);
    let plan = Plan::new(method.clone(), seed, None);
    let mut chains = Chains { machine: Rc::clone(machine), instrument: instrument::measure(&clock) };
    let mut recorder = Recorder::default();
    campaign::run(campaign, &plan, &Session::alone(clock), &mut chains, &mut recorder);
    let failed = recorder.records.iter().find_map(|record| record.outcome.as_ref().and_then(|o| o.why.clone()));
    match failed {
        None if recorder.records.len() == alternatives.len() => Ok(recorder.records),
        failed => Err(failed.unwrap_or_else(|| "a cell was not measured".to_owned())),
    }
}

/// The comparison of two records of one group.
pub fn compared(records: &[Record]) -> Result<Comparison, String> {
    let [a, b] = records else { return Err(format!("{} records are no pair", records.len())) };
    Comparison::between(a, b, Origin::SameRun).ok_or_else(|| "the records have no samples".to_owned())
}

fn cell(id: u32, method: &str) -> Cell {
    Cell {
        id,
        method: method.into(),
        ..Cell::new("selftest", "chain", format!("alternative {id}"), Quantity::Time, Point::new())
    }
}

/// Starts chains in this process.
struct Chains {
    machine: Rc<dyn Machine>,
    instrument: Instrument,
}

impl Producer for Chains {
    type Job = (Alternative, Method);

    fn start(&mut self, planned: &PlannedCell<Self::Job>) -> Result<PreparedCell, Fault> {
        let (alternative, method) = planned.job.clone();
        let random = RefCell::new(Rng::new(alternative.pauses.map_or(0, |pauses| pauses.seed)));
        let timed = Chain { machine: Rc::clone(&self.machine), alternative, random };
        let workload = Local::new(timed, self.machine.clock(), self.instrument.clone());
        Ok(PreparedCell::new(planned.cell.clone(), method, Box::new(workload)))
    }

    fn instrument(&self) -> Instrument {
        self.instrument.clone()
    }
}

struct Chain {
    machine: Rc<dyn Machine>,
    alternative: Alternative,
    random: RefCell<Rng>,
}

impl Chain {
    /// Seconds of the pause in the next region.
    fn pause_s(&self) -> Option<f64> {
        let pauses = self.alternative.pauses?;
        let mut random = self.random.borrow_mut();
        let (chance, length) = (random.uniform(), random.uniform());
        (chance < pauses.chance).then(|| -pauses.mean_s * (1.0 - length).ln())
    }
}

impl Timed for Chain {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let pause_s = self.pause_s();
        let start = clock.start();
        for _ in 0..loops {
            self.machine.run(self.alternative.work, self.alternative.steps);
        }
        if let Some(pause_s) = pause_s {
            self.machine.sleep(pause_s);
        }
        Ok(clock.seconds(start, clock.stop()))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        let method = "a chain has no answer".to_owned();
        Ok(Check { method, error: 0.0, bound: 0.0, verdict: CheckVerdict::Pass, note: String::new(), accuracy: None })
    }
}
