//! Sampling without perf_event, of programs that take part from their start: by SIGPROF, and nothing of ours in the program.
//!
//! A program is started through a process of ours, which knocks at a [`Door`](door), is traced from then on (ptrace), sets the timer of its
//! processor time, and becomes the program: the timer outlives exec. Each SIGPROF of the timer stops a running thread before it would see
//! the signal; its tracer notes where it was and lets it go on without the signal. All other signals reach the program as they are.

mod door;
mod frames;
mod proportion;
mod stop;
mod sys;
mod tally;
mod tracer;

use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::time::Duration;

pub use door::{Knocked, knock};
pub use tally::WaitError;

use super::Options;
use super::sampled::Sampled;
use crate::Refusal;
use door::Door;
use tally::Tally;

/// The most samples of a second: timers of processor time are looked at by the kernel's tick, 250 times a second on most machines.
pub const SIGNAL_HZ_MAX: u32 = 250;

/// Samples the programs that knock at its door.
#[derive(Debug)]
pub(super) struct SignalSampler {
    tally: Arc<Tally>,
    door: Door,
    why: Refusal,
}

impl SignalSampler {
    /// Opens the door. `why` is the reason for which perf_event does not sample.
    ///
    /// # Errors
    /// This processor is not known, or there is no socket.
    pub fn open(options: &Options, why: Refusal) -> Result<Self, Refusal> {
        if !sys::IS_KNOWN_HERE {
            return Err(why);
        }
        let tally = Arc::new(Tally::new(options.scope, options.chains, period(options.hz, sys::tick())));
        let door = Door::open(&tally).map_err(|error| Refusal::to_trace(&error))?;
        Ok(Self { tally, door, why })
    }

    /// The name of the door.
    pub fn door(&self) -> &str {
        self.door.name()
    }

    /// Samples the process `pid` alone from now on.
    pub fn begin(&self, pid: u32) {
        self.tally.open_window(pid);
    }

    /// Samples no process from now on.
    pub fn end(&self) {
        self.tally.close_window();
    }

    /// What waits for children.
    pub fn waiter(&self) -> Waiter {
        Waiter(Some(Arc::clone(&self.tally)))
    }

    /// Why a process could not be traced.
    pub fn refusal(&self) -> Option<Refusal> {
        self.tally.refusal().map(|own| self.why.and(&own))
    }

    /// All that was found.
    pub fn finish(self) -> Sampled {
        drop(self.door);
        self.tally.finish(self.why)
    }
}

/// Waits for children that may be traced: then their tracer alone may.
#[derive(Debug, Clone, Default)]
pub struct Waiter(Option<Arc<Tally>>);

impl Waiter {
    /// Waits until `child` has ended.
    ///
    /// # Errors
    /// Its program could not be started, or its end is not known.
    pub fn wait(&self, child: &mut Child) -> Result<ExitStatus, WaitError> {
        match &self.0 {
            Some(tally) => tally.wait(child),
            None => child.wait().map_err(WaitError::Unknown),
        }
    }
}

/// The processor time between two samples: whole ticks, no fewer than `hz` and [`SIGNAL_HZ_MAX`] allow.
fn period(hz: u32, tick: Duration) -> Duration {
    let wanted = Duration::from_secs(1) / hz.clamp(1, SIGNAL_HZ_MAX);
    let tick = tick.max(Duration::from_micros(1));
    let ticks = wanted.as_nanos().div_ceil(tick.as_nanos());
    tick * u32::try_from(ticks).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_is_a_whole_number_of_ticks_and_no_shorter_than_asked() {
        let check = |hz, tick_us, expected_us| {
            assert_eq!(period(hz, Duration::from_micros(tick_us)), Duration::from_micros(expected_us), "{hz} Hz");
        };
        check(997, 4000, 4000);
        check(997, 1000, 4000);
        check(997, 10_000, 10_000);
        check(997, 3333, 6666);
        check(100, 4000, 12_000);
        check(1, 4000, 1_000_000);
    }
}
