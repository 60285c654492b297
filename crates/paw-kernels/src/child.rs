//! The child's side: loads one build, calls it on data of its own, times it and checks its answers.
//!
//! A build has a process to itself, because loading it may change the process (code linked with fast mathematics switches subnormal
//! numbers off), calling it may end it, and its libraries may start threads in it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

use paw_data::json;
use paw_data::kernel::Float;
use paw_data::run::{ClockKind, Instrument};
use paw_measure::clock::Clock;
use paw_measure::clock::tsc::Tsc;
use paw_measure::fault::Fault;
use paw_measure::local::Local;
use paw_measure::workload::Workload;
use paw_perf::counting::{Counting, Start};
use paw_perf::sampling;
use paw_worker::protocol::Opened;
use paw_worker::serve::{self, Channel};
use serde_json::Value;

use crate::device::child::OpenDevices;
use crate::job::{BlockJob, CallJob, CountJob, CountNote, JobDescription, JobNote};
use crate::load::environment::Environment;
use crate::load::library::Loaded;
use crate::load::{arguments, signal};

mod block;
pub(crate) mod changes;
mod core_clock;
mod counted;
pub(crate) mod operands;
mod side_effects;
mod timed_call;
pub(crate) mod verify;
mod workload;

use block::TimedBlock;
use timed_call::TimedCall;
use workload::CallWorkload;

/// Serves the parent until it ends this process or is gone: opens every [`JobDescription`] and returns a [`JobNote`].
///
/// A workload allocates and warms up its arrays when it is renewed, or before its first region, and frees them when it is paused.
/// A region right after a renewal is a sample, and is refused if it is too short to be read; others, which search for a number of
/// calls, may have any length. A sampler behind a `door` traces this process.
///
/// # Errors
/// This process was not started by a parent, or cannot reach it, or may not be traced.
pub fn child_main(door: Option<&str>) -> Result<(), Fault> {
    let channel = Channel::inherited()?;
    if let Some(door) = door {
        let knocked = sampling::knock(door);
        drop(knocked.map_err(|error| Fault::Broken(format!("it cannot be sampled: {error}")))?);
    }
    let mut devices = OpenDevices::default();
    // Start-up code of a shared object runs once in a process, however often it is opened.
    let mut loaded: BTreeMap<PathBuf, Rc<Loaded>> = BTreeMap::new();
    let mut open = |value: &Value| -> Result<(Box<dyn Workload>, Opened), Fault> {
        let (job, counts) = match understood(value)? {
            JobDescription::Launch(job) => return devices.open(*job),
            JobDescription::Call(job) => (job, None),
            JobDescription::Count(CountJob { call, events, repetitions, floor_s }) => {
                // Before the first call: threads that it starts are counted as well.
                (call, Some((Counting::open(&events, Start::ByHand), repetitions, floor_s)))
            }
            JobDescription::Block(job) => return block(&job),
        };
        // Only call jobs install the signal handlers: a device's driver has handlers and threads of its own.
        signal::install()?;
        arguments::known_here()?;
        let library = match loaded.get(&job.library) {
            Some(library) => Rc::clone(library),
            None => Rc::clone(loaded.entry(job.library.clone()).or_insert(Loaded::open(&job.library)?)),
        };
        let (environment, float) = environment(job.float, library.linked());
        let changes = changes::Changes::made(&job, &library)?;
        let change = changes.as_ref().map(|changes| changes.note.clone());
        let (clock, instrument) = (clock(&job.instrument), job.instrument.clone());
        let mut kernel = TimedCall::new(job, library, environment)?.with(changes);
        let note = match counts {
            None => JobNote::Call { float, change },
            Some((mut counting, repetitions, floor_s)) => {
                let repetitions = counted::repetitions(&mut kernel, &mut counting, &clock, (repetitions, floor_s))?;
                JobNote::Counted(CountNote { repetitions, notes: kernel.counted_beside() })
            }
        };
        let note = serde_json::to_value(note).expect("a note is plain data");
        let opened = Opened { instrument: instrument.clone(), library: None, note };
        Ok((Box::new(CallWorkload::new(kernel, clock, instrument)), opened))
    };
    serve::serve(channel, &mut open, serve::unasked)
}

/// Repeats the calls of a job `calls` times after its warm-up, for a program that watches this process; nothing is timed.
///
/// # Errors
/// The job's function cannot be loaded or called.
pub fn replay(job: CallJob, calls: u64) -> Result<(), Fault> {
    arguments::known_here()?;
    let library = Loaded::open(&job.library)?;
    let (environment, _) = environment(job.float, library.linked());
    TimedCall::new(job, library, environment)?.repeat(calls)
}

/// A block as a workload of this process.
///
/// # Errors
/// The system does not let generated code be run.
fn block(job: &BlockJob) -> Result<(Box<dyn Workload>, Opened), Fault> {
    signal::install()?;
    let (clock, instrument) = (clock(&job.instrument), job.instrument.clone());
    let note = serde_json::to_value(JobNote::Block).expect("a note is plain data");
    let opened = Opened { instrument: instrument.clone(), library: None, note };
    Ok((Box::new(Local::new(TimedBlock::new(job)?, clock, instrument)), opened))
}

fn understood(value: &Value) -> Result<JobDescription, Fault> {
    json::from_value(value).map_err(|error| Fault::Broken(format!("the child does not understand its parent: {error}")))
}

/// The parent's clock.
fn clock(instrument: &Instrument) -> Clock {
    match (instrument.clock, instrument.hz) {
        (ClockKind::Tsc, Some(hz)) => Clock::Tsc(Tsc::known(hz)),
        _ => Clock::monotonic(),
    }
}

/// The floating-point environment of calls, and its words for the record; `linked` is the environment after loading.
fn environment(wanted: Float, linked: Environment) -> (Environment, String) {
    let (environment, words) = match (wanted, linked.flushes()) {
        (Float::AsLinked, true) => (linked, "ftz (set when it was loaded)"),
        (Float::AsLinked, false) => (linked, "ieee"),
        (Float::Ieee, true) => (Environment::IEEE, "ieee (ftz was set when it was loaded, and taken back)"),
        (Float::Ieee, false) => (Environment::IEEE, "ieee"),
        (Float::Ftz, _) => (Environment::FTZ, "ftz"),
    };
    (environment, words.to_owned())
}
