//! The specification as text.

use std::fmt;
use std::str::FromStr;

use crate::synthetic::{CgroupVersion, HostType, KindEvidence, MachineSpec, Numbering, SharedCache};
use paw_machine::cpuset::CpuSet;

/// The keys of a specification, and what each means.
const KEYS: &[(&str, &str)] = &[
    ("package", "packages"),
    ("node", "memory nodes of each package"),
    ("core", "cores of each node"),
    ("efficiency", "efficiency cores of each node"),
    ("evidence", "what distinguishes efficiency cores: events, frequency, capacity, midr"),
    ("smt", "hardware threads of each core"),
    ("l1d", "first-level data cache of a core: 48K"),
    ("l1i", "first-level instruction cache of a core"),
    ("l2", "second-level cache, and the cores that share one: 2M/2"),
    ("l3", "third-level cache, and the cores that share one (0: the node's): 32M/8"),
    ("numbering", "of hardware threads: last, adjacent, interleaved"),
    ("stride", "step between processor numbers"),
    ("offline", "processors switched off: 3,5"),
    ("memory", "memory of each node: 64G"),
    ("distance", "of nodes in different packages, 10 being local"),
    ("memoryless", "nodes without memory"),
    ("cpuless", "number of nodes without processors"),
    ("cgroup", "control groups: none, v1, v2, hybrid"),
    ("quota", "processors' worth of time: 1.5"),
    ("cpuset", "processors of the control group"),
    ("mems", "nodes of the control group"),
    ("limit", "memory limit of the control group: 4G"),
    ("affinity", "affinity mask of the process"),
    ("governor", "governor of all processors"),
    ("load", "load of the last minute: 3.5"),
    ("host", "metal, virtual"),
];

/// Why a specification is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the machine specification cannot be read at \"{word}\": {why}. hint: package:2 core:16 smt:2 l3:32M/8")]
pub struct SpecError {
    /// The word.
    pub word: String,
    /// What is wrong with it.
    pub why: String,
}

impl FromStr for MachineSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut spec = MachineSpec::default();
        for word in text.split_whitespace() {
            let refused = |why: String| SpecError { word: word.to_owned(), why };
            let (key, value) = word.split_once(':').ok_or_else(|| refused("it is no key:value".to_owned()))?;
            set(&mut spec, key, value).map_err(refused)?;
        }
        let all_offline = spec.online().is_empty();
        if all_offline {
            return Err(SpecError { word: text.to_owned(), why: "no processor is left online".to_owned() });
        }
        Ok(spec)
    }
}

fn set(spec: &mut MachineSpec, key: &str, value: &str) -> Result<(), String> {
    match key {
        "package" => spec.packages = count(value, 1)?,
        "node" => spec.nodes = count(value, 1)?,
        "core" => spec.cores = count(value, 1)?,
        "efficiency" => spec.efficiency = count(value, 0)?,
        "evidence" => spec.evidence = one_of(value, EVIDENCE)?,
        "smt" => spec.smt = count(value, 1)?,
        "l1d" => spec.l1d_bytes = bytes(value)?,
        "l1i" => spec.l1i_bytes = bytes(value)?,
        "l2" => spec.l2 = shared(value)?,
        "l3" => spec.l3 = shared(value)?,
        "numbering" => spec.numbering = one_of(value, NUMBERINGS)?,
        "stride" => spec.stride = count(value, 1)?,
        "offline" => spec.offline = list(value)?,
        "memory" => spec.memory_bytes = bytes(value)?,
        "distance" => spec.distance = count(value, 10)?,
        "memoryless" => spec.memoryless = list(value)?,
        "cpuless" => spec.cpuless = count(value, 0)?,
        "cgroup" => spec.cgroup = one_of(value, GROUPS)?,
        "quota" => spec.quota_hundredths = Some(hundredths(value)?),
        "cpuset" => spec.cpuset = Some(list(value)?),
        "mems" => spec.mems = Some(list(value)?),
        "limit" => spec.memory_limit_bytes = Some(bytes(value)?),
        "affinity" => spec.affinity = Some(list(value)?),
        "governor" => spec.governor = Some(value.to_owned()),
        "load" => spec.load_hundredths = hundredths(value)?,
        "host" => spec.host = one_of(value, HOSTS)?,
        _ => return Err(format!("no key \"{key}\"")),
    }
    Ok(())
}

const EVIDENCE: &[(&str, KindEvidence)] = &[
    ("events", KindEvidence::Events),
    ("frequency", KindEvidence::Frequency),
    ("capacity", KindEvidence::Capacity),
    ("midr", KindEvidence::Midr),
];
const NUMBERINGS: &[(&str, Numbering)] =
    &[("last", Numbering::Last), ("adjacent", Numbering::Adjacent), ("interleaved", Numbering::Interleaved)];
const GROUPS: &[(&str, CgroupVersion)] = &[
    ("none", CgroupVersion::None),
    ("v1", CgroupVersion::V1),
    ("v2", CgroupVersion::V2),
    ("hybrid", CgroupVersion::Hybrid),
];
const HOSTS: &[(&str, HostType)] = &[("metal", HostType::Metal), ("virtual", HostType::Virtual)];

