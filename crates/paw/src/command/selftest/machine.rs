//! The machine that checks run on: this one, or the script of a test.

use std::cell::OnceCell;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use paw_binary::form::{self, Probe};
use paw_foreign::null as foreign;
use paw_kernels::null;
use paw_kernels::processor_model::BlockBench;
use paw_kernels::request::Workbench;
use paw_machine::root::Root;
use paw_measure::clock::Clock;
use paw_measure::instrument;
use paw_native::buffer::Pages;
use paw_native::chase::{Chase, LINE_BYTES};
use paw_native::clock_chain;
use paw_worker::launch::{Deadlines, Idle, Launch};
use paw_worker::worker::Worker;
use rustix::thread::clock_nanosleep_absolute;
use rustix::time::{ClockId, Timespec, clock_gettime};

use super::activity::Activity;
use crate::host_facts;
use crate::model_store::{Freshness, ModelStore};
use crate::startup;

/// Work of known length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Dependent additions, one core cycle a step.
    Adds,
    /// Dependent multiplications.
    Multiplies,
    /// Chains of 32 dependent additions and one dependent multiplication, a chain a step.
    AddsWithAMultiply,
    /// Dependent loads from the first-level cache.
    Chase,
}

/// An interface to foreign code, through which a null call is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wall {
    /// Products of a BLAS library.
    Blas,
    /// Messages of an MPI library.
    Mpi,
    /// Copies and waits of a device's driver.
    Device,
    /// A function of a user's shared object.
    Kernel,
}

/// A null call through a foreign interface, and the same call by its bare pointer; each takes a number of calls and returns their
/// seconds.
pub struct NullCall {
    /// Times calls as paw makes them.
    pub through_s: Timing,
    /// Times calls by the function's bare pointer.
    pub bare_s: Timing,
}

/// Seconds that this many calls take.
pub type Timing = Box<dyn FnMut(u64) -> f64>;

/// A machine that checks run on.
pub trait Machine {
    /// The clock that paw times by.
    fn clock(&self) -> Clock;

    /// The processor's own counter as a second clock; the error says why it cannot be trusted.
    fn counter(&self) -> Result<Clock, String>;

    /// Does `steps` steps of `work`.
    fn run(&self, work: Work, steps: u64);

    /// Core cycles of one dependent multiplication, where that is the same on all processors of this kind.
    fn multiply_cycles(&self) -> Option<f64>;

    /// Sleeps `seconds` at least, until a moment of the monotonic clock.
    fn sleep(&self, seconds: f64);

    /// The null calls through the foreign interface `wall`; the error says why this machine has none.
    fn null_calls(&self, wall: Wall) -> Result<Vec<NullCall>, String>;

    /// Seconds of `count` requests to a worker process and its replies, each; the error says why there is none.
    fn round_trips_s(&self, count: usize) -> Result<Vec<f64>, String>;

    /// Core cycles of one instruction of each of `probes`, by generated code in a child; the error says why there are none.
    fn model(&self, probes: &[Probe]) -> Result<Vec<f64>, String>;

    /// The same as an earlier run of paw has kept them; `None` if any is missing.
    fn kept_model(&self, probes: &[Probe]) -> Option<Vec<f64>>;

    /// The counters of the machine and of this process now.
    fn activity(&self) -> Activity;
}

/// Half of the smallest first-level caches.
const CHASE_BYTES: usize = 16 << 10;

/// The machine this process runs on.
#[derive(Debug)]
pub struct ThisMachine {
    origin: Instant,
    clock: Clock,
    counter: OnceCell<Result<Clock, String>>,
    chase: Option<Chase>,
    /// The program and arguments of a worker.
    worker: (PathBuf, Vec<String>),
}

impl ThisMachine {
    /// This machine, whose workers are started as `worker`.
    pub fn new(worker: (PathBuf, Vec<String>)) -> Self {
        let chase = Chase::try_new(CHASE_BYTES, LINE_BYTES, 1, Pages::Plain).ok();
        Self { origin: Instant::now(), clock: Clock::monotonic(), counter: OnceCell::new(), chase, worker }
    }
}

impl ThisMachine {
    fn kernel_call(&self) -> Result<NullCall, String> {
        null::calls_s(1, &self.clock).map_err(|fault| fault.to_string())?;
        let [clock, bare] = [self.clock.clone(), self.clock.clone()];
        Ok(NullCall {
            through_s: Box::new(move |calls| null::calls_s(calls, &clock).unwrap_or(f64::INFINITY)),
            bare_s: Box::new(move |calls| null::bare_calls_s(calls, &bare)),
        })
    }
}

