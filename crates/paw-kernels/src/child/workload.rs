//! A kernel as a `Workload`: frees its memory between turns, and refuses samples that are too short.

use paw_data::outcome::{Caveat, Check};
use paw_data::run::Instrument;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::local::Local;
use paw_measure::workload::{Reading, Workload};

use super::timed_call::TimedCall;

/// The least ticks of a sample: a hundred times the cost of a reading of the time-stamp counter.
const TICKS_MIN: f64 = 2000.0;
/// The least seconds of a sample on other clocks.
const SECONDS_MIN: f64 = 1e-6;

/// A kernel that takes turns with others. Paused, it holds no memory: the kernels of a group may need more together than the machine has.
pub(super) struct CallWorkload {
    local: Local<TimedCall>,
    instrument: Instrument,
    /// Whether the memory was renewed since the last region.
    renewed: bool,
}

impl CallWorkload {
    /// `kernel` by `clock`, which was measured as `instrument`.
    pub fn new(kernel: TimedCall, clock: Clock, instrument: Instrument) -> Self {
        Self { local: Local::new(kernel, clock, instrument.clone()), instrument, renewed: false }
    }
}

impl Workload for CallWorkload {
    /// Does nothing: arrays are allocated by `renew`, or before the first region.
    fn resume(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn sample(&mut self, loops: u64) -> Result<Option<Reading>, Fault> {
        let counts = std::mem::take(&mut self.renewed);
        self.local.timed_mut().prepare()?;
        let reading = self.local.sample(loops)?;
        // A call that is timed alone is a region of its own.
        let (what, regions) = if self.local.timed().times_each_call() { ("call", loops) } else { ("sample", 1) };
        match &reading {
            Some(reading) if counts => long_enough(what, reading.elapsed_s / regions as f64, &self.instrument)?,
            // The search for a number of calls begins with one call, however short.
            _ => {}
        }
        Ok(reading)
    }

    fn pause(&mut self) {
        self.local.timed_mut().release();
    }

    fn renew(&mut self) -> Result<(), Fault> {
        self.renewed = true;
        self.local.renew()
    }

    fn instrument(&self) -> Instrument {
        self.instrument.clone()
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.local.verify()
    }

    fn caveats(&self) -> Vec<Caveat> {
        self.local.caveats()
    }
}

/// # Errors
/// The sample is too short for its clock.
fn long_enough(what: &str, elapsed_s: f64, instrument: &Instrument) -> Result<(), Fault> {
    let short = match instrument.hz {
        Some(hz) => {
            let ticks = (elapsed_s * hz).round();
            (ticks < TICKS_MIN).then(|| format!("{ticks:.0} ticks, fewer than {TICKS_MIN:.0}"))
        }
        None => {
            (elapsed_s < SECONDS_MIN).then(|| format!("{:.0} ns, less than {:.0}", elapsed_s * 1e9, SECONDS_MIN * 1e9))
        }
    };
    let said = |short: String| {
        let way_out = match what {
            "call" => {
                "it is timed alone, because its input is restored before it: choose a larger size, or `restore = \"sample\"`"
            }
            _ => "take more calls with --reps, or let --region choose",
        };
        Err(Fault::Broken(format!("a {what} lasted {short}: {way_out}")))
    };
    short.map_or(Ok(()), said)
}

#[cfg(test)]
mod tests {
    use paw_data::run::{ClockKind, Instrument};

    use super::long_enough;

    fn check(hz: Option<f64>, elapsed_s: f64, expected: &str) {
        let clock = if hz.is_some() { ClockKind::Tsc } else { ClockKind::Monotonic };
        let instrument = Instrument { id: 0, clock, resolution_s: 1e-9, overhead_s: 2e-8, hz };
        let said = long_enough("sample", elapsed_s, &instrument)
            .map_or_else(|fault| fault.to_string(), |()| "enough".to_owned());
        assert_eq!(said, expected);
    }

    #[test]
    fn a_short_sample_is_refused_with_its_length() {
        let way_out = "take more calls with --reps, or let --region choose";
        check(Some(2.5e9), 480e-9, &format!("a sample lasted 1200 ticks, fewer than 2000: {way_out}"));
        check(Some(2.5e9), 800e-9, "enough");
        check(None, 900e-9, &format!("a sample lasted 900 ns, less than 1000: {way_out}"));
        check(None, 1e-6, "enough");
    }
}
