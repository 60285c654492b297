//! A rank's part of a cell.

use std::rc::Rc;

use paw_data::axis;
use paw_data::cell::Cell;
use paw_data::outcome::{Check, CheckVerdict};
use paw_data::run::Instrument;
use paw_measure::fault::Fault;
use paw_measure::in_step::{InStep, IssueMode};
use paw_measure::starter;
use paw_measure::team::Team as _;
use paw_measure::workload::Workload;

use super::world::World;
use crate::benchmark::Start;
use crate::choice::StartMode;
use crate::engine::Engine;
use crate::plan::PlannedBenchmark;

/// Bytes per second below those of any useful network, and of memory touched for the first time: the watchdog errs towards waiting.
const SLOW_BYTES_PER_S: f64 = 1e9;
/// Seconds of a message on a good network.
const SLOW_MESSAGE_S: f64 = 1e-6;

/// Seconds of an operation, as the watchdog assumes, if ranks share processors: a time slice is some milliseconds, and not every
/// message waits for one.
const TURN_S: f64 = 1e-3;

/// Seconds that the start or an iteration of a cell may take.
fn expected_s(planned: &PlannedBenchmark) -> f64 {
    let Cell { point, work, .. } = &planned.cell;
    let bytes = (planned.job.benchmark.common.memory_bytes)(point) + work.bytes;
    bytes / SLOW_BYTES_PER_S + work.messages * SLOW_MESSAGE_S
}

impl World {
    /// This rank's part of a cell, after one exchange whose result is checked; a wrong result refuses the cell on every rank.
    pub fn workload(
        self: &Rc<Self>,
        planned: &PlannedBenchmark,
        start: StartMode,
        instrument: Instrument,
    ) -> Result<Box<dyn Workload>, Fault> {
        let engine = Rc::new(Engine::Ranks(Rc::clone(self)));
        let begin = Start { point: &planned.cell.point, engine: &engine, last_cache_bytes: 0.0 };
        // A rank may fail while the others wait for it in their start.
        let expected_s = expected_s(planned).max(if self.is_oversubscribed { TURN_S } else { 0.0 });
        self.watchdog.expect(expected_s);
        let _armed = self.watchdog.arm();
        let started = self.watchdog.noted((planned.job.benchmark.start)(&begin));
        self.team.agree(started.as_ref().map(|_| ()).map_err(Clone::clone))?;
        let mut timed = started?;
        let check = self.team.judge(self.watchdog.noted(timed.verify()))?;
        if check.verdict == CheckVerdict::Fail {
            let note = format!("before anything was timed, {}", check.note);
            return Err(Fault::Wrong(Box::new(Check { note, ..check })));
        }
        let issue_mode = match planned.cell.point.text(axis::CADENCE) {
            Some(axis::ISOLATED) => IssueMode::Isolated,
            _ => IssueMode::BackToBack,
        };
        let start = match start {
            StartMode::GlobalClock => starter::Start::GlobalClock,
            StartMode::Barrier => starter::Start::Barrier,
        };
        let workload =
            InStep::new(timed, instrument, Rc::clone(&self.starter)).starting(start, issue_mode).expecting(expected_s);
        Ok(Box::new(workload.guarded(Rc::clone(&self.watchdog))))
    }
}