impl Machine for ThisMachine {
    fn clock(&self) -> Clock {
        self.clock.clone()
    }

    fn counter(&self) -> Result<Clock, String> {
        self.counter.get_or_init(|| Clock::tsc().map_err(|fault| fault.to_string())).clone()
    }

    fn run(&self, work: Work, steps: u64) {
        match (work, &self.chase) {
            (Work::Adds, _) => drop(clock_chain::adds(steps)),
            (Work::Multiplies, _) => drop(clock_chain::multiplies(steps)),
            (Work::AddsWithAMultiply, _) => clock_chain::adds_with_a_multiply(steps),
            (Work::Chase, Some(chase)) => drop(std::hint::black_box(chase.walk(0, steps))),
            (Work::Chase, None) => {}
        }
    }

    fn multiply_cycles(&self) -> Option<f64> {
        clock_chain::MULTIPLY_CYCLES
    }

    fn sleep(&self, seconds: f64) {
        let now = clock_gettime(ClockId::Monotonic);
        let nanoseconds = now.tv_nsec + (seconds * 1e9) as i64;
        let until = Timespec { tv_sec: now.tv_sec + nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000 };
        // A signal ends a sleep early: the moment stays.
        while clock_nanosleep_absolute(ClockId::Monotonic, &until).is_err_and(|error| error == rustix::io::Errno::INTR)
        {
        }
    }

    fn null_calls(&self, wall: Wall) -> Result<Vec<NullCall>, String> {
        let begins = match wall {
            Wall::Kernel => return self.kernel_call().map(|call| vec![call]),
            Wall::Blas => "blas",
            Wall::Mpi => "MPI",
            Wall::Device => "device",
        };
        let timed = |mut repeat: foreign::Repeat| -> Timing {
            let clock = self.clock.clone();
            Box::new(move |calls| {
                let start = clock.start();
                repeat(calls);
                clock.seconds(start, clock.stop())
            })
        };
        let calls = foreign::calls().into_iter().filter(|call| call.name.starts_with(begins));
        Ok(calls.map(|call| NullCall { through_s: timed(call.through), bare_s: timed(call.bare) }).collect())
    }

    fn round_trips_s(&self, count: usize) -> Result<Vec<f64>, String> {
        let (program, args) = self.worker.clone();
        let launch = Launch {
            name: "selftest".to_owned(),
            program,
            args,
            set: Vec::new(),
            remove: Vec::new(),
            cpus: Vec::new(),
            deadlines: Deadlines::default(),
            idle: Idle::Waiting,
        };
        let mut worker = Worker::start(launch).map_err(|fault| fault.to_string())?;
        let mut round_trip_s = || {
            let start = self.clock.start();
            // The worker knows no such question: its refusal is a reply like any other.
            let _ = worker.question(&serde_json::Value::Null);
            self.clock.seconds(start, self.clock.stop())
        };
        let times_s = (0..count).map(|_| round_trip_s()).collect();
        if worker.pid().is_none() {
            return Err("the worker process ended while it was asked".to_owned());
        }
        worker.quit();
        Ok(times_s)
    }

    fn model(&self, probes: &[Probe]) -> Result<Vec<f64>, String> {
        let nowhere = std::env::temp_dir();
        let bench = Workbench {
            child: (self.worker.0.clone(), vec![startup::KERNEL_CHILD.to_owned()]),
            cpus: Vec::new(),
            device: 0,
            threads: None,
            instrument: instrument::measure(&self.clock),
            deadline: Duration::from_secs(10),
            builds: nowhere.clone(),
            answers: nowhere,
            free_bytes: 0.0,
        };
        let mut blocks = BlockBench::new(&bench);
        probes.iter().map(|probe| blocks.cycles(&form::probe(*probe)?)).collect()
    }

    fn kept_model(&self, probes: &[Probe]) -> Option<Vec<f64>> {
        let machine = host_facts::read().ok()?.machine;
        let model = ModelStore::of(&machine.identity.fingerprint).model(Freshness::Kept);
        probes.iter().map(|probe| model.known(*probe)).collect()
    }

    fn activity(&self) -> Activity {
        Activity::read(&Root::host(), self.origin.elapsed().as_secs_f64())
    }
}
