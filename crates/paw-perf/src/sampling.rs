//! Where processes spend their processor time, by samples at regular intervals of it.
//!
//! An event of the processor's clock (cpu-clock) is opened on every processor, for the programs that the calling thread will start or for one
//! that runs. It counts the time that they have a processor, and takes a sample each period of it. It needs no hardware counter, so that it
//! works in virtual machines too. Events are inherited by threads and children.
//!
//! Where perf_event is refused, signals of a timer sample the programs that can be started for it.

mod address_space;
mod collector;
mod events;
mod reader;
mod sampled;
mod signals;

pub use sampled::{Image, ImageKind, Place, Sampled, SignalFacts, StackCount, Thread};
pub use signals::{Knocked, SIGNAL_HZ_MAX, WaitError, Waiter, knock};

use std::fs;
use std::time::{Duration, SystemTime};

use crate::Refusal;
use events::EventSampler;
use signals::SignalSampler;

/// What is sampled, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Samples of a second of processor time.
    pub hz: u32,
    /// Whose time is sampled.
    pub scope: Scope,
    /// Whether callers are recorded.
    pub chains: Chains,
}

/// Whose time is sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Every program that the calling thread starts from now on, from its exec on, and all that it starts.
    Programs,
    /// Processes that the calling thread starts from now on, each between [`Sampler::begin`] and [`Sampler::end`].
    Windows,
    /// The running process of this number: its threads, and all that they start.
    Process(u32),
}

/// Whether callers are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chains {
    /// The address alone.
    None,
    /// Return addresses, by frame pointers.
    FramePointers,
}

/// The most samples of a second: the kernel's own timer goes no finer than 10 µs.
pub const HZ_MAX: u32 = 100_000;

/// What takes samples.
#[derive(Debug)]
pub struct Sampler {
    means: Means,
    since: SystemTime,
}

/// By which means.
#[derive(Debug)]
enum Means {
    Events(EventSampler),
    Signals(SignalSampler),
}

impl Sampler {
    /// Begins to sample, by perf_event or, where that is refused, by signals.
    ///
    /// # Errors
    /// Neither is possible; the sentence says what would help.
    pub fn open(options: &Options) -> Result<Self, Refusal> {
        let since = match options.scope {
            Scope::Process(pid) => began(pid),
            Scope::Programs | Scope::Windows => None,
        };
        let since = since.unwrap_or_else(SystemTime::now);
        let means = match EventSampler::open(options) {
            Ok(events) => Means::Events(events),
            Err(why) if matches!(options.scope, Scope::Process(_)) => return Err(why.of_running()),
            Err(why) => Means::Signals(SignalSampler::open(options, why)?),
        };
        Ok(Self { means, since })
    }

    /// The door at which a process [`knock`]s that is to be sampled; `None` if there is nothing that a process has to do.
    pub fn door(&self) -> Option<&str> {
        match &self.means {
            Means::Events(_) => None,
            Means::Signals(signals) => Some(signals.door()),
        }
    }

    /// Samples the process `pid` from now on, or what the calling thread started: for [`Scope::Windows`].
    pub fn begin(&self, pid: u32) {
        match &self.means {
            Means::Events(events) => events.resume(),
            Means::Signals(signals) => signals.begin(pid),
        }
    }

    /// Samples nothing from now on.
    pub fn end(&self) {
        match &self.means {
            Means::Events(events) => events.pause(),
            Means::Signals(signals) => signals.end(),
        }
    }

    /// What waits for children of this process: those that are sampled must not be waited for otherwise.
    pub fn waiter(&self) -> Waiter {
        match &self.means {
            Means::Events(_) => Waiter::default(),
            Means::Signals(signals) => signals.waiter(),
        }
    }

    /// Why a process that was to be sampled could not be; `None` as long as all could.
    pub fn refusal(&self) -> Option<Refusal> {
        match &self.means {
            Means::Events(_) => None,
            Means::Signals(signals) => signals.refusal(),
        }
    }

    /// Ends the sampling and returns what was found. Children should have ended, and been waited for: their time in the kernel is theirs then.
    pub fn finish(self) -> Sampled {
        let found = match self.means {
            Means::Events(events) => events.finish(),
            Means::Signals(signals) => signals.finish(),
        };
        Sampled { since: Some(self.since), ..found }
    }
}

/// When the process `pid` began: proc(5), field 22 of /proc/PID/stat, in hundredths of a second since the start of the system.
fn began(pid: u32) -> Option<SystemTime> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let ticks: f64 = stat.rsplit(')').next()?.split_whitespace().nth(19)?.parse().ok()?;
    let uptime_s: f64 = fs::read_to_string("/proc/uptime").ok()?.split_whitespace().next()?.parse().ok()?;
    let age = Duration::try_from_secs_f64((uptime_s - ticks / 100.0).max(0.0)).ok()?;
    SystemTime::now().checked_sub(age)
}
