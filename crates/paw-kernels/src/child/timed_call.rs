//! A function with its arguments as a `Timed`.

use std::rc::Rc;
use std::time::Instant;

use paw_data::kernel::{Cache, Calls, Restore, Tolerance};
use paw_data::outcome::{Caveat, Check, CheckVerdict};
use paw_data::secondary::{MetricName, SecondaryMetric};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_perf::counting::Counting;

use super::changes::Changes;
use super::core_clock::core_hz;
use super::operands::{Layout, Operands};
use super::side_effects::SideEffects;
use super::verify::{self, CheckedKernel, Held};
use crate::accuracy::RESULT;
use crate::answers::Answer;
use crate::job::{Answers, CallJob, CountedRepetition};
use crate::load::environment::Environment;
use crate::load::library::{Function, Loaded};
use crate::load::region::CallMode;

/// One function with its arguments.
#[derive(Debug)]
pub(super) struct TimedCall {
    job: CallJob,
    library: Rc<Loaded>,
    function: Function,
    environment: Environment,
    operands: Option<Operands>,
    /// The initial contents of the arrays that calls change, by their index.
    pristine: Vec<(usize, Vec<u8>)>,
    effects: Option<SideEffects>,
    /// Threads of this process before the first call.
    threads_before: usize,
    last: Last,
    /// What was changed in its loops.
    changes: Option<Changes>,
    /// How often the last region ran each block of the loops, if that is counted.
    runs: Vec<u64>,
}

/// Secondary metrics of the last region.
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
        Ok(Self {
            job,
            library,
            function,
            environment,
            operands: None,
            pristine: Vec::new(),
            effects: None,
            threads_before: tasks().len(),
            last: Last::default(),
            changes: None,
            runs: Vec::new(),
        })
    }

    /// The same call of a function whose loops were changed.
    pub fn with(self, changes: Option<Changes>) -> Self {
        Self { changes, ..self }
    }

    /// The counters of its loops.
    fn counts(&self) -> Vec<u64> {
        self.changes.as_ref().map_or_else(Vec::new, Changes::counts)
    }

    /// Allocates and warms up the arguments if there are none.
    ///
    /// # Errors
    /// Memory does not suffice, the warm-up writes beside an array, or calls change their input and nothing restores it.
    pub fn prepare(&mut self) -> Result<(), Fault> {
        if self.operands.is_none() {
            let effects = self.observed()?;
            effects.timed_as(self.job.restore)?;
            let mut operands = Operands::new(&self.job, Layout::Successive)?;
            let contents = |at: usize| (at, operands.arguments.arrays()[at].bytes().to_vec());
            self.pristine = effects.changed.iter().map(|(at, _)| contents(*at)).collect();
            {
                let _inside = self.environment.enter();
                // Calls that are timed alone are warmed up as they are timed.
                let restores = self.times_each_call();
                let turns = if restores || self.job.warmup_s.is_some() { self.job.warmup } else { 1 };
                let (began, enough_s) = (Instant::now(), self.job.warmup_s.unwrap_or(f64::INFINITY));
                for turn in 0..turns {
                    if turn > 0 && began.elapsed().as_secs_f64() >= enough_s {
                        break;
                    }
                    if turn == 0 || restores {
                        operands.arguments.restore(&self.pristine);
                    }
                    operands.arguments.run(self.function, self.job.warmup / turns);
                }
            }
            operands.arguments.intact()?;
            self.operands = Some(operands);
        }
        Ok(())
    }

    /// The side effects of a call, observed once.
    fn observed(&mut self) -> Result<SideEffects, Fault> {
        if self.effects.is_none() {
            self.effects = Some(SideEffects::observe(&self.job, self.function, self.environment)?);
        }
        Ok(self.effects.clone().unwrap_or_default())
    }

    /// Whether each call of a sample is timed alone, because its input is restored before it.
    pub fn times_each_call(&self) -> bool {
        self.job.restore == Some(Restore::Call) && !self.pristine.is_empty()
    }

    /// Counts while `calls` calls are made.
    ///
    /// # Errors
    /// As for [`prepare`](Self::prepare), or a call writes beside an array.
    pub fn counted(&mut self, counting: &mut Counting, calls: u64, clock: &Clock) -> Result<CountedRepetition, Fault> {
        self.prepare()?;
        let (each, mode) = (self.times_each_call(), self.mode());
        let Some(operands) = &mut self.operands else { return Err(Fault::Broken("there are no operands".to_owned())) };
        operands.arguments.restore(&self.pristine);
        let (ticks, _, readings) = {
            let _inside = self.environment.enter();
            counting.region(|| match each {
                true => operands.arguments.time_each(self.function, &self.pristine, mode, calls, clock),
                false => operands.arguments.time(self.function, mode, calls, clock),
            })
        };
        operands.arguments.intact()?;
        Ok(CountedRepetition { calls, seconds: clock.seconds(0, ticks), readings })
    }

    /// Makes `calls` calls.
    ///
    /// # Errors
    /// As for [`prepare`](Self::prepare), or a call writes beside an array.
    pub fn repeat(&mut self, calls: u64) -> Result<(), Fault> {
        self.prepare()?;
        let Some(operands) = &mut self.operands else { return Ok(()) };
        {
            let _inside = self.environment.enter();
            operands.arguments.run(self.function, calls);
        }
        operands.arguments.intact()
    }

    /// Sentences about what is counted beside the calls.
    pub fn counted_beside(&self) -> Vec<String> {
        let restored = self.times_each_call().then_some("arrays were restored before each call, which is counted too");
        let flushed =
            (self.job.cache == Cache::Cold).then_some("lines were flushed before each call, which is counted too");
        restored.into_iter().chain(flushed).map(str::to_owned).collect()
    }

    fn mode(&self) -> CallMode {
        match (self.job.cache, self.job.calls) {
            (Cache::Cold, _) => CallMode::Cold,
            (Cache::Warm, Calls::Throughput) => CallMode::Throughput,
            (Cache::Warm, Calls::Fenced) => CallMode::Fenced,
        }
    }

    /// Gives the memory back.
    pub fn release(&mut self) {
        self.operands = None;
        self.pristine.clear();
    }
}

