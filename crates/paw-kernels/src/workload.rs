//! A cell that a child process measures.

use std::cell::{Cell as Flag, RefCell};
use std::rc::Rc;

use paw_data::cell::{Cell, Library};
use paw_data::json;
use paw_data::kernel::ONE_PROCESSOR;
use paw_data::matrix::DRIFT_MAX;
use paw_data::outcome::{Caveat, Check};
use paw_data::run::{ClockKind, Instrument};
use paw_data::secondary::SecondaryMetric;
use paw_data::trust::CONTENDED;
use paw_foreign::device::{self, Backend};
use paw_measure::fault::Fault;
use paw_measure::workload::{Reading, Workload};
use paw_worker::remote::RemoteWorkload;
use paw_worker::worker::{Deadlines, Idle, Launch, Worker};

use crate::job::{ChangeNote, JobDescription, JobNote, LaunchNote};
use crate::request::Workbench;

/// Learns which processes are timed, and when: a profiler.
pub trait TimingWatch {
    /// The process `pid` begins to time calls for the cell `cell`.
    fn begins(&self, cell: u32, pid: u32);
    /// It has timed them.
    fn ends(&self);
}

/// A child process that opens jobs. Clones share the process.
#[derive(Debug, Clone)]
pub struct Child {
    worker: Rc<RefCell<Worker>>,
    /// The back-end of its device; `None` if it calls functions.
    backend: Option<Backend>,
    /// Processors it is pinned to; 0 if it is free.
    processors: usize,
    broken: Rc<Flag<bool>>,
}

impl Child {
    /// Starts a child called `name` that can open `job`.
    pub fn start(name: &str, job: &JobDescription, bench: &Workbench) -> Result<Self, Fault> {
        let (program, args) = bench.child.clone();
        let backend = match job {
            JobDescription::Call(_) | JobDescription::Block(_) | JobDescription::Count(_) => None,
            JobDescription::Launch(launch) => Some(launch.backend),
        };
        let launch = Launch {
            name: name.to_owned(),
            program,
            args,
            set: backend.map_or_else(|| openmp(bench.threads), device::environment),
            remove: Vec::new(),
            cpus: bench.cpus.clone(),
            deadlines: Deadlines { open: bench.deadline, sample: bench.deadline, ..Deadlines::default() },
            // A child that calls functions sleeps between turns; a driver's threads must be able to answer the device.
            // Threads of OpenMP spin for a while after a call: several are stopped, so that they do not slow the next build.
            idle: if backend.is_none() && bench.threads.is_some_and(|threads| threads > 1) {
                Idle::Stopped
            } else {
                Idle::Waiting
            },
        };
        let worker = Rc::new(RefCell::new(Worker::start(launch)?));
        Ok(Self { worker, backend, processors: bench.cpus.len(), broken: Rc::new(Flag::new(false)) })
    }

    /// Whether a job broke it: the next one needs a fresh child.
    pub fn is_broken(&self) -> bool {
        self.broken.get()
    }

    /// Opens `job`, of a build that was linked with the library of threads `runtime`, if any.
    pub fn open(&self, job: &JobDescription, runtime: &str) -> Result<ChildWorkload, Fault> {
        let description = serde_json::to_value(job).expect("a job description is plain data");
        let (remote, opened) = self.checked(RemoteWorkload::open(&self.worker, &description))?;
        let note = json::from_value(&opened.note)
            .map_err(|error| Fault::Broken(format!("the note of the child cannot be read: {error}")))?;
        let runtime = runtime.to_owned();
        Ok(ChildWorkload { child: self.clone(), runtime, remote, note, samples: 0, drifted: 0, watch: None })
    }

    /// Marks the child as broken if `result` is a fault, and adds a hint to a crash on a device.
    fn checked<T>(&self, result: Result<T, Fault>) -> Result<T, Fault> {
        result.map_err(|fault| {
            let Fault::Broken(why) = fault else { return fault };
            self.broken.set(true);
            Fault::Broken(match self.backend {
                Some(backend) => hinted(backend, why),
                None => why,
            })
        })
    }
}

/// The variable that tells OpenMP how many threads to start.
fn openmp(threads: Option<u32>) -> Vec<(String, String)> {
    threads.map(|threads| ("OMP_NUM_THREADS".to_owned(), threads.to_string())).into_iter().collect()
}

/// A job that a child has opened.
pub struct ChildWorkload {
    child: Child,
    runtime: String,
    remote: RemoteWorkload,
    note: JobNote,
    samples: u32,
    drifted: u32,
    watch: Option<(u32, Rc<dyn TimingWatch>)>,
}

impl ChildWorkload {
    /// Tells `watch` when this workload is timed, as the cell `cell`.
    pub fn watch(&mut self, cell: u32, watch: Rc<dyn TimingWatch>) {
        self.watch = Some((cell, watch));
    }

    fn timed(&mut self, loops: u64) -> Result<Option<Reading>, Fault> {
        let pid = self.child.worker.borrow().pid();
        let Some(((cell, watch), pid)) = self.watch.as_ref().zip(pid) else { return self.remote.sample(loops) };
        watch.begins(*cell, pid);
        let reading = self.remote.sample(loops);
        watch.ends();
        reading
    }
}

impl ChildWorkload {
    /// The child's report on the opened job.
    pub fn into_note(self) -> JobNote {
        self.note
    }

