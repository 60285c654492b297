//! A kernel at one point, launched by a child that has the device open.

use std::cell::{Cell as Flag, RefCell};
use std::rc::Rc;

use paw_data::cell::{Cell, Library};
use paw_data::outcome::{Caveat, Check};
use paw_data::run::Instrument;
use paw_foreign::device::{self, Backend};
use paw_measure::fault::Fault;
use paw_measure::workload::{Reading, Workload};
use paw_worker::remote::RemoteWorkload;
use paw_worker::worker::{Deadlines, Idle, Launch, Worker};
use serde_json::json;

use super::job::{LaunchJob, LaunchNote};
use super::request::DeviceWorkbench;

/// The key under which an order for a device travels.
pub(crate) const DEVICE: &str = "device";

/// A child that has a device open, and whether it can be used further.
#[derive(Debug, Clone)]
pub struct DeviceChild {
    worker: Rc<RefCell<Worker>>,
    broken: Rc<Flag<bool>>,
}

impl DeviceChild {
    /// Starts a child called `name`.
    pub fn start(name: &str, backend: Backend, bench: &DeviceWorkbench) -> Result<Self, Fault> {
        let (program, args) = bench.child.clone();
        let launch = Launch {
            name: name.to_owned(),
            program,
            args,
            set: device::environment(backend),
            remove: Vec::new(),
            cpus: Vec::new(),
            deadlines: Deadlines { open: bench.deadline, sample: bench.deadline, ..Deadlines::default() },
            // Drivers have threads that must answer the device.
            idle: Idle::Waiting,
        };
        let worker = Rc::new(RefCell::new(Worker::start(launch)?));
        Ok(Self { worker, broken: Rc::new(Flag::new(false)) })
    }

    /// Whether what one kernel did to it may harm the next.
    pub fn is_broken(&self) -> bool {
        self.broken.get()
    }
}

/// A kernel at one point.
pub struct DeviceWorkload {
    remote: RemoteWorkload,
    child: DeviceChild,
    backend: Backend,
    note: LaunchNote,
}

impl DeviceWorkload {
    /// Has the child at `child` do what `order` says.
    pub fn open(child: &DeviceChild, job: &LaunchJob) -> Result<Self, Fault> {
        let asked = json!({ DEVICE: job });
        let opened = RemoteWorkload::open(&child.worker, &asked).map_err(|fault| heard(child, job.backend, fault));
        let (remote, opened) = opened?;
        let note = serde_json::from_value(opened.note)
            .map_err(|error| Fault::Broken(format!("the child does not say what it launches: {error}")))?;
        Ok(Self { remote, child: child.clone(), backend: job.backend, note })
    }

    fn heard<T>(&self, result: Result<T, Fault>) -> Result<T, Fault> {
        result.map_err(|fault| heard(&self.child, self.backend, fault))
    }
}

/// Notes that a child is in doubt, and says what finds the cause of a crash.
fn heard(child: &DeviceChild, backend: Backend, fault: Fault) -> Fault {
    let Fault::Broken(why) = fault else { return fault };
    child.broken.set(true);
    Fault::Broken(hinted(backend, why))
}

/// What a crash says of itself: a process that was killed by a signal of the processor, or a context that CUDA gave up (error codes 700, 716,
/// 717, 718 and 719 of the driver API).
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
        Backend::OpenCl => {
            "Oclgrind shows the work-item and the line: `PAW_OPENCL_LIBRARY=/usr/lib/oclgrind/liboclgrind-rt.so paw kernel check SPEC`"
        }
    };
    format!("{why}; {hint}")
}

impl Workload for DeviceWorkload {
    fn resume(&mut self) -> Result<(), Fault> {
        let resumed = self.remote.resume();
        self.heard(resumed)
    }

    fn sample(&mut self, loops: u64) -> Result<Option<Reading>, Fault> {
        let reading = self.remote.sample(loops);
        self.heard(reading)
    }

    fn pause(&mut self) {
        self.remote.pause();
    }

    fn renew(&mut self) -> Result<(), Fault> {
        let renewed = self.remote.renew();
        self.heard(renewed)
    }

    fn instrument(&self) -> Instrument {
        self.remote.instrument()
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        let check = self.remote.verify();
        self.heard(check)
    }

    fn describe(&self, cell: &mut Cell) {
        let LaunchNote { facts, launched, said } = &self.note;
        cell.library = Some(Library {
            path: facts.library.display().to_string(),
            version: facts.api.clone(),
            core: facts.name.clone(),
            threads: 0,
        });
        if let Some(build) = &mut cell.build {
            build.version.clone_from(&facts.driver);
            build.said.clone_from(said);
            build.launched = Some(launched.clone());
        }
    }

    fn caveats(&self) -> Vec<Caveat> {
        self.remote.caveats()
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
