//! A request about a kernel on a device, parsed and complete.

use paw_data::kernel::{Cache, Calls, Kernel, Question};
use paw_data::method::{EndRule, LoopRule, Memory, Method, Plan, Until};
use paw_foreign::device::Backend;
use paw_measure::method::{default, preset};

use crate::spec::device::{Axis, BLOCK, DeviceCache, DeviceMeasure, DeviceReference, DeviceSpec, spelt};
use crate::spec::facts::{array_facts, file_fact};
use crate::spec::footprint;

/// The least length of a sample with cold caches, in clock overheads and seconds. Each launch is timed alone, so that more launches do not
/// make the clock's share smaller.
const COLD: (f64, f64) = (20.0, 100e-6);
/// The same with warm caches. Launches share two marks: the clock's share stays below a thousandth.
const WARM: (f64, f64) = (1000.0, 1e-3);

/// A request about a kernel on a device.
#[derive(Debug, Clone)]
pub struct DeviceRequest {
    /// The kernel, with the values of axes that were typed in place of its own.
    pub spec: DeviceSpec,
    /// The text of its source.
    pub text: String,
    /// The question.
    pub question: Question,
    /// How it is measured: the spec's settings, replaced by those of the command line.
    pub measure: DeviceMeasure,
    /// The least seconds of a sample with warm caches, if typed.
    pub region_s: Option<f64>,
    /// The relative half-width of the median's interval at which a series ends, if typed.
    pub within: Option<f64>,
    /// The device's number.
    pub index: u32,
    /// Seed of the order of rounds.
    pub seed: u64,
    /// The most seconds of the whole run, if limited.
    pub budget_s: Option<f64>,
    /// Processes that each cell's samples come from, if the user sets their number.
    pub invocations: Option<u32>,
    /// The rule that ends a group in place of its cells' rules, if the user asks for one.
    pub until: Option<Until>,
}

impl DeviceRequest {
    /// The device's name: `cuda0`.
    pub fn device(&self) -> String {
        format!("{}{}", self.backend(), self.index)
    }

    /// The device's back-end.
    pub fn backend(&self) -> Backend {
        self.spec.backend
    }

    /// The method of a series.
    pub fn method(&self, cache: DeviceCache) -> Method {
        let mut method = preset(&self.measure.method).unwrap_or_else(default);
        let (overheads, floor_s) = match cache {
            DeviceCache::Cold => COLD,
            DeviceCache::Warm => (WARM.0, self.region_s.unwrap_or(WARM.1)),
        };
        method.loops = match self.measure.reps {
            Some(reps) => LoopRule::Fixed(reps),
            None => LoopRule::Floor { overheads, floor_s },
        };
        let (least, most) = (self.measure.metas.unwrap_or(16), self.measure.metas.unwrap_or(32));
        match (self.within, self.measure.metas) {
            (Some(within), _) => {
                method.ending = EndRule::Interval { within, min: least, max: most.saturating_mul(4), min_long: least };
            }
            (None, Some(samples)) => method.ending = EndRule::Fixed { samples },
            (None, None) => {}
        }
        // The child warms up, and keeps its arrays through a series.
        Method { warmup: 0, memory: Memory::Kept, ..method }
    }

    /// The plan of the run.
    pub fn plan(&self) -> Plan {
        let plan = Plan::new(self.method(DeviceCache::Warm), self.seed, self.budget_s);
        Plan { invocations: self.invocations, until: self.until, ..plan }
    }

    /// The run's facts of the kernel.
    pub fn facts(&self) -> Kernel {
        let spec = &self.spec;
        let cold = self.measure.cache.iter().all(|cache| *cache == DeviceCache::Cold);
        Kernel {
            name: spec.name.clone(),
            question: self.question,
            device: self.device(),
            function: spec.entry.clone(),
            signature: spec.signature.text.clone(),
            arrays: array_facts(&spec.arrays),
            iterations: spec.threads.to_string(),
            footprint: footprint(&spec.arrays),
            reference: match &spec.reference {
                DeviceReference::Repeated => String::new(),
                DeviceReference::File(path) => file_fact(path),
                DeviceReference::Function(entry) => format!("kernel {entry}"),
                DeviceReference::Processor(path, flags) => {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    format!("{name} ({flags})")
                }
            },
            tolerance: spec.tolerance,
            calls: if cold { Calls::Fenced } else { Calls::Throughput },
            cache: if cold { Cache::Cold } else { Cache::Warm },
            warmup: self.measure.warmup,
            ..Kernel::default()
        }
    }

    /// Replaces the values of an axis by typed ones.
    ///
    /// # Errors
    /// One sentence: there is no such axis, or the values cannot be read.
    pub fn set(spec: &mut DeviceSpec, axis: &str, values: &str) -> Result<(), String> {
        let typed = spelt(values)
            .ok_or_else(|| format!("`{values}` is no value of an axis: write 64,128 or 8..512 or pow2:1..9"))?;
        if axis == BLOCK {
            let fits = |value: u64| u32::try_from(value).ok().filter(|value| *value > 0);
            let block: Option<Vec<u32>> = typed.into_iter().map(fits).collect();
            spec.block = block.ok_or_else(|| format!("`{values}` is no number of threads of a block"))?;
            return Ok(());
        }
        let known: Vec<&str> = spec.axes.iter().map(|axis| axis.name.as_str()).collect();
        let known = known.into_iter().chain([BLOCK]).collect::<Vec<_>>().join(", ");
        let found: Option<&mut Axis> = spec.axes.iter_mut().find(|one| one.name == axis);
        found.ok_or_else(|| format!("there is no axis `{axis}`; there are {known}"))?.values = typed;
        Ok(())
    }
}
