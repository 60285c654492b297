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

/// Slower than any network that is still of use, and than memory that is touched for the first time: the watchdog errs towards waiting.
const SLOW_BYTES_PER_S: f64 = 1e9;
/// Two ranks of one machine, or a good network.
const SLOW_MESSAGE_S: f64 = 1e-6;

/// What an operation takes at least where ranks take turns on processors, as far as the watchdog knows: a time slice is some
/// milliseconds, and not every message waits for one.
const TURN_S: f64 = 1e-3;

/// Seconds that starting a cell, or an iteration of it, may well take.
fn expected_s(planned: &PlannedBenchmark) -> f64 {
    let Cell { point, work, .. } = &planned.cell;
    let bytes = (planned.job.benchmark.common.memory_bytes)(point) + work.bytes;
    bytes / SLOW_BYTES_PER_S + work.messages * SLOW_MESSAGE_S
}

impl World {
    /// This rank's part of a cell, after one exchange whose answer is checked; a wrong one is everyone's refusal.
    pub fn workload(
        self: &Rc<Self>,
        planned: &PlannedBenchmark,
        start: StartMode,
        instrument: Instrument,
    ) -> Result<Box<dyn Workload>, Fault> {
        let engine = Rc::new(Engine::Ranks(Rc::clone(self)));
        let begin = Start { point: &planned.cell.point, engine: &engine, last_cache_bytes: 0.0 };
        // What a start asks of the others may not come.
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
