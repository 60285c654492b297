//! Facts about a host: identity, which is stable and hashed, and state, which is recorded and diffed.

pub mod hardware;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::outcome::Caveat;
use hardware::MemoryNode;

/// Facts about a host.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Machine {
    /// What stays the same until the machine is rebuilt.
    pub identity: Identity,
    /// What may change between two runs: load, governor, frequencies, limits.
    pub state: State,
    /// Accelerators, where somebody looked for them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<Device>,
    /// Where each processor online lies, ascending by number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub processors: Vec<Processor>,
    /// Memory nodes, ascending by number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<MemoryNode>,
    /// What a core does at most, where all cores are of one design that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core_peak: Option<CorePeak>,
    /// What disturbs measurements on it, the most serious first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub caveats: Vec<Caveat>,
}

/// What a core of a design does at most, by tables of designs: derived, not measured.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CorePeak {
    /// Name of the design.
    pub microarchitecture: String,
    /// Operations a clock, by type (`fp64`, `fp32`).
    pub per_clock: BTreeMap<String, f64>,
    /// The highest frequency of any core, boost included; `None` where the driver of frequencies does not tell it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_max_hz: Option<u64>,
}

/// Where a logical processor (hardware thread) lies. Processors with the same number share what the field names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Processor {
    /// The kernel's number.
    pub cpu: u32,
    /// Core, counted over the machine.
    pub core: u32,
    /// First processor of its second-level cache, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l2: Option<u32>,
    /// First processor of its third-level cache, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l3: Option<u32>,
    /// Package (socket), counted over the machine.
    pub package: u32,
    /// Number of its memory node, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<u32>,
}

/// The closest thing that two processors have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sharing {
    /// A core: they are its hardware threads.
    Core,
    /// A second-level cache.
    L2,
    /// A third-level cache.
    L3,
    /// A package, and no cache.
    Package,
    /// Not even a package.
    Nothing,
}

impl Sharing {
    /// What `a` and `b` share.
    pub fn of(a: &Processor, b: &Processor) -> Self {
        match () {
            () if a.core == b.core => Self::Core,
            () if a.l2.is_some() && a.l2 == b.l2 => Self::L2,
            () if a.l3.is_some() && a.l3 == b.l3 => Self::L3,
            () if a.package == b.package => Self::Package,
            () => Self::Nothing,
        }
    }

    /// The words for it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Core => "same core (SMT)",
            Self::L2 => "same L2",
            Self::L3 => "same L3",
            Self::Package => "same package",
            Self::Nothing => "across packages",
        }
    }
}

/// An accelerator.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Device {
    /// Its name as a provider: `cuda0`.
    pub id: String,
    /// Its product name.
    pub product: String,
    /// `gpu`, `cpu` or `accelerator`.
    pub kind: String,
    /// Address on the PCI bus; empty where there is none.
    pub bus_id: String,
    /// Identity that survives reboots; empty where it has none.
    pub uuid: String,
    /// Its memory.
    pub memory_bytes: u64,
    /// Streaming multiprocessors, or compute units.
    pub units: u32,
    /// The highest clock of its units, in hertz.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_hz: Option<f64>,
    /// Whether its memory is the host's.
    pub unified: bool,
    /// Memory node of the host it hangs on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numa_node: Option<u32>,
    /// PCIe link in words: `generation 5 of 5, 16 of 16 lanes`; empty where unknown.
    pub link: String,
    /// The link's largest bandwidth in one direction, in bytes per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_bytes_s: Option<f64>,
    /// Operations a clock of all units together, dense, by type: `fp64`, `bf16` …
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub peaks: BTreeMap<String, f64>,
    /// Version of the driver.
    pub driver: String,
    /// Version of the interface.
    pub api: String,
    /// The library through which it was reached.
    pub library: String,
}

