//! Facts about a host: identity, which is stable and hashed, and state, which is recorded and diffed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Facts about a host.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Machine {
    /// What stays the same until the machine is rebuilt.
    pub identity: Identity,
    /// What may change between two runs: load, governor, frequencies, limits.
    pub state: State,
}

/// What stays the same until the machine is rebuilt.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Identity {
    /// Hash of every other field but the host name.
    pub fingerprint: String,
    /// Host name.
    pub host: String,
    /// Processor model, as the processor tells it.
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

/// One level of the cache hierarchy.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
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

/// What may change between two runs: names with readings, absent where the host does not tell.
pub type State = BTreeMap<String, String>;
