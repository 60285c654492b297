//! What the tracers of a sampler have found together, and which processes they trace.

use std::collections::{HashMap, HashSet};
use std::io;
use std::process::{Child, ExitStatus};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::proportion::Proportion;
use super::sys;
use crate::Refusal;
use crate::record::{Body, Record};
use crate::sampling::collector::{Age, Collector};
use crate::sampling::sampled::{Sampled, SignalFacts};
use crate::sampling::{Chains, Scope};

/// Time between two looks at a process that is not traced yet.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);
/// Longest wait for tracers whose processes are about to end.
const ENDING: Duration = Duration::from_secs(2);

/// What the tracers of a sampler have found together.
#[derive(Debug)]
pub(super) struct Tally {
    pub scope: Scope,
    pub chains: Chains,
    /// Processor time between two samples of a process.
    pub period: Duration,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    collector: Collector,
    /// Samples and other records so far, which stand for their time.
    records: u64,
    /// Processes that are traced.
    traced: HashSet<u32>,
    ended: HashMap<u32, End>,
    /// The process that is sampled alone, and its processor time when that began.
    window: Option<(u32, f64)>,
    clock_s: f64,
    children_s: f64,
    handles_signal: bool,
    proportion: Proportion,
    refusal: Option<Refusal>,
}

/// How a traced process ended.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct End {
    /// Its status; `None` if nobody saw its end.
    pub status: Option<ExitStatus>,
    /// Seconds of processor time since it was traced.
    pub clock_s: f64,
    /// Seconds of processor time of its children that it waited for.
    pub children_s: f64,
    /// The number of the error for which its program could not be started.
    pub errno: Option<i32>,
}

/// Why there is no exit status.
#[derive(Debug)]
pub enum WaitError {
    /// The program could not be started.
    NotStarted(io::Error),
    /// The end is not known.
    Unknown(io::Error),
}

impl Tally {
    pub fn new(scope: Scope, chains: Chains, period: Duration) -> Self {
        let collector = Collector::new(std::process::id(), Age::Younger);
        let state = State { collector, ..State::default() };
        Self { scope, chains, period, state: Mutex::new(state), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Counts stay counts, whatever a thread died of.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the calling thread the tracer of `pid`. From then on only that thread waits for it.
    pub fn trace(&self, pid: u32) -> io::Result<()> {
        let mut state = self.state();
        let seized = sys::seize(pid);
        match &seized {
            Ok(()) => drop(state.traced.insert(pid)),
            Err(error) => state.refusal = Some(Refusal::to_trace(error)),
        }
        seized
    }

    /// Whether a process is sampled now.
    pub fn is_wanted(&self, pid: u32) -> bool {
        self.scope == Scope::Programs || self.state().window.is_some_and(|(wanted, _)| wanted == pid)
    }

    /// Takes what a tracer saw.
    pub fn take(&self, bodies: impl IntoIterator<Item = Body>) {
        let mut state = self.state();
        for body in bodies {
            state.records += 1;
            let time = state.records;
            state.collector.take(Record { time, body });
        }
        state.collector.end_reading();
    }

    /// Notes that a program handles SIGPROF itself.
    pub fn handles_signal(&self) {
        self.state().handles_signal = true;
    }

    /// Notes the samples and the processor seconds of a thread.
    pub fn thread(&self, pid: u32, samples: u64, seconds: f64) {
        self.state().proportion.add(pid, samples, seconds);
    }

    /// Notes the end of a process.
    pub fn ends(&self, pid: u32, end: End) {
        let mut state = self.state();
        if self.scope == Scope::Programs {
            state.clock_s += end.clock_s;
            state.children_s += end.children_s;
        }
        state.traced.remove(&pid);
        state.ended.insert(pid, end);
        drop(state);
        self.changed.notify_all();
    }

    /// Samples the process `pid` from now on.
    pub fn open_window(&self, pid: u32) {
        self.state().window = sys::processor_s(pid).map(|from_s| (pid, from_s));
    }

    /// Samples no process from now on.
    pub fn close_window(&self) {
        let mut state = self.state();
        if let Some((pid, from_s)) = state.window.take() {
            state.clock_s += sys::processor_s(pid).map_or(0.0, |now_s| (now_s - from_s).max(0.0));
        }
    }

    /// Waits for a child of this process, which only its tracer may do while it is traced.
    pub fn wait(&self, child: &mut Child) -> Result<ExitStatus, WaitError> {
        let pid = child.id();
        let mut state = self.state();
        loop {
            if let Some(end) = state.ended.get(&pid) {
                let failed = end.errno.map(io::Error::from_raw_os_error);
                let unknown = || WaitError::Unknown(io::Error::other("nobody saw it"));
                return failed.map_or(end.status.ok_or_else(unknown), |error| Err(WaitError::NotStarted(error)));
            }
            // Under the lock no tracer can begin.
            if !state.traced.contains(&pid)
                && let Some(status) = child.try_wait().map_err(WaitError::Unknown)?
            {
                return Ok(status);
            }
            let waited = self.changed.wait_timeout(state, BETWEEN_LOOKS);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Why a process could not be traced.
    pub fn refusal(&self) -> Option<Refusal> {
        self.state().refusal.clone()
    }

    /// All that was found. Processes should have ended; those that have not are waited for a little.
    pub fn finish(&self, why: Refusal) -> Sampled {
        let limit = Instant::now() + ENDING;
        let mut state = self.state();
        while !state.traced.is_empty() && Instant::now() < limit {
            let waited = self.changed.wait_timeout(state, BETWEEN_LOOKS);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let facts = SignalFacts {
            why,
            children_s: state.children_s,
            handles_signal: state.handles_signal,
            misplaced: state.proportion.misplaced(),
        };
        Sampled {
            hz: (1.0 / self.period.as_secs_f64()).round() as u32,
            clock_s: state.clock_s,
            sees_kernel: true,
            signals: Some(facts),
            ..std::mem::take(&mut state.collector).finish()
        }
    }
}
