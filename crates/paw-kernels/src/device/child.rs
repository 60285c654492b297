//! The child of a kernel on a device: opens the device, compiles, launches, times and checks.

mod memory;
mod sample;
mod timed_launch;

use std::collections::BTreeMap;
use std::rc::Rc;

use paw_data::build::Launched;
use paw_data::run::{ClockKind, Instrument};
use paw_devices::devices::Devices;
use paw_devices::fault::broken;
use paw_devices::operation::IssueMode;
use paw_devices::timing::Timing;
use paw_foreign::device::{Backend, Device, DeviceError, Program, Queue};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::instrument;
use paw_measure::local::Local;
use paw_measure::workload::Workload;
use paw_sort::SortNumbers;
use paw_worker::protocol::Opened;

use crate::builds::diagnostics;
use crate::job::{JobNote, LaunchJob, LaunchNote, ProgramSource};
use timed_launch::TimedLaunch;

/// An open device with its queue and clocks.
pub(super) struct OpenDevice {
    pub devices: Devices,
    pub queue: Queue,
    pub clock: Clock,
    pub instrument: Instrument,
    /// The timing of launches that follow each other.
    pub timing: Timing,
}

/// A compiled program, with the compiler's time and output.
pub(super) struct Compiled {
    pub program: Program,
    pub build_s: f64,
    pub said: String,
}

/// The open devices and compiled programs of this process.
#[derive(Default)]
pub(crate) struct OpenDevices {
    devices: BTreeMap<(Backend, u32), Rc<OpenDevice>>,
    programs: BTreeMap<(Backend, u32, ProgramSource), Rc<Compiled>>,
}

impl OpenDevices {
    /// The kernel that `job` names, compiled and launched once.
    ///
    /// # Errors
    /// There is no such device, the program does not compile, or its first launch fails.
    pub fn open(&mut self, job: LaunchJob) -> Result<(Box<dyn Workload>, Opened), Fault> {
        let open = self.device(job.backend, job.index)?;
        let compiled = self.program(&open, &job)?;
        let kernel = compiled.program.kernel(&job.entry).map_err(|error| no_kernel(&job, error))?;
        let facts = kernel.facts(job.block, job.shared_bytes).map_err(broken)?;
        if let Some(most) = facts.block_max.filter(|most| job.block > *most) {
            return Err(Fault::Missing(format!(
                "blocks of {} threads are more than {} has here: {most} at most; choose smaller ones",
                job.block, job.entry
            )));
        }
        let said = compiled.said.clone();
        let mut launched = Launched {
            build_s: compiled.build_s,
            threads: job.threads,
            blocks: job.blocks,
            block: job.block,
            registers: facts.registers,
            shared_bytes: facts.shared_bytes.map(|bytes| bytes + u64::from(job.shared_bytes)),
            local_bytes: facts.local_bytes,
            warp: facts.warp,
            occupancy: facts.occupancy,
            ..Launched::default()
        };
        let mut launch = TimedLaunch::new(job, Rc::clone(&open), compiled, kernel);
        launched.first_s = launch.first()?;
        let note = LaunchNote { facts: open.device().facts().clone(), launched, said };
        let note = serde_json::to_value(JobNote::Launch(Box::new(note))).expect("a note is plain data");
        let instrument = open.instrument.clone();
        let opened = Opened { instrument: instrument.clone(), library: None, note };
        Ok((Box::new(Local::new(launch, open.clock.clone(), instrument)), opened))
    }

    fn device(&mut self, backend: Backend, index: u32) -> Result<Rc<OpenDevice>, Fault> {
        if let Some(open) = self.devices.get(&(backend, index)) {
            return Ok(Rc::clone(open));
        }
        let open = Rc::new(OpenDevice::open(backend, index)?);
        self.devices.insert((backend, index), Rc::clone(&open));
        Ok(open)
    }

    fn program(&mut self, open: &OpenDevice, job: &LaunchJob) -> Result<Rc<Compiled>, Fault> {
        let key = (job.backend, job.index, job.program.clone());
        if let Some(compiled) = self.programs.get(&key) {
            return Ok(Rc::clone(compiled));
        }
        let compiled = Rc::new(compile(open, &job.program)?);
        self.programs.insert(key, Rc::clone(&compiled));
        Ok(compiled)
    }
}

impl OpenDevice {
    fn open(backend: Backend, index: u32) -> Result<Self, Fault> {
        let clock = Clock::monotonic();
        let devices = Devices::open(backend, &[index])?;
        let queue = devices.first().queue().map_err(broken)?;
        let mut timing = devices.timing(0, IssueMode::BackToBack);
        let marks = if timing.trusts_marks { marks(&queue).map_err(broken)? } else { None };
        timing.trusts_marks = marks.is_some();
        let instrument = marks.unwrap_or_else(|| instrument::measure(&clock));
        Ok(Self { devices, queue, clock, instrument, timing })
    }

    /// The device.
    pub fn device(&self) -> &Device {
        self.devices.first()
    }
}

/// Pairs of marks that calibrate the device's clock.
const PAIRS: usize = 64;

/// The device's clock as an instrument, from marks with nothing between them: the smallest step is its resolution, the median its
/// overhead. `None` if the clock does not advance.
fn marks(queue: &Queue) -> Result<Option<Instrument>, DeviceError> {
    let mut steps = Vec::new();
    for _ in 0..PAIRS {
        let (from, to) = (queue.mark()?, queue.mark()?);
        queue.sync()?;
        steps.push(to.since_s(&from)?);
    }
    steps.sort_numbers();
    let smallest = steps.iter().copied().find(|step| *step > 0.0);
    Ok(smallest.map(|resolution_s| Instrument {
        id: 0,
        clock: ClockKind::Event,
        resolution_s,
        overhead_s: steps[PAIRS / 2].max(0.0),
        hz: None,
    }))
}

fn compile(open: &OpenDevice, text: &ProgramSource) -> Result<Compiled, Fault> {
    let start = open.clock.start();
    let compiled = open.device().compile(&text.source());
    let build_s = open.clock.seconds(start, open.clock.stop());
    let said = match &compiled {
        Ok((_, said)) => said.clone(),
        Err(DeviceError::Build { log }) => log.clone(),
        Err(_) => String::new(),
    };
    let kept = std::fs::write(&text.log, &said);
    match compiled {
        Ok((program, said)) => Ok(Compiled { program, build_s, said: diagnostics::excerpt(&said) }),
        Err(DeviceError::Build { log }) => {
            let first = diagnostics::first_error(&log, text.log.parent().unwrap_or(&text.log));
            let rest = match kept {
                Ok(()) => format!("; all of what the compiler said is in {}", text.log.display()),
                Err(_) => String::new(),
            };
            Err(Fault::Broken(format!("did not build: {first}{rest}")))
        }
        Err(other) => Err(broken(other)),
    }
}

fn no_kernel(job: &LaunchJob, error: DeviceError) -> Fault {
    let (entry, file) = (&job.entry, &job.program.name);
    Fault::Broken(format!(
        "did not build: {file} has no kernel `{entry}`, as `entry` or the signature names it: {error}"
    ))
}