    /// What was changed in its loops, if anything.
    pub fn change(&self) -> Option<&ChangeNote> {
        match &self.note {
            JobNote::Call { change, .. } => change.as_ref(),
            JobNote::Launch(_) | JobNote::Counted(_) | JobNote::Block => None,
        }
    }
}

/// Words of crash messages: signals that killed the process, and errors after which CUDA abandons a context (codes 700 and 716 to 719 of
/// the driver API).
const CRASHES: &[&str] = &[
    "SIGSEGV",
    "SIGBUS",
    "SIGABRT",
    "SIGFPE",
    "ILLEGAL_ADDRESS",
    "MISALIGNED_ADDRESS",
    "INVALID_ADDRESS_SPACE",
    "INVALID_PC",
    "LAUNCH_FAILED",
    "hipErrorIllegalAddress",
    "hipErrorLaunchFailure",
    "beyond its end",
];

fn hinted(backend: Backend, why: String) -> String {
    if !CRASHES.iter().any(|sign| why.contains(sign)) {
        return why;
    }
    let hint = match backend {
        Backend::Cuda => {
            "`compute-sanitizer --target-processes all paw kernel check SPEC` shows the thread and the line"
        }
        Backend::LevelZero => {
            "the kernel's arguments must be those of the spec: Level Zero does not compare their types"
        }
        Backend::Hip => {
            "`AMD_SERIALIZE_KERNEL=3 AMD_LOG_LEVEL=3 paw kernel check SPEC` shows the launch, and ROCm's rocgdb the line"
        }
        Backend::OpenCl => {
            "Oclgrind shows the work-item and the line: `PAW_OPENCL_LIBRARY=/usr/lib/oclgrind/liboclgrind-rt.so paw kernel check SPEC`"
        }
    };
    format!("{why}; {hint}")
}

impl Workload for ChildWorkload {
    fn resume(&mut self) -> Result<(), Fault> {
        self.child.checked(self.remote.resume())
    }

    fn sample(&mut self, loops: u64) -> Result<Option<Reading>, Fault> {
        let reading = self.timed(loops);
        let reading = self.child.checked(reading)?;
        if let Some(reading) = &reading {
            let drift = reading.secondary(SecondaryMetric::CoreDrift);
            self.samples += 1;
            self.drifted += u32::from(drift.is_some_and(|drift| drift > DRIFT_MAX));
        }
        Ok(reading)
    }

    fn pause(&mut self) {
        self.remote.pause();
    }

    fn renew(&mut self) -> Result<(), Fault> {
        self.child.checked(self.remote.renew())
    }

    fn instrument(&self) -> Instrument {
        self.remote.instrument()
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.child.checked(self.remote.verify())
    }

    fn describe(&self, cell: &mut Cell) {
        match &self.note {
            JobNote::Call { float, .. } => {
                if let Some(build) = &mut cell.build {
                    build.float.clone_from(float);
                }
            }
            JobNote::Launch(note) => describe_launch(note, cell),
            JobNote::Counted(_) | JobNote::Block => {}
        }
    }

    fn caveats(&self) -> Vec<Caveat> {
        let mut caveats = self.remote.caveats();
        if f64::from(self.drifted) > CONTENDED * f64::from(self.samples) {
            caveats.push(Caveat::new(
                "core-clock-moved",
                format!(
                    "the core's clock moved by more than 1 % during {} of the {} timed regions of a process: their core cycles are unknown, and time changes with the clock",
                    self.drifted, self.samples
                ),
                "fix the frequency (`cpupower frequency-set -g performance`) and measure again; where this holds for more than a quarter of a build's samples, builds are ranked by time",
            ));
        }
        if !self.runtime.is_empty() && self.child.processors == 1 {
            caveats.push(Caveat::new(
                ONE_PROCESSOR,
                format!(
                    "it was linked with {} and had one processor: its threads could not run side by side",
                    self.runtime
                ),
                "give it several: `--threads 2`, or `--cpu 0,1`",
            ));
        }
        let is_call = matches!(self.note, JobNote::Call { .. });
        if is_call && self.instrument().clock != ClockKind::Tsc {
            caveats.push(Caveat::new(
                "no-tsc",
                "the time-stamp counter cannot be trusted here: times come from the operating system's clock",
                "read seconds; ticks are not given",
            ));
        }
        caveats
    }
}

fn describe_launch(note: &LaunchNote, cell: &mut Cell) {
    let LaunchNote { facts, launched, said } = note;
    let library = Library {
        path: facts.library.display().to_string(),
        version: facts.api.clone(),
        core: facts.name.clone(),
        threads: 0,
    };
    cell.library = Some(library.into());
    if let Some(build) = &mut cell.build {
        build.version.clone_from(&facts.driver);
        build.said.clone_from(said);
        build.launched = Some(launched.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_says_what_finds_its_cause() {
        let cuda = hinted(Backend::Cuda, "cuStreamSynchronize failed with 700 (CUDA_ERROR_ILLEGAL_ADDRESS)".to_owned());
        assert!(cuda.contains("compute-sanitizer"), "{cuda}");
        let opencl = hinted(Backend::OpenCl, "the worker was killed by SIGSEGV".to_owned());
        assert!(opencl.contains("Oclgrind"), "{opencl}");
        assert_eq!(hinted(Backend::OpenCl, "did not build".to_owned()), "did not build");
    }
}
