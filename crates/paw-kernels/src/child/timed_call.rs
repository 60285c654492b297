//! A function with its arguments as a `Timed`.

use std::rc::Rc;

use paw_data::kernel::{CORE_DRIFT, CORE_HZ, Cache, Calls, TICKS, Tolerance};
use paw_data::outcome::Check;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_native::clock_chain::{ADD_CYCLES, adds};

use super::operands::{Layout, Operands};
use super::verify::{self, Answering, Held};
use crate::accuracy::RESULT;
use crate::answers::Answer;
use crate::job::{Answers, CallJob};
use crate::load::environment::Environment;
use crate::load::library::{Function, Loaded};
use crate::load::region::CallMode;

/// Additions of one probe of the core's clock: about 15 µs, a thousand times a clock's 10 ns.
const PROBE_STEPS: u64 = 60_000;
/// Probes before and after a region; the fastest one counts, because interrupts only slow them down.
const PROBES: u32 = 3;

/// One function with its arguments.
#[derive(Debug)]
pub(super) struct TimedCall {
    job: CallJob,
    library: Rc<Loaded>,
    function: Function,
    environment: Environment,
    operands: Option<Operands>,
    last: Last,
}

/// Further readings of the last region.
#[derive(Debug, Clone, Copy, Default)]
struct Last {
    ticks: Option<u64>,
    before_hz: f64,
    after_hz: f64,
}

impl TimedCall {
    /// The function that `job` names in `library`, called in `environment`.
    ///
    /// # Errors
    /// If there is no such function.
    pub fn new(job: CallJob, library: Rc<Loaded>, environment: Environment) -> Result<Self, Fault> {
        let function = library.function(&job.function)?;
        Ok(Self { job, library, function, environment, operands: None, last: Last::default() })
    }

    /// Allocates and warms up the arguments if there are none.
    ///
    /// # Errors
    /// Memory does not suffice, or the warm-up writes beside an array.
    pub fn prepare(&mut self) -> Result<(), Fault> {
        if self.operands.is_none() {
            let mut operands = Operands::new(&self.job, Layout::Successive)?;
            {
                let _inside = self.environment.enter();
                operands.arguments.run(self.function, self.job.warmup);
            }
            operands.arguments.intact()?;
            self.operands = Some(operands);
        }
        Ok(())
    }

    /// Gives the memory back.
    pub fn release(&mut self) {
        self.operands = None;
    }
}

impl Timed for TimedCall {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        self.prepare()?;
        let Some(operands) = &mut self.operands else { return Ok(f64::NAN) };
        let mode = match (self.job.cache, self.job.calls) {
            (Cache::Cold, _) => CallMode::Cold,
            (Cache::Warm, Calls::Throughput) => CallMode::Throughput,
            (Cache::Warm, Calls::Fenced) => CallMode::Fenced,
        };
        let before_hz = core_hz(clock);
        let ticks = {
            let _inside = self.environment.enter();
            operands.arguments.time(self.function, mode, loops, clock)
        };
        let after_hz = core_hz(clock);
        operands.arguments.intact()?;
        self.last = Last { ticks: clock.hz().map(|_| ticks), before_hz, after_hz };
        Ok(clock.seconds(0, ticks))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.release();
        verify::check(self)
    }

    fn renew(&mut self) -> Result<(), Fault> {
        self.release();
        self.prepare()
    }

    fn extra(&self) -> Vec<(String, f64)> {
        let Last { ticks, before_hz, after_hz } = self.last;
        let mean_hz = (before_hz + after_hz) / 2.0;
        let drift = (after_hz - before_hz).abs() / mean_hz;
        let ticks = ticks.map(|ticks| (TICKS.to_owned(), ticks as f64));
        ticks.into_iter().chain([(CORE_HZ.to_owned(), mean_hz), (CORE_DRIFT.to_owned(), drift)]).collect()
    }
}

impl Answering for TimedCall {
    type Held = Answered;

    fn wanted(&self) -> (&Answers, Tolerance) {
        (&self.job.answers, self.job.tolerance)
    }

    fn words(&self) -> [&'static str; 3] {
        ["two calls", "the reference build", "the function"]
    }

    /// Places the arrays tightly, so that reads beyond them fault too.
    fn answer(&self, function: Option<&str>) -> Result<Answered, Fault> {
        let function = function.map_or(Ok(self.function), |name| self.library.function(name))?;
        let mut operands = Operands::new(&self.job, Layout::Tight)?;
        let bytes = {
            let _inside = self.environment.enter();
            operands.arguments.result(function, self.job.result)
        };
        operands.arguments.intact()?;
        let answer = |element| Answer { name: RESULT.into(), element, bytes: bytes.into() };
        Ok(Answered { operands, result: self.job.result.map(answer) })
    }
}

/// The operands and the result of one call.
#[derive(Debug)]
pub(super) struct Answered {
    operands: Operands,
    result: Option<Answer<'static>>,
}

impl Held for Answered {
    fn answers(&self) -> Vec<Answer<'_>> {
        self.operands.outputs().chain(self.result.clone()).collect()
    }
}

/// The clock of this thread's core in hertz, from chains of dependent additions.
fn core_hz(clock: &Clock) -> f64 {
    let probe = |_| {
        let start = clock.start();
        let steps = adds(PROBE_STEPS);
        let stop = clock.stop();
        steps as f64 * ADD_CYCLES / clock.seconds(start, stop)
    };
    (0..PROBES).map(probe).fold(0.0, f64::max)
}