impl Device {
    /// Whether `other` is the same product, with as many units, as high a clock and as much memory, reached in the same way.
    pub fn is_like(&self, other: &Self) -> bool {
        let facts = |device: &Self| (device.product.clone(), device.kind.clone(), device.memory_bytes, device.units);
        let way = |device: &Self| device.id.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
        facts(self) == facts(other) && self.clock_hz == other.clock_hz && way(self) == way(other)
    }
}

/// What stays the same until the machine is rebuilt.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Identity {
    /// Hash of every other field but the host name.
    pub fingerprint: String,
    /// Host name.
    pub host: String,
    /// Processor model, as the processor reports it.
    pub cpu: String,
    /// `x86_64`, `aarch64` …
    pub arch: String,
    /// Vector extensions that matter here: `avx2`, `avx512f`, `neon` …
    pub isa: Vec<String>,
    /// Processor packages.
    pub packages: u32,
    /// Physical cores online.
    pub cores: u32,
    /// Hardware threads online.
    pub threads: u32,
    /// NUMA nodes with memory.
    pub numa_nodes: u32,
    /// Data and unified caches, one entry a level and kind.
    pub caches: Vec<CacheLevel>,
    /// Physical memory.
    pub memory_bytes: u64,
    /// Operating system's name and version.
    pub os: String,
    /// Kernel release.
    pub kernel: String,
    /// Hypervisor, where one is seen; empty on bare metal.
    pub hypervisor: String,
}

impl Identity {
    /// A hash of the hardware and the host name: nodes that are alike are not one machine. Of neither system nor kernel, whose changes a
    /// history is to show. Empty where the processor is not known.
    pub fn machine(&self) -> String {
        let hardware = self.hardware();
        if hardware.is_empty() { hardware } else { short_hash(&format!("{hardware}\nhost={}\n", self.host)) }
    }

    /// A hash of what the hardware is: of neither host name, system and kernel, nor of what they switch off or hide. Empty where the
    /// processor is not known.
    pub fn hardware(&self) -> String {
        if self.cpu.is_empty() {
            return String::new();
        }
        let cache = |c: &CacheLevel| format!("{}{} {}", c.level, c.kind, c.size_bytes);
        let caches: Vec<String> = self.caches.iter().map(cache).collect();
        let text = format!(
            "cpu={}\narch={}\npackages={}\ncaches={}\nmemory={}\nhypervisor={}\n",
            self.cpu,
            self.arch,
            self.packages,
            caches.join(", "),
            coarse(self.memory_bytes),
            self.hypervisor
        );
        short_hash(&text)
    }
}

/// Twelve digits that tell texts apart.
fn short_hash(text: &str) -> String {
    format!("{:012x}", fnv1a(text.as_bytes()) >> 16)
}

/// Steps for each power of two to which memory is rounded: firmware and kernel reserve a few per cent, which vary from boot to boot.
const MEMORY_STEPS: u64 = 8;

/// `bytes` rounded to an eighth of the power of two below.
pub fn coarse(bytes: u64) -> u64 {
    let power = if bytes == 0 { return 0 } else { 1_u64 << bytes.ilog2() };
    let step = (power / MEMORY_STEPS).max(1);
    (bytes + step / 2) / step * step
}

/// Offset basis and prime of the 64-bit FNV-1a hash (Fowler, Noll, Vo; RFC 9923).
const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

/// The FNV-1a hash of `bytes`: an identifier, not a protection.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(FNV_BASIS, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME))
}

/// One level of the cache hierarchy.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CacheLevel {
    /// 1, 2, 3 …
    pub level: u32,
    /// `data`, `instruction` or `unified`.
    pub kind: String,
    /// Bytes of one instance.
    pub size_bytes: u64,
    /// Instances online.
    pub instances: u32,
    /// Hardware threads that share one instance.
    pub shared_by: u32,
}

/// What may change between two runs: names with readings, absent where the host reports none.
pub type State = BTreeMap<String, String>;
