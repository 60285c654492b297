//! The parts of a machine one by one: processors, hardware threads, caches, memory nodes, devices.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The parts of a machine. None of it enters the fingerprint.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Hardware {
    /// Models of its processors: one, or one for each kind of core that names itself.
    pub models: Vec<ProcessorModel>,
    /// Hardware threads online, ascending by number.
    pub threads: Vec<HardwareThread>,
    /// Hardware threads that are switched off.
    pub offline: Vec<u32>,
    /// Caches, by level, kind and first hardware thread.
    pub caches: Vec<CacheInstance>,
    /// Memory nodes, ascending by number.
    pub nodes: Vec<MemoryNode>,
    /// Adapters on the PCI bus: displays, networks, storage, accelerators.
    pub adapters: Vec<Adapter>,
    /// What was contradictory, and what was believed.
    pub notes: Vec<String>,
}

/// What a processor says it is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ProcessorModel {
    /// Its name, as it reports it.
    pub name: String,
    /// Who made it, as it reports it: `GenuineIntel`, `0x41`.
    pub vendor: String,
    /// Name of its design, by a table of family and model, or of the part number; empty if unknown.
    pub microarchitecture: String,
    /// Family, of x86.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<u32>,
    /// Model within the family, or part number of an Arm core.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<u32>,
    /// Stepping (`2`), or variant and revision of an Arm core (`r1p0`); empty if unknown.
    pub stepping: String,
    /// Revision of the microcode; empty if unknown.
    pub microcode: String,
    /// The hardware threads that say so.
    pub cpus: Vec<u32>,
}

/// Where a hardware thread lies, and whether paw may use it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct HardwareThread {
    /// The kernel's number.
    pub cpu: u32,
    /// Its place among the threads of its core, from 0.
    pub thread: u32,
    /// Core, counted over the machine.
    pub core: u32,
    /// The kernel's number of the core.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core_id: Option<i64>,
    /// The kernel's number of the die.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub die: Option<i64>,
    /// The kernel's number of the cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<i64>,
    /// Package, counted over the machine.
    pub package: u32,
    /// The kernel's number of the package.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package_id: Option<i64>,
    /// Number of its memory node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<u32>,
    /// Its kind of core; empty where all cores are alike.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The kernel's measure of its speed, 1024 for the fastest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<u32>,
    /// The highest frequency it may reach.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency_max_hz: Option<u64>,
    /// Whether the affinity mask and the cpuset of the process that read this let it run there.
    pub available: bool,
}

/// One cache. A virtual machine may be shown a slice of the true one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CacheInstance {
    /// 1, 2, 3 …
    pub level: u32,
    /// `data`, `instruction` or `unified`.
    pub kind: String,
    /// Bytes.
    pub size_bytes: u64,
    /// Bytes of a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_bytes: Option<u32>,
    /// Ways of associativity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ways: Option<u32>,
    /// Sets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sets: Option<u32>,
    /// The hardware threads that share it.
    pub cpus: Vec<u32>,
}

impl CacheInstance {
    /// `L1d`, `L1i`, `L2` …
    pub fn name(&self) -> String {
        let letter = match self.kind.as_str() {
            "data" => "d",
            "instruction" => "i",
            _ => "",
        };
        format!("L{}{letter}", self.level)
    }
}

/// One memory node.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MemoryNode {
    /// The kernel's number.
    pub number: u32,
    /// Its hardware threads.
    pub cpus: Vec<u32>,
    /// Memory that it shows now; a virtual machine that backs memory when touched shows less than there is.
    pub total_bytes: u64,
    /// Memory of it that nothing uses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub free_bytes: Option<u64>,
    /// Firmware's distance to each node by its number; 10 is local.
    pub distances: BTreeMap<u32, u32>,
    /// The nodes that reach it best, and what firmware promises them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub access: Vec<NodeAccess>,
    /// Caches of its memory alone, the nearest to the processors first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub side_caches: Vec<MemorySideCache>,
}

/// A cache in front of a node's memory, which software cannot address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MemorySideCache {
    /// The kernel's level: the highest is the nearest to the processors.
    pub level: u32,
    /// Bytes.
    pub size_bytes: u64,
    /// Bytes of a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_bytes: Option<u32>,
    /// Whether each line has one place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direct_mapped: Option<bool>,
}

/// The nodes that reach a memory node best, as firmware says.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct NodeAccess {
    /// 0: initiators of any kind; 1: processors alone.
    pub class: u32,
    /// Their numbers.
    pub initiators: Vec<u32>,
    /// Latency of a read, in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_latency_ns: Option<u64>,
    /// Latency of a write, in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_latency_ns: Option<u64>,
    /// Bandwidth of reads, in bytes per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_bytes_s: Option<u64>,
    /// Bandwidth of writes, in bytes per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_bytes_s: Option<u64>,
}

/// An adapter on the PCI bus.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Adapter {
    /// Its address: `0000:00:02.0`.
    pub bus_id: String,
    /// `display`, `network`, `storage`, `accelerator` …
    pub class: String,
    /// Vendor and device as on the bus: `10de:2330`.
    pub id: String,
    /// What the system calls it: `eth0`, `mlx5_0`, `nvme0`.
    pub names: Vec<String>,
    /// Memory node it hangs on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<u32>,
    /// Hardware threads near it; empty if unknown.
    pub cpus: Vec<u32>,
    /// Speed and width of its link: `32.0 GT/s PCIe × 16`; empty if unknown.
    pub link: String,
}
