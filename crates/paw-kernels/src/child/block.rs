//! A block of generated code as a workload.

use paw_data::outcome::{Check, CheckVerdict};
use paw_data::secondary::{MetricName, SecondaryMetric};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::core_clock::core_hz;
use crate::job::BlockJob;
use crate::load::code::Code;

/// A block; a loop is one of its turns.
#[derive(Debug)]
pub(super) struct TimedBlock {
    code: Code,
    clocks: (f64, f64),
}

impl TimedBlock {
    /// The block of `job`.
    ///
    /// # Errors
    /// The system refuses memory for code, or the block is for another processor.
    pub fn new(job: &BlockJob) -> Result<Self, Fault> {
        if cfg!(not(target_arch = "x86_64")) {
            return Err(Fault::Missing("generated code is for x86-64, and this processor is another".to_owned()));
        }
        Ok(Self { code: Code::new(&job.code, &job.page, job.pointer)?, clocks: (f64::NAN, f64::NAN) })
    }
}

impl Timed for TimedBlock {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let before = core_hz(clock);
        let ticks = self.code.time(loops, clock);
        self.clocks = (before, core_hz(clock));
        Ok(clock.seconds(0, ticks))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        let method = "generated code has no answer".to_owned();
        Ok(Check { method, error: 0.0, bound: 0.0, verdict: CheckVerdict::Pass, note: String::new(), accuracy: None })
    }

    fn extra(&self) -> Vec<(MetricName, f64)> {
        let (before, after) = self.clocks;
        let mean = (before + after) / 2.0;
        let drift = (after - before).abs() / mean;
        vec![(SecondaryMetric::CoreClock.into(), mean), (SecondaryMetric::CoreDrift.into(), drift)]
    }
}
