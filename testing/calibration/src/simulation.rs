//! Machines of scripted time: known programs, measured by the code that measures real ones, on machines whose habits are those of
//! [`paw_stats::population`].

use std::cell::RefCell;
use std::rc::Rc;

use paw_data::cell::Cell;
use paw_data::comparison::{Comparison, Origin};
use paw_data::machine::Machine;
use paw_data::method::{Method, Plan};
use paw_data::outcome::{Check, CheckVerdict};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::{Instrument, Record};
use paw_measure::campaign::{self, Processes, Producer};
use paw_measure::clock::Clock;
use paw_measure::clock::scripted::Script;
use paw_measure::fault::Fault;
use paw_measure::instrument;
use paw_measure::local::Local;
use paw_measure::method;
use paw_measure::planned::{Campaign, PlannedCell};
use paw_measure::prepared_cell::PreparedCell;
use paw_measure::recorder::Recorder;
use paw_measure::session::Session;
use paw_measure::workload::Timed;
use paw_stats::population::{Population, TRUTH_S};
use paw_stats::rng::Rng;

use crate::pairs::Verdicts;
use crate::repeats::Repeats;

/// Other work on a scripted machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interference {
    /// Chance that a region has to wait for its processor.
    pub chance: f64,
    /// Mean wait, in regions; waits are distributed exponentially.
    pub mean: f64,
}

/// No other work, and as much as leaves a third of the regions alone.
pub const IDLE: Interference = Interference { chance: 0.0, mean: 0.0 };
/// Other work that takes the processor during two regions of five.
pub const LOADED: Interference = Interference { chance: 0.4, mean: 0.5 };

/// A scripted machine.
#[derive(Debug, Clone)]
pub struct ScriptedMachine {
    population: &'static Population,
    interference: Interference,
    script: Script,
    state: Rc<RefCell<State>>,
}

#[derive(Debug)]
struct State {
    rng: Rng,
    drift: f64,
}

impl ScriptedMachine {
    /// A machine with the habits of `population` and other work on it, from `seed`.
    pub fn new(population: &'static Population, interference: Interference, seed: u64) -> Self {
        let state = State { rng: Rng::new(seed), drift: 1.0 };
        Self { population, interference, script: Script::new(1e-9, 25e-9), state: Rc::new(RefCell::new(state)) }
    }

    /// The records of programs that take `factors` times the true time, alternatives of one group.
    pub fn measured(&self, factors: &[f64], seed: u64) -> Vec<Record> {
        let method = method::default();
        let clock = Clock::Scripted(self.script.clone());
        let cells = (0..).zip(factors).map(|(id, factor)| PlannedCell { cell: cell(id, &method), job: *factor });
        let campaign = Campaign::unestimated(vec![cells.collect()]);
        let plan = Plan::new(method.clone(), seed, None);
        let instrument = instrument::measure(&clock);
        let mut programs = Programs { machine: self.clone(), method, instrument };
        let mut recorder = Recorder::default();
        campaign::run(campaign, &plan, &Session::alone(clock), &mut programs, &mut recorder);
        recorder.records
    }

    /// Time of one region of `iterations` of a program.
    fn region(&self, iterations_s: f64) {
        let mut state = self.state.borrow_mut();
        let State { rng, drift } = &mut *state;
        *drift = self.population.drift_factor(*drift, rng);
        let region_s = iterations_s * *drift * self.population.sample_factor(rng);
        self.script.advance(region_s);
        if rng.uniform() < self.interference.chance {
            self.script.delay(-region_s * self.interference.mean * (1.0 - rng.uniform()).ln());
        }
    }
}

/// Verdicts on `comparisons` pairs, whose second program takes `factor` times as long as the first.
pub fn verdicts(
    population: &'static Population,
    interference: Interference,
    factor: f64,
    comparisons: u64,
) -> Verdicts {
    let mut verdicts = Verdicts::default();
    for seed in 0..comparisons {
        let records = ScriptedMachine::new(population, interference, seed).measured(&[1.0, factor], seed);
        if let [a, b] = &records[..]
            && let Some(comparison) = Comparison::between(a, b, Origin::SameRun)
        {
            verdicts.add(comparison.verdict);
        }
    }
    verdicts
}

/// One program in `runs` fresh runs.
pub fn repeats(population: &'static Population, interference: Interference, runs: u64) -> Repeats {
    let mut repeats = Repeats::default();
    for seed in 0..runs {
        let records = ScriptedMachine::new(population, interference, seed).measured(&[1.0], seed);
        repeats.add_records(&records, &method::default(), &Machine::default());
    }
    repeats
}

fn cell(id: u32, method: &Method) -> Cell {
    Cell {
        id,
        method: method.name.as_str().into(),
        ..Cell::new("simulation", "program", format!("program {id}"), Quantity::Time, Point::new())
    }
}

/// Starts programs on a scripted machine, each in a process of its own.
struct Programs {
    machine: ScriptedMachine,
    method: Method,
    instrument: Instrument,
}

impl Producer for Programs {
    type Job = f64;

    fn start(&mut self, planned: &PlannedCell<f64>) -> Result<PreparedCell, Fault> {
        let process = self.machine.population.process_factor(&mut self.machine.state.borrow_mut().rng);
        let program = Program { machine: self.machine.clone(), iteration_s: TRUTH_S * planned.job * process };
        let workload = Local::new(program, Clock::Scripted(self.machine.script.clone()), self.instrument.clone());
        Ok(PreparedCell::new(planned.cell.clone(), self.method.clone(), Box::new(workload)))
    }

    fn processes(&self) -> Processes {
        Processes::Fresh
    }

    fn instrument(&self) -> Instrument {
        self.instrument.clone()
    }
}

/// A program in one process.
struct Program {
    machine: ScriptedMachine,
    iteration_s: f64,
}

impl Timed for Program {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let start = clock.start();
        self.machine.region(loops as f64 * self.iteration_s);
        Ok(clock.seconds(start, clock.stop()))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        let method = "scripted".to_owned();
        Ok(Check { method, error: 0.0, bound: 0.0, verdict: CheckVerdict::Pass, note: String::new(), accuracy: None })
    }
}
