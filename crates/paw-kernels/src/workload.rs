//! A build at one size, measured by a child of its own.

use std::cell::RefCell;
use std::rc::Rc;

use paw_data::cell::Cell;
use paw_data::kernel::CORE_DRIFT;
use paw_data::outcome::{Caveat, Check};
use paw_data::run::{ClockKind, Instrument};
use paw_data::trust::CONTENDED;
use paw_measure::fault::Fault;
use paw_measure::workload::{Reading, Workload};
use paw_worker::remote::RemoteWorkload;
use paw_worker::worker::{Deadlines, Idle, Launch, Worker};

use crate::child::CallNote;
use crate::job::CallJob;
use crate::request::Workbench;

/// A clock that moves by more than this between both ends of a sample leaves its core cycles in doubt.
const DRIFT_MAX: f64 = 0.01;

/// A build at one size, in a child of its own. The child ends with it.
pub struct KernelWorkload {
    remote: RemoteWorkload,
    told: CallNote,
    samples: u32,
    drifted: u32,
}

impl KernelWorkload {
    /// Starts a child called `name` that does what `order` says.
    pub fn start(name: &str, job: &CallJob, bench: &Workbench) -> Result<Self, Fault> {
        let (program, args) = bench.child.clone();
        let launch = Launch {
            name: name.to_owned(),
            program,
            args,
            set: Vec::new(),
            remove: Vec::new(),
            cpus: bench.cpu.into_iter().collect(),
            deadlines: Deadlines { open: bench.deadline, sample: bench.deadline, ..Deadlines::default() },
            // A child that waits has one thread, which sleeps.
            idle: Idle::Waiting,
        };
        let worker = Rc::new(RefCell::new(Worker::start(launch)?));
        let spec = serde_json::to_value(job).expect("an order is plain data");
        let (remote, opened) = RemoteWorkload::open(&worker, &spec)?;
        let told = serde_json::from_value(opened.note)
            .map_err(|error| Fault::Broken(format!("{name}: the child does not say how it runs: {error}")))?;
        Ok(Self { remote, told, samples: 0, drifted: 0 })
    }
}

impl Workload for KernelWorkload {
    fn resume(&mut self) -> Result<(), Fault> {
        self.remote.resume()
    }

    fn sample(&mut self, loops: u64) -> Result<Option<Reading>, Fault> {
        let reading = self.remote.sample(loops)?;
        if let Some(reading) = &reading {
            let drift = reading.extra.iter().find(|(name, _)| name == CORE_DRIFT);
            self.samples += 1;
            self.drifted += u32::from(drift.is_some_and(|(_, drift)| *drift > DRIFT_MAX));
        }
        Ok(reading)
    }

    fn pause(&mut self) {
        self.remote.pause();
    }

    fn renew(&mut self) -> Result<(), Fault> {
        self.remote.renew()
    }

    fn instrument(&self) -> Instrument {
        self.remote.instrument()
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.remote.verify()
    }

    fn describe(&self, cell: &mut Cell) {
        if let Some(build) = &mut cell.build {
            build.float.clone_from(&self.told.float);
        }
    }

    fn caveats(&self) -> Vec<Caveat> {
        let mut caveats = self.remote.caveats();
        if f64::from(self.drifted) > CONTENDED * f64::from(self.samples) {
            caveats.push(Caveat::new(
                "core-clock-moved",
                format!(
                    "the core's clock moved by more than 1 % during {} of {} samples: estimated core cycles are in doubt, ticks are not",
                    self.drifted, self.samples
                ),
                "fix the frequency (`cpupower frequency-set`), or read ticks",
            ));
        }
        if self.instrument().clock != ClockKind::Tsc {
            caveats.push(Caveat::new(
                "no-tsc",
                "the time-stamp counter cannot be trusted here: times come from the operating system's clock",
                "read seconds; ticks are not given",
            ));
        }
        caveats
    }
}
