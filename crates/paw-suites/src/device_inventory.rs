//! The devices of a machine as a plan sees them, and the sets that work together.

use std::path::PathBuf;
use std::time::Duration;

use paw_data::json;
use paw_data::machine::Device;
use paw_foreign::device::{self, Backend, DeviceFacts, DeviceKind, FoundDevices, PcieLink};
use paw_measure::fault::Fault;
use paw_worker::worker::{Deadlines, Idle, Launch, Worker};

use crate::choice::ProviderChoice;
use crate::device_set::{DeviceGrouping, DeviceSet};
use crate::plan_error::PlanError;
use crate::provider::{Provider, Resolved};

/// Name of the provider if there is no device.
const UNKNOWN: &str = "device";

/// How long a back-end may take to list its devices: drivers start in seconds or hang for ever.
const DISCOVERY_MAX: Duration = Duration::from_secs(20);

/// The devices found on this machine.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DeviceInventory {
    found: Vec<FoundDevices>,
}

impl DeviceInventory {
    /// The inventory of these devices.
    pub fn of(found: Vec<FoundDevices>) -> Self {
        Self { found }
    }

    /// Asks every back-end for its devices, each in its own process (`program` with its arguments): a driver that crashes or hangs
    /// becomes a reason why there are none.
    pub fn discover(program: &(PathBuf, Vec<String>)) -> Self {
        let looks = Backend::ALL.map(|backend| {
            let program = program.clone();
            std::thread::spawn(move || look(backend, &program))
        });
        Self { found: looks.into_iter().filter_map(|look| look.join().ok()).collect() }
    }

    /// The devices of each back-end.
    pub fn found(&self) -> &[FoundDevices] {
        &self.found
    }

    /// Every device.
    pub fn devices(&self) -> impl Iterator<Item = &DeviceFacts> {
        self.found.iter().flat_map(|found| &found.devices)
    }

    /// Every device as a run records it.
    pub fn recorded(&self) -> Vec<Device> {
        self.devices().map(recorded).collect()
    }

    /// The facts of a set's devices.
    pub fn facts<'a>(&'a self, set: &'a DeviceSet) -> impl Iterator<Item = &'a DeviceFacts> {
        self.devices().filter(|facts| facts.backend == set.backend && set.indexes.contains(&facts.index))
    }

    /// The providers of a benchmark: the devices typed, else those of the default, alone and together.
    pub(crate) fn providers(
        &self,
        choices: &[ProviderChoice],
        together: DeviceGrouping,
    ) -> Result<Vec<Resolved>, PlanError> {
        let (mut sets, mut missing) = (Vec::new(), Vec::new());
        for choice in choices {
            let ProviderChoice::Name(name) = choice else { continue };
            if let Some(backend) = named(name) {
                let here = self.devices().filter(|facts| facts.backend == backend).collect::<Vec<_>>();
                missing.extend(here.is_empty().then(|| self.missing(Some(backend))));
                sets.extend(combined(&here, together));
            } else if let Some(set) = DeviceSet::named(name) {
                sets.push(self.known(set, together)?);
            }
        }
        if sets.is_empty() && missing.is_empty() {
            sets = combined(&self.by_default(), together);
            missing.extend(sets.is_empty().then(|| self.missing(None)));
        }
        Ok(sets.into_iter().map(|set| Resolved::Here(Provider::devices(set))).chain(missing).collect())
    }

    /// Whether a word names a back-end or devices, be they here or not.
    pub(crate) fn understands(name: &str) -> bool {
        named(name).is_some() || DeviceSet::named(name).is_some()
    }

    /// The names of all devices in a sentence.
    pub(crate) fn listed(&self) -> String {
        let here: Vec<String> = self.devices().map(DeviceFacts::id).collect();
        if here.is_empty() { "none".to_owned() } else { here.join(", ") }
    }

    /// The devices of the default in classes of devices alike, those of a class in order.
    pub(crate) fn alike(&self) -> Vec<Vec<&DeviceFacts>> {
        let mut classes: Vec<Vec<&DeviceFacts>> = Vec::new();
        for facts in self.by_default() {
            match classes.iter_mut().find(|class| recorded(class[0]).is_like(&recorded(facts))) {
                Some(class) => class.push(facts),
                None => classes.push(vec![facts]),
            }
        }
        classes
    }

    /// What a set has in common with others of the same number of devices that are alike.
    pub fn likeness(&self, set: &DeviceSet) -> String {
        let class = |facts: &DeviceFacts| {
            let first = self.devices().position(|other| recorded(other).is_like(&recorded(facts)));
            first.map_or_else(String::new, |first| first.to_string())
        };
        let mut classes: Vec<String> = self.facts(set).map(class).collect();
        classes.sort_unstable();
        format!("{} {}", set.backend, classes.join("+"))
    }

