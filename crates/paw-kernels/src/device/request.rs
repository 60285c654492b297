//! The rules of a request about a kernel on a device: method and facts.

use paw_data::kernel::{Cache, Calls, Kernel, Tolerance};
use paw_data::method::{EndRule, Memory, Method};
use paw_measure::method::{default, preset};

use crate::request::{KernelRequest, Target};
use crate::spec::device::{DeviceCache, DeviceMeasure, DeviceSpec};
use crate::spec::facts::{array_facts, file_fact};
use crate::spec::{Reference, footprint};

/// The least length of a sample with cold caches, in clock overheads and seconds. Each launch is timed alone, so that more launches do not
/// make the clock's share smaller.
const COLD: (f64, f64) = (20.0, 100e-6);
/// The least length of a sample with warm caches, likewise. Launches share two marks: the clock's share stays below a thousandth.
const WARM: (f64, f64) = (1000.0, 1e-3);

/// A request about a kernel on a device.
pub type DeviceRequest = KernelRequest<DeviceSpec>;

impl DeviceRequest {
    /// The method of a series.
    pub fn method(&self, cache: DeviceCache) -> Method {
        let DeviceMeasure { method, reps, metas, .. } = &self.measure;
        let method = preset(method).unwrap_or_else(default);
        let floor = match cache {
            DeviceCache::Cold => COLD,
            DeviceCache::Warm => (WARM.0, self.region_s.unwrap_or(WARM.1)),
        };
        let (least, most) = metas.map_or((16, 32), |metas| (metas, metas));
        let fixed = metas.map(|samples| EndRule::Fixed { samples });
        let ending = self.interval(least, most).or(fixed).unwrap_or(method.ending);
        // The child warms up, and keeps its arrays through a series.
        Method { warmup: 0, loops: Self::loops(*reps, floor), ending, memory: Memory::Kept, ..method }
    }
}

impl Target for DeviceSpec {
    type Measure = DeviceMeasure;

    fn reference(&self) -> (&Reference, Tolerance) {
        (&self.reference, self.tolerance)
    }

    fn method(request: &DeviceRequest) -> Method {
        request.method(DeviceCache::Warm)
    }

    fn facts(KernelRequest { spec, question, measure, .. }: &DeviceRequest) -> Kernel {
        let cold = measure.cache.iter().all(|cache| *cache == DeviceCache::Cold);
        Kernel {
            name: spec.name.clone(),
            question: *question,
            function: spec.entry.clone(),
            signature: spec.signature.text.clone(),
            arrays: array_facts(&spec.arrays),
            iterations: spec.threads.to_string(),
            footprint: footprint(&spec.arrays),
            reference: match &spec.reference {
                Reference::First | Reference::Build { .. } => String::new(),
                Reference::File(path) => file_fact(path),
                Reference::Function(entry) => format!("kernel {entry}"),
                Reference::Source(path, flags) => {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    format!("{name} ({flags})")
                }
            },
            tolerance: spec.tolerance,
            calls: if cold { Calls::Fenced } else { Calls::Throughput },
            cache: if cold { Cache::Cold } else { Cache::Warm },
            warmup: measure.warmup,
            ..Kernel::default()
        }
    }
}
