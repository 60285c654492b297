//! A workload in this process: a timed region, a clock, and a probe.

use paw_data::outcome::{Caveat, Check};
use paw_data::run::Instrument;

use crate::clock::Clock;
use crate::fault::Fault;
use crate::instrument;
use crate::schedstat_probe::SchedstatProbe;
use crate::workload::{Reading, Timed, Workload};

/// Seconds of an iteration that refills its caches in its first per cent: longer ones get no untimed call when they resume.
pub(crate) const LONG_ITERATION_S: f64 = 0.1;

/// A workload in this process.
pub struct Local<T> {
    timed: T,
    clock: Clock,
    instrument: Instrument,
    probe: Option<SchedstatProbe>,
    iteration_s: f64,
}

impl<T: Timed> Local<T> {
    /// Times `timed` by `clock`, whose resolution and overhead are in `instrument`.
    pub fn new(timed: T, clock: Clock, instrument: Instrument) -> Self {
        Self { timed, clock, instrument, probe: None, iteration_s: 0.0 }
    }

    /// Times `timed` by `clock`, and measures the clock's resolution and overhead now, in a few milliseconds.
    pub fn measured(timed: T, clock: Clock) -> Self {
        let instrument = instrument::measure(&clock);
        Self::new(timed, clock, instrument)
    }

    /// The timed benchmark.
    pub fn timed(&self) -> &T {
        &self.timed
    }

    /// The timed benchmark, to change it between regions.
    pub fn timed_mut(&mut self) -> &mut T {
        &mut self.timed
    }

    fn probe(&mut self) -> &mut SchedstatProbe {
        let (timed, clock) = (&self.timed, &self.clock);
        self.probe.get_or_insert_with(|| SchedstatProbe::under(clock, &timed.threads()))
    }
}

impl<T: Timed> Workload for Local<T> {
    fn resume(&mut self) -> Result<(), Fault> {
        if self.iteration_s < LONG_ITERATION_S {
            self.timed.time(1, &self.clock)?;
        }
        Ok(())
    }

    fn sample(&mut self, loops: u64) -> Result<Option<Reading>, Fault> {
        self.probe().before();
        let elapsed_s = self.timed.time(loops, &self.clock)?;
        let disturbance = self.probe().after();
        self.iteration_s = elapsed_s / loops as f64;
        self.timed.inspect()?;
        Ok(Some(Reading { elapsed_s, disturbance, extra: self.timed.extra(), ..Reading::default() }))
    }

    fn pause(&mut self) {}

    fn renew(&mut self) -> Result<(), Fault> {
        self.timed.renew()
    }

    fn instrument(&self) -> Instrument {
        self.instrument.clone()
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.timed.verify()
    }

    fn caveats(&self) -> Vec<Caveat> {
        self.timed.caveats()
    }
}