    /// Every device once: a device that its vendor's own interface drives is not measured through OpenCL too, and the host's processor
    /// counts as a device only if there is no other.
    fn by_default(&self) -> Vec<&DeviceFacts> {
        let is_own = |facts: &&DeviceFacts| facts.backend != Backend::OpenCl;
        let twice = |facts: &DeviceFacts| {
            self.devices().filter(is_own).any(|own| match (&own.bus_id, &facts.bus_id) {
                (Some(a), Some(b)) => a == b,
                _ => own.backend == Backend::Cuda && facts.name.contains("NVIDIA") || facts.name == own.name,
            })
        };
        let once: Vec<_> = self.devices().filter(|facts| is_own(facts) || !twice(facts)).collect();
        let apart: Vec<_> = once.iter().copied().filter(|facts| facts.kind != DeviceKind::Cpu).collect();
        if apart.is_empty() { once } else { apart }
    }

    /// `set`, or an error if one of its devices is missing.
    fn known(&self, set: DeviceSet, together: DeviceGrouping) -> Result<DeviceSet, PlanError> {
        let has = |index: &u32| self.devices().any(|facts| (facts.backend, facts.index) == (set.backend, *index));
        if let Some(index) = set.indexes.iter().find(|index| !has(index)) {
            let hint = match self.devices().any(|facts| facts.backend == set.backend) {
                true => "describes them".to_owned(),
                false => format!("says what {} lacks", set.backend.title()),
            };
            return Err(PlanError::Usage(format!(
                "there is no device {}{index}; here: {}. hint: `paw list --libraries` {hint}",
                set.backend,
                self.listed()
            )));
        }
        if set.indexes.len() > 1 && together == DeviceGrouping::Alone {
            return Err(PlanError::Usage(format!(
                "{set}: this is measured on one device at a time. hint: --provider {}{}",
                set.backend, set.indexes[0]
            )));
        }
        Ok(set)
    }

    /// The reason why there is no device.
    fn missing(&self, backend: Option<Backend>) -> Resolved {
        let asked = self.found.iter().filter(|found| backend.is_none_or(|backend| backend == found.backend));
        let why: Vec<&str> = asked.filter_map(|found| found.missing.as_deref()).collect();
        let why = if why.is_empty() { "no device was found".to_owned() } else { why.join("; ") };
        Resolved::Missing { name: backend.map_or(UNKNOWN, Backend::name).to_owned(), why }
    }
}

/// The back-end of that name.
fn named(name: &str) -> Option<Backend> {
    Backend::ALL.into_iter().find(|backend| name.eq_ignore_ascii_case(backend.name()))
}

fn recorded(facts: &DeviceFacts) -> Device {
    let kind = match facts.kind {
        DeviceKind::Gpu => "gpu",
        DeviceKind::Cpu => "cpu",
        DeviceKind::Accelerator => "accelerator",
    };
    let words = |link: PcieLink| {
        let PcieLink { generation, generation_max, lanes, lanes_max } = link;
        if generation == 0 {
            return format!("PCIe generation {generation_max}, {lanes_max} lanes at most");
        }
        format!("PCIe generation {generation} of {generation_max}, {lanes} of {lanes_max} lanes")
    };
    Device {
        id: facts.id(),
        product: facts.name.clone(),
        kind: kind.to_owned(),
        bus_id: facts.bus_id.clone().unwrap_or_default(),
        uuid: facts.uuid.clone().unwrap_or_default(),
        memory_bytes: facts.memory_bytes,
        units: facts.units,
        clock_hz: facts.clock_hz,
        unified: facts.unified,
        numa_node: facts.numa_node,
        link: facts.link.map(words).unwrap_or_default(),
        link_bytes_s: facts.link.and_then(|link| link.peak_bytes_s()),
        peaks: facts.peaks.clone(),
        driver: facts.driver.clone(),
        api: facts.api.clone(),
        library: facts.library.display().to_string(),
    }
}

/// Each device alone, unless one alone has nothing to measure; then all pairs if there are more than two; then all devices of one back-end.
fn combined(devices: &[&DeviceFacts], together: DeviceGrouping) -> Vec<DeviceSet> {
    let mut sets = Vec::new();
    for backend in Backend::ALL {
        let numbers: Vec<u32> =
            devices.iter().filter(|facts| facts.backend == backend).map(|facts| facts.index).collect();
        // All of a back-end are one set.
        if matches!(together, DeviceGrouping::AtOnce | DeviceGrouping::Whole) {
            sets.extend((!numbers.is_empty()).then_some(DeviceSet { backend, indexes: numbers }));
            continue;
        }
        if together != DeviceGrouping::Together || numbers.len() < 2 {
            sets.extend(numbers.iter().map(|index| DeviceSet { backend, indexes: vec![*index] }));
        }
        if together == DeviceGrouping::Alone || numbers.len() < 2 {
            continue;
        }
        if numbers.len() > 2 {
            let pairs =
                numbers.iter().enumerate().flat_map(|(at, a)| numbers[at + 1..].iter().map(move |b| vec![*a, *b]));
            sets.extend(pairs.map(|indexes| DeviceSet { backend, indexes }));
        }
        sets.push(DeviceSet { backend, indexes: numbers });
    }
    sets
}