impl Timed for TimedCall {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        self.prepare()?;
        let counted = self.counts();
        let (each, mode) = (self.times_each_call(), self.mode());
        let Some(operands) = &mut self.operands else { return Ok(f64::NAN) };
        operands.arguments.restore(&self.pristine);
        let before_hz = core_hz(clock);
        let ticks = {
            let _inside = self.environment.enter();
            match each {
                true => operands.arguments.time_each(self.function, &self.pristine, mode, loops, clock),
                false => operands.arguments.time(self.function, mode, loops, clock),
            }
        };
        let after_hz = core_hz(clock);
        operands.arguments.intact()?;
        self.last = Last { ticks: clock.hz().map(|_| ticks), before_hz, after_hz };
        self.runs = self.counts().iter().zip(counted).map(|(after, before)| after.wrapping_sub(before)).collect();
        Ok(clock.seconds(0, ticks))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.release();
        let mut check = verify::check(self)?;
        for call in 1..self.job.repeats {
            if check.verdict == CheckVerdict::Fail {
                check.note = format!("in call {call} of {}, by several threads: {}", self.job.repeats, check.note);
                break;
            }
            check = verify::check(self)?;
        }
        if !matches!(self.job.answers, Answers::Write(_)) {
            let mut effects = self.observed()?;
            effects.look_for_leak(&self.job, self.function, self.environment)?;
            self.effects = Some(effects);
        }
        Ok(check)
    }

    fn renew(&mut self) -> Result<(), Fault> {
        self.release();
        self.prepare()
    }

    fn extra(&self) -> Vec<(MetricName, f64)> {
        let Last { ticks, before_hz, after_hz } = self.last;
        let mean_hz = (before_hz + after_hz) / 2.0;
        let drift = (after_hz - before_hz).abs() / mean_hz;
        let ticks = ticks.map(|ticks| (SecondaryMetric::Ticks.into(), ticks as f64));
        let threads = 1 + tasks().len().saturating_sub(self.threads_before);
        let threads = (threads > 1).then(|| (SecondaryMetric::KernelThreads.into(), threads as f64));
        let core = [(SecondaryMetric::CoreClock.into(), mean_hz), (SecondaryMetric::CoreDrift.into(), drift)];
        let runs = self.runs.iter().enumerate().map(|(number, runs)| (MetricName::of_block(number), *runs as f64));
        ticks.into_iter().chain(core).chain(threads).chain(runs).collect()
    }

    fn threads(&self) -> Vec<i32> {
        let all = tasks();
        if all.len() > self.threads_before { all } else { Vec::new() }
    }

    fn caveats(&self) -> Vec<Caveat> {
        self.effects.as_ref().map_or_else(Vec::new, |effects| effects.caveats(self.job.restore))
    }
}

impl CheckedKernel for TimedCall {
    type Held = CallAnswers;

    fn wanted(&self) -> (&Answers, Tolerance) {
        (&self.job.answers, self.job.tolerance)
    }

    fn words(&self) -> [&'static str; 3] {
        ["two calls", "the reference build", "the function"]
    }

    /// Places the arrays tightly, so that reads beyond them fault too.
    fn answer(&self, function: Option<&str>) -> Result<CallAnswers, Fault> {
        let function = function.map_or(Ok(self.function), |name| self.library.function(name))?;
        let mut operands = Operands::new(&self.job, Layout::Tight)?;
        let bytes = {
            let _inside = self.environment.enter();
            operands.arguments.result(function, self.job.result)
        };
        operands.arguments.intact()?;
        let answer = |element| Answer { name: RESULT.into(), element, bytes: bytes.into() };
        Ok(CallAnswers { operands, result: self.job.result.map(answer) })
    }
}

/// The operands and the result of one call.
#[derive(Debug)]
pub(super) struct CallAnswers {
    operands: Operands,
    result: Option<Answer<'static>>,
}

impl Held for CallAnswers {
    fn answers(&self) -> Vec<Answer<'_>> {
        self.operands.outputs().chain(self.result.clone()).collect()
    }
}

/// The threads of this process.
fn tasks() -> Vec<i32> {
    let all = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    all.filter_map(|task| task.file_name().to_str()?.parse().ok()).collect()
}
