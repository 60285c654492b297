//! A kernel on a device with its arguments as a `Timed`.

use std::rc::Rc;

use paw_data::kernel::Tolerance;
use paw_data::outcome::{Caveat, Check};
use paw_data::secondary::MetricName;
use paw_devices::fault::broken;
use paw_devices::observations::Observations;
use paw_devices::unit_clock::UnitClock;
use paw_foreign::device::{DeviceMemory, Grid, Kernel};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::memory::Operands;
use super::{Compiled, OpenDevice, sample};
use crate::answers::Answer;
use crate::child::verify::{self, CheckedKernel};
use crate::job::{Answers, LaunchJob};
use crate::spec::device::{DeviceCache, Include};

/// The flush buffer's size as a multiple of the cache's, which evicts the arrays from every way.
const FLUSH_FACTOR: u64 = 2;
/// The flush buffer's bytes for a device that does not report its cache: more than the last cache of nearly every device in 2025.
const FLUSH_UNKNOWN: u64 = 256 << 20;

/// One kernel with its arguments.
pub(super) struct TimedLaunch {
    pub job: LaunchJob,
    pub open: Rc<OpenDevice>,
    pub program: Rc<Compiled>,
    pub kernel: Kernel,
    operands: Option<Operands>,
    flush: Option<DeviceMemory>,
    extra: Vec<(MetricName, f64)>,
    observed: Observations,
    /// Where the device's units count.
    units: Option<UnitClock>,
}

impl TimedLaunch {
    /// `kernel` of `program`, without memory yet.
    pub fn new(job: LaunchJob, open: Rc<OpenDevice>, program: Rc<Compiled>, kernel: Kernel) -> Self {
        let units = UnitClock::of(open.device());
        Self {
            job,
            open,
            program,
            kernel,
            operands: None,
            flush: None,
            extra: Vec::new(),
            observed: Observations::default(),
            units,
        }
    }

    /// The launch grid.
    pub fn grid(&self) -> Grid {
        let LaunchJob { blocks, block, shared_bytes, .. } = self.job;
        Grid { blocks, threads: block, shared_bytes }
    }

    /// Seconds of the first launch.
    ///
    /// # Errors
    /// Memory does not suffice, or the launch fails.
    pub fn first(&mut self) -> Result<f64, Fault> {
        let OpenDevice { queue, clock, .. } = &*self.open;
        let operands = Operands::new(self.open.device(), queue, &self.job)?;
        let start = clock.start();
        queue.launch(&self.kernel, self.grid(), operands.arguments()).and_then(|()| queue.sync()).map_err(broken)?;
        Ok(clock.seconds(start, clock.stop()))
    }

    /// Allocates and warms up the arguments if there are none.
    fn prepare(&mut self) -> Result<(), Fault> {
        if self.operands.is_some() {
            return Ok(());
        }
        let (device, queue) = (self.open.device(), &self.open.queue);
        let operands = Operands::new(device, queue, &self.job)?;
        for _ in 0..self.job.warmup {
            queue.launch(&self.kernel, self.grid(), operands.arguments()).map_err(broken)?;
        }
        queue.sync().map_err(broken)?;
        if self.job.cache == DeviceCache::Cold {
            let facts = device.facts();
            let cache = if facts.cache_bytes > 0 { FLUSH_FACTOR * facts.cache_bytes } else { FLUSH_UNKNOWN };
            let bytes = cache.min(facts.allocation_bytes).min(facts.memory_bytes / 4).max(1);
            self.flush = Some(device.memory(bytes as usize).map_err(broken)?);
        }
        self.operands = Some(operands);
        Ok(())
    }

    fn release(&mut self) {
        self.operands = None;
        self.flush = None;
    }
}

impl Timed for TimedLaunch {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        self.prepare()?;
        let Some(operands) = &self.operands else { return Ok(f64::NAN) };
        let region = sample::LaunchRegion {
            open: &self.open,
            kernel: &self.kernel,
            grid: self.grid(),
            operands,
            include: self.job.include,
            flush: self.flush.as_ref(),
            units: self.units.as_ref(),
        };
        let taken = region.sample(loops, clock).map_err(broken)?;
        self.observed.sample(&taken.measured);
        self.extra = taken.extra(loops);
        self.observed.look(self.open.devices.all(), &[taken.counted_hz]);
        Ok(taken.headline_s())
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.release();
        verify::check(self)
    }

    fn renew(&mut self) -> Result<(), Fault> {
        self.release();
        self.prepare()
    }

    fn extra(&self) -> Vec<(MetricName, f64)> {
        self.extra.clone()
    }

    fn caveats(&self) -> Vec<Caveat> {
        let crosses_link = self.job.include == Include::Transfer;
        let devices = &self.open.devices;
        devices.caveats().into_iter().chain(self.observed.caveats(devices.all(), crosses_link)).collect()
    }
}

impl CheckedKernel for TimedLaunch {
    type Held = Vec<Answer<'static>>;

    fn wanted(&self) -> (&Answers, Tolerance) {
        (&self.job.answers, self.job.tolerance)
    }

    fn words(&self) -> [&'static str; 3] {
        ["two launches", "the processor", "the kernel"]
    }

    fn answer(&self, function: Option<&str>) -> Result<Vec<Answer<'static>>, Fault> {
        let no_kernel =
            |name, error| Fault::Broken(format!("the reference `{name}` is no kernel of the source: {error}"));
        let other = function.map(|name| self.program.program.kernel(name).map_err(|error| no_kernel(name, error)));
        let other = other.transpose()?;
        let queue = &self.open.queue;
        let operands = Operands::new(self.open.device(), queue, &self.job)?;
        let kernel = other.as_ref().unwrap_or(&self.kernel);
        queue.launch(kernel, self.grid(), operands.arguments()).and_then(|()| queue.sync()).map_err(broken)?;
        operands.answers(queue)
    }
}