/// Answers a parent that asks for the devices of a back-end.
pub(crate) fn answer(asked: &serde_json::Value) -> Result<serde_json::Value, Fault> {
    let backend: Backend = json::from_value(asked)
        .map_err(|error| Fault::Broken(format!("the worker does not understand its parent: {error}")))?;
    Ok(serde_json::to_value(device::discover(backend)).expect("facts are plain data"))
}

fn look(backend: Backend, (program, args): &(PathBuf, Vec<String>)) -> FoundDevices {
    let launch = Launch {
        name: backend.title().to_owned(),
        program: program.clone(),
        args: args.clone(),
        set: device::environment(backend),
        remove: Vec::new(),
        cpus: Vec::new(),
        deadlines: Deadlines { open: DISCOVERY_MAX, ..Deadlines::default() },
        idle: Idle::Stopped,
    };
    let asked = serde_json::to_value(backend).expect("a name is plain data");
    let answered = Worker::start(launch).and_then(|mut worker| worker.question(&asked));
    let found = answered.and_then(|facts| {
        json::from_value(&facts).map_err(|error| Fault::Broken(format!("its answer is no list of devices: {error}")))
    });
    found.unwrap_or_else(|fault| {
        let missing = Some(format!("{} could not be asked for its devices: {fault}", backend.title()));
        FoundDevices { backend, devices: Vec::new(), missing, libraries: Vec::new() }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::*;

    fn inventory(devices: &[(Backend, &str, Option<&str>)]) -> DeviceInventory {
        let found = devices.iter().map(|&(backend, kind, bus_id)| {
            let facts = json!({
                "backend": backend, "index": 0, "kind": kind, "name": format!("{backend}'s"), "bus_id": bus_id, "units": 1,
                "memory_bytes": 1, "allocation_bytes": 1, "unified": false, "fp64": true, "driver": "", "api": "", "library": ""
            });
            let devices = vec![from_value(facts).expect("facts of a device")];
            FoundDevices { backend, devices, missing: None, libraries: Vec::new() }
        });
        DeviceInventory::of(found.collect())
    }

    fn providers(words: &[&str]) -> Result<Vec<String>, PlanError> {
        let choices: Vec<_> = words.iter().map(|word| ProviderChoice::Name((*word).to_owned())).collect();
        let inventory = inventory(&[(Backend::Cuda, "gpu", None), (Backend::OpenCl, "cpu", None)]);
        let resolved = inventory.providers(&choices, DeviceGrouping::Alone)?;
        Ok(resolved.iter().map(|provider| format!("{} {}", provider.name(), provider.devices().is_some())).collect())
    }

    #[test]
    fn a_device_that_is_not_here_is_refused_and_a_backend_without_one_is_skipped() {
        let refused = |words: &[&str]| {
            let Err(PlanError::Usage(why)) = providers(words) else { panic!("{words:?} were taken") };
            why
        };
        let lacks = |id: &str, hint: &str| {
            format!("there is no device {id}; here: cuda0, opencl0. hint: `paw list --libraries` {hint}")
        };
        assert_eq!(refused(&["cuda7"]), lacks("cuda7", "describes them"));
        assert_eq!(refused(&["cuda0+7"]), lacks("cuda7", "describes them"));
        assert_eq!(refused(&["hip0"]), lacks("hip0", "says what HIP lacks"));
        assert_eq!(refused(&["cuda0", "ze0"]), lacks("ze0", "says what Level Zero lacks"));
        assert_eq!(providers(&["hip", "CUDA"]), Ok(vec!["cuda0 true".to_owned(), "hip false".to_owned()]));
        assert_eq!(providers(&["openblas"]), Ok(vec!["cuda0 true".to_owned()]));
    }

    #[test]
    fn a_device_is_measured_through_its_vendors_interface_alone() {
        let check = |devices: &[(Backend, &str, Option<&str>)], expected: &[&str]| {
            let ids: Vec<String> = inventory(devices).by_default().into_iter().map(DeviceFacts::id).collect();
            assert_eq!(ids, expected);
        };
        let (here, there) = (Some("0000:3a:00.0"), Some("0000:3b:00.0"));
        let (ze, opencl) = (Backend::LevelZero, Backend::OpenCl);
        check(&[(opencl, "gpu", here), (ze, "gpu", here)], &["ze0"]);
        check(&[(opencl, "gpu", here), (ze, "gpu", there)], &["opencl0", "ze0"]);
        check(&[(opencl, "cpu", None), (ze, "gpu", here)], &["ze0"]);
        check(&[(opencl, "cpu", None)], &["opencl0"]);
    }
}
