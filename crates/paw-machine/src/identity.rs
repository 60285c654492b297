//! Identity of the machine, which stays the same until it is rebuilt, and its fingerprint.

use std::collections::BTreeMap;
use std::ffi::CStr;

use paw_data::machine::{CacheLevel, Identity, Machine, Processor, coarse, fnv1a};
use rustix::system::{Uname, uname};

use crate::core_peak;
use crate::cpuinfo::CpuInfo;
use crate::doctor;
use crate::hardware;
use crate::hypervisor;
use crate::root::Root;
use crate::state;
use crate::topology::{CacheKind, Cpu, Topology};

/// Identity and state of the machine under `root`, and what disturbs measurements on it.
pub fn machine(root: &Root, topology: &Topology) -> Machine {
    Machine {
        identity: identity(root, topology),
        state: state::state(root, topology),
        devices: Vec::new(),
        processors: processors(topology),
        nodes: hardware::nodes(topology),
        core_peak: core_peak::core_peak(root, topology, &CpuInfo::read(root)),
        caveats: doctor::caveats(root, topology),
    }
}

/// Where each processor online lies.
pub fn processors(topology: &Topology) -> Vec<Processor> {
    let cache = |cpu: u32, level: u32| {
        let mut own = topology.data_caches(cpu).into_iter().filter(|cache| cache.level == level);
        own.next().and_then(|cache| cache.cpus.iter().next())
    };
    let place = |cpu: &Cpu| Processor {
        cpu: cpu.number,
        core: cpu.core as u32,
        l2: cache(cpu.number, 2),
        l3: cache(cpu.number, 3),
        package: cpu.package as u32,
        node: cpu.node,
    };
    topology.cpus.iter().map(place).collect()
}

/// The machine's identity.
pub fn identity(root: &Root, topology: &Topology) -> Identity {
    let cpuinfo = CpuInfo::read(root);
    let names = root.is_host().then(uname);
    let own = |name: fn(&Uname) -> &CStr| names.as_ref().map(|names| name(names).to_string_lossy().into_owned());
    let file_or = |path: &str, own: Option<String>| root.word(path).or(own).unwrap_or_default();
    let arch = own(Uname::machine).or_else(|| cpuinfo.arch().map(str::to_owned));
    let mut identity = Identity {
        fingerprint: String::new(),
        host: file_or("/proc/sys/kernel/hostname", own(Uname::nodename)),
        cpu: cpuinfo.model(),
        arch: file_or("/proc/sys/kernel/arch", arch),
        isa: cpuinfo.isa(),
        packages: topology.packages.len() as u32,
        cores: topology.cores.len() as u32,
        threads: topology.cpus.len() as u32,
        numa_nodes: topology.nodes.iter().filter(|n| n.visible_bytes > 0).count().max(1) as u32,
        caches: cache_levels(topology),
        memory_bytes: topology.memory.total_bytes,
        os: os(root),
        kernel: file_or("/proc/sys/kernel/osrelease", own(Uname::release)),
        hypervisor: hypervisor::seen(root, &cpuinfo).unwrap_or_default(),
    };
    identity.fingerprint = fingerprint(&identity);
    identity
}

/// One entry for each level, kind, size and sharing; hybrid machines have several of a level.
pub fn cache_levels(topology: &Topology) -> Vec<CacheLevel> {
    let mut levels: BTreeMap<(u32, CacheKind, std::cmp::Reverse<u64>, u32), u32> = BTreeMap::new();
    for cache in &topology.caches {
        let key = (cache.level, cache.kind, std::cmp::Reverse(cache.size_bytes), cache.cpus.len() as u32);
        *levels.entry(key).or_default() += 1;
    }
    let entry = |((level, kind, size, shared_by), instances): ((u32, CacheKind, std::cmp::Reverse<u64>, u32), u32)| {
        CacheLevel { level, kind: kind.word().to_owned(), size_bytes: size.0, instances, shared_by }
    };
    levels.into_iter().map(entry).collect()
}

/// The system's own name, `Debian GNU/Linux 12 (bookworm)`.
fn os(root: &Root) -> String {
    let release = root.text("/etc/os-release").or_else(|| root.text("/usr/lib/os-release")).unwrap_or_default();
    let value = |key: &str| {
        let line = release.lines().find_map(|l| l.strip_prefix(key)?.strip_prefix('='))?;
        Some(line.trim().trim_matches(['"', '\'']).to_owned()).filter(|v| !v.is_empty())
    };
    value("PRETTY_NAME").or_else(|| value("NAME")).unwrap_or_else(|| "Linux".to_owned())
}

/// FNV-1a over every field but the host name, each with its name; memory is rounded. The hash is an identifier, not a protection.
pub fn fingerprint(identity: &Identity) -> String {
    let caches: Vec<String> = identity
        .caches
        .iter()
        .map(|c| format!("{}{} {} x{} /{}", c.level, c.kind, c.size_bytes, c.instances, c.shared_by))
        .collect();
    let fields = [
        ("cpu", identity.cpu.clone()),
        ("arch", identity.arch.clone()),
        ("isa", identity.isa.join(" ")),
        ("packages", identity.packages.to_string()),
        ("cores", identity.cores.to_string()),
        ("threads", identity.threads.to_string()),
        ("numa_nodes", identity.numa_nodes.to_string()),
        ("caches", caches.join(", ")),
        ("memory", coarse(identity.memory_bytes).to_string()),
        ("os", identity.os.clone()),
        ("kernel", identity.kernel.clone()),
        ("hypervisor", identity.hypervisor.clone()),
    ];
    let text: String = fields.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
    format!("{:016x}", fnv1a(text.as_bytes()))
}
