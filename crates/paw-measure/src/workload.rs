//! The interface between the measuring loop and what it times.

use paw_data::cell::Cell;
use paw_data::outcome::{Caveat, Check};
use paw_data::run::Instrument;
use paw_data::secondary::{MetricName, SecondaryMetric};

use crate::clock::Clock;
use crate::disturbance::{self, Disturbance};
use crate::fault::Fault;

/// One reading of a timed region.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading {
    /// The whole region by the headline clock, in seconds.
    pub elapsed_s: f64,
    /// Seconds of each single operation, where each is stamped; else empty.
    pub ops_s: Vec<f64>,
    /// Seconds by which this process began each of them too late, where a moment was announced; else empty.
    pub starts_s: Vec<f64>,
    /// Secondary metrics by name.
    pub extra: Vec<(MetricName, f64)>,
    /// Disturbance of all threads of the region, read in the process that ran it.
    pub disturbance: Disturbance,
}

impl Reading {
    /// Iterations of the region, for which `asked` were asked: where each is stamped it may have ended early.
    pub fn loops(&self, asked: u64) -> u64 {
        if self.ops_s.is_empty() { asked } else { self.ops_s.len() as u64 }
    }

    /// The disturbance to compare with the limits, which are those of one process. On a team of `size` it is that of the ranks that made the
    /// sample as long as it is: what another rank waited did not. And of ten thousand ranks one always waits: unless more ranks do than on a
    /// quiet machine, the wait is part of what an operation of such a team takes.
    pub fn judged(&self, size: usize) -> Disturbance {
        let Some(slowest_s) = self.secondary(SecondaryMetric::RunDelaySlowest) else { return self.disturbance };
        let waiting = self.secondary(SecondaryMetric::RanksWaiting).unwrap_or(0.0);
        let is_usual = waiting <= f64::from(disturbance::usually_waiting(size));
        Disturbance { run_delay_s: if is_usual { 0.0 } else { slowest_s }, ..self.disturbance }
    }

    /// Its value of a secondary metric, if it has one.
    pub fn secondary(&self, metric: SecondaryMetric) -> Option<f64> {
        self.extra.iter().find(|(name, _)| *name == metric).map(|(_, value)| *value)
    }
}

/// A benchmark that runs in this process; its timed region is in its own file.
pub trait Timed {
    /// Seconds that `loops` iterations take: two clock readings and the operation between them.
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault>;

    /// Checks the answer on fresh output at the timed size, outside every timed region.
    fn verify(&mut self) -> Result<Check, Fault>;

    /// Checks cheaply, outside every timed region, what the last region left: a fault that comes and goes is not there any more when
    /// [`Timed::verify`] is called. The default checks nothing.
    ///
    /// # Errors
    /// [`Fault::Spoiled`] where it left a wrong answer.
    fn inspect(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    /// Allocates and touches the operands anew. The default keeps them.
    fn renew(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    /// Kernel thread ids of the threads the region runs on; empty means the calling thread alone.
    fn threads(&self) -> Vec<i32> {
        Vec::new()
    }

    /// Secondary metrics of the last region, by name. The default has none.
    fn extra(&self) -> Vec<(MetricName, f64)> {
        Vec::new()
    }

    /// Whether this rank's time counts: the target of a one-sided access only waits. The default is yes.
    fn takes_part(&self) -> bool {
        true
    }

    /// Caveats on its numbers; asked for when its series has ended. The default has none.
    fn caveats(&self) -> Vec<Caveat> {
        Vec::new()
    }
}

/// Anything that can be timed: code in this process, a worker, a device queue, a kernel's child, a command.
pub trait Workload {
    /// Allocates the operands or continues a paused workload, and makes one untimed call.
    fn resume(&mut self) -> Result<(), Fault>;

    /// Times one region of `loops` iterations, or of fewer where each is stamped; `None` where this rank is idle.
    fn sample(&mut self, loops: u64) -> Result<Option<Reading>, Fault>;

    /// Receives the combined reading of the last region of `loops` iterations; an idle rank learns only here how long one lasts.
    /// The default ignores it.
    fn learn(&mut self, _loops: u64, _combined: &Reading) {}

    /// Parks threads, stops processes or frees memory, so that the next cell runs undisturbed.
    fn pause(&mut self);

    /// Allocates and touches the operands anew, for methods that want fresh memory.
    fn renew(&mut self) -> Result<(), Fault>;

    /// The clock that times this workload, as measured in its process.
    fn instrument(&self) -> Instrument;

    /// Checks the answer on fresh output at the timed size, outside every timed region.
    fn verify(&mut self) -> Result<Check, Fault>;

    /// Writes into `cell` what is known only once the workload runs: the library found, threads really used, where ranks sit.
    /// Called once, after the first resume. The default knows nothing more.
    fn describe(&self, _cell: &mut Cell) {}

    /// Caveats on its numbers; asked for when its series has ended. The default has none.
    fn caveats(&self) -> Vec<Caveat> {
        Vec::new()
    }
}

impl Timed for Box<dyn Timed> {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        (**self).time(loops, clock)
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        (**self).verify()
    }

    fn inspect(&mut self) -> Result<(), Fault> {
        (**self).inspect()
    }

    fn renew(&mut self) -> Result<(), Fault> {
        (**self).renew()
    }

    fn threads(&self) -> Vec<i32> {
        (**self).threads()
    }

    fn extra(&self) -> Vec<(MetricName, f64)> {
        (**self).extra()
    }

    fn takes_part(&self) -> bool {
        (**self).takes_part()
    }

    fn caveats(&self) -> Vec<Caveat> {
        (**self).caveats()
    }
}