fn one_of<T: Copy>(value: &str, words: &[(&str, T)]) -> Result<T, String> {
    let found = words.iter().find(|(word, _)| *word == value);
    let known = || words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
    found.map(|(_, meaning)| *meaning).ok_or_else(|| format!("\"{value}\" is none of {}", known()))
}

fn word_of<T: Copy + PartialEq>(meaning: T, words: &[(&'static str, T)]) -> &'static str {
    words.iter().find(|(_, m)| *m == meaning).map_or("", |(word, _)| word)
}

fn count(value: &str, least: u32) -> Result<u32, String> {
    // A machine of more than 4096 of anything would fill the disk with files.
    let in_range = value.parse().ok().filter(|n| (least..=4096).contains(n));
    in_range.ok_or_else(|| format!("\"{value}\" is not a number from {least} to 4096"))
}

fn list(value: &str) -> Result<CpuSet, String> {
    value.parse().map_err(|e: paw_machine::cpuset::CpuSetError| e.why)
}

fn hundredths(value: &str) -> Result<u32, String> {
    let number = value.parse::<f64>().ok().filter(|n| (0.0..1e6).contains(n));
    number.map(|n| (n * 100.0).round() as u32).ok_or_else(|| format!("\"{value}\" is not a number from 0"))
}

fn bytes(value: &str) -> Result<u64, String> {
    let (digits, shift) = match value.chars().last() {
        Some('K') => (&value[..value.len() - 1], 10),
        Some('M') => (&value[..value.len() - 1], 20),
        Some('G') => (&value[..value.len() - 1], 30),
        _ => (value, 0),
    };
    let number = digits.parse::<u64>().ok().filter(|n| *n < 1 << 32);
    number.map(|n| n << shift).ok_or_else(|| format!("\"{value}\" is not a size such as 48K, 2M, 64G"))
}

fn shared(value: &str) -> Result<SharedCache, String> {
    let (size, cores) = value.split_once('/').unwrap_or((value, "0"));
    Ok(SharedCache { bytes: bytes(size)?, cores: count(cores, 0)? })
}

/// Writes what differs from the default.
impl fmt::Display for MachineSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = MachineSpec::default();
        let mut words: Vec<String> = Vec::new();
        let mut word = |key: &str, value: String, default: String| {
            if value != default {
                words.push(format!("{key}:{value}"));
            }
        };
        for (key, _) in KEYS {
            word(key, value_of(self, key), value_of(&plain, key));
        }
        f.write_str(&words.join(" "))
    }
}

/// The value of a key as text; empty where an optional one is not set.
fn value_of(spec: &MachineSpec, key: &str) -> String {
    let set = |list: &Option<CpuSet>| list.as_ref().map(CpuSet::to_string).unwrap_or_default();
    let decimal = |hundredths: u32| (f64::from(hundredths) / 100.0).to_string();
    match key {
        "package" => spec.packages.to_string(),
        "node" => spec.nodes.to_string(),
        "core" => spec.cores.to_string(),
        "efficiency" => spec.efficiency.to_string(),
        "evidence" => word_of(spec.evidence, EVIDENCE).to_owned(),
        "smt" => spec.smt.to_string(),
        "l1d" => size(spec.l1d_bytes),
        "l1i" => size(spec.l1i_bytes),
        "l2" => format!("{}/{}", size(spec.l2.bytes), spec.l2.cores),
        "l3" => format!("{}/{}", size(spec.l3.bytes), spec.l3.cores),
        "numbering" => word_of(spec.numbering, NUMBERINGS).to_owned(),
        "stride" => spec.stride.to_string(),
        "offline" => spec.offline.to_string(),
        "memory" => size(spec.memory_bytes),
        "distance" => spec.distance.to_string(),
        "memoryless" => spec.memoryless.to_string(),
        "cpuless" => spec.cpuless.to_string(),
        "cgroup" => word_of(spec.cgroup, GROUPS).to_owned(),
        "quota" => spec.quota_hundredths.map(decimal).unwrap_or_default(),
        "cpuset" => set(&spec.cpuset),
        "mems" => set(&spec.mems),
        "limit" => spec.memory_limit_bytes.map(size).unwrap_or_default(),
        "affinity" => set(&spec.affinity),
        "governor" => spec.governor.clone().unwrap_or_default(),
        "load" => decimal(spec.load_hundredths),
        _ => word_of(spec.host, HOSTS).to_owned(),
    }
}

/// `48K`, `2M`, or plain bytes.
fn size(bytes: u64) -> String {
    let units = [(30, "G"), (20, "M"), (10, "K")];
    let whole = units.iter().find(|(shift, _)| bytes > 0 && bytes.is_multiple_of(1 << shift));
    whole.map_or_else(|| bytes.to_string(), |(shift, unit)| format!("{}{unit}", bytes >> shift))
}
