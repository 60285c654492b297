//! Limits on what this process may use: affinity, cpuset, processor quota and memory limit.

use paw_native::affinity;

use crate::cgroup::{self, Branch, Version};
use crate::cpuset::CpuSet;
use crate::root::Root;

/// A version 1 group without a limit shows the largest multiple of the page size below 2⁶³; anything above 2⁶⁰ bytes is no limit.
const MEMORY_UNLIMITED_BYTES: u64 = 1 << 60;

/// Limits on what this process may use; `None` where there is none.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Allowance {
    /// Processors of the process's affinity mask.
    pub affinity: Option<CpuSet>,
    /// Processors of its cpuset.
    pub cpuset: Option<CpuSet>,
    /// NUMA nodes it may allocate on.
    pub nodes: Option<CpuSet>,
    /// The strictest processor quota on the way up its control groups.
    pub quota: Option<Quota>,
    /// The strictest memory limit on the way up its control groups.
    pub memory: Option<MemoryLimit>,
    /// How often its control groups were stopped because their quota was used up.
    pub throttled: Option<u64>,
}

/// Processor time that a control group may use.
#[derive(Debug, Clone, PartialEq)]
pub struct Quota {
    /// Processors' worth of time: quota ÷ period.
    pub cpus: f64,
    /// The file that sets it.
    pub path: String,
}

/// Memory that a control group may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryLimit {
    /// Bytes.
    pub bytes: u64,
    /// The file that sets it.
    pub path: String,
}

impl Allowance {
    /// Reads the limits. Call it before threads are bound: the mask is the main thread's.
    pub fn read(root: &Root) -> Self {
        let cpu = cgroup::branches(root, "cpu");
        let cpuset = cgroup::branches(root, "cpuset");
        let memory = cgroup::branches(root, "memory");
        Self {
            affinity: affinity(root),
            cpuset: members(root, &cpuset, "cpus"),
            nodes: members(root, &cpuset, "mems").or_else(|| status_list(root, "Mems_allowed_list:")),
            quota: each(&cpu).filter_map(|d| quota(root, d)).min_by(|a, b| a.cpus.total_cmp(&b.cpus)),
            memory: each(&memory).filter_map(|d| memory_limit(root, d)).min_by_key(|limit| limit.bytes),
            throttled: each(&cpu).filter_map(|(_, d)| stopped(root, d)).max(),
        }
    }
}

/// The process's mask, from its status file; the kernel is asked only about the host itself.
fn affinity(root: &Root) -> Option<CpuSet> {
    let listed = status_list(root, "Cpus_allowed_list:");
    listed.or_else(|| root.is_host().then(|| affinity::allowed().ok())?.map(CpuSet::from_iter))
}

fn status_list(root: &Root, key: &str) -> Option<CpuSet> {
    let status = root.text("/proc/self/status")?;
    let list = status.lines().find_map(|line| line.strip_prefix(key))?;
    list.parse().ok().filter(|set: &CpuSet| !set.is_empty())
}

/// Every directory of every branch.
fn each(branches: &[Branch]) -> impl Iterator<Item = (Version, &str)> {
    branches.iter().flat_map(|b| b.directories.iter().map(|d| (b.version, d.as_str())))
}

/// Processors or nodes of the cpuset: those of the nearest group that lists any; a group without a list has its parent's.
fn members(root: &Root, branches: &[Branch], what: &str) -> Option<CpuSet> {
    let nearest = |branch: &Branch| {
        let files: [String; 3] = match branch.version {
            Version::V2 => [format!("cpuset.{what}.effective"), format!("cpuset.{what}"), String::new()],
            // The third is the file's name in a tree mounted as type `cpuset`.
            Version::V1 => [format!("cpuset.effective_{what}"), format!("cpuset.{what}"), what.to_owned()],
        };
        let paths = branch.directories.iter().flat_map(|d| files.iter().map(move |f| format!("{d}/{f}")));
        paths.filter_map(|path| root.word(&path)?.parse::<CpuSet>().ok()).find(|set| !set.is_empty())
    };
    branches.iter().filter_map(nearest).reduce(|a, b| a.intersection(&b))
}

/// `cpu.max` (`150000 100000`, `max 100000`), or `cpu.cfs_quota_us` (-1: none) over `cpu.cfs_period_us`.
fn quota(root: &Root, (version, directory): (Version, &str)) -> Option<Quota> {
    let (path, quota_us, period_us) = match version {
        Version::V2 => {
            let path = format!("{directory}/cpu.max");
            let text = root.word(&path)?;
            let (quota, period) = text.split_once(' ').unwrap_or((&text, "100000"));
            (path, quota.parse::<f64>().ok()?, period.trim().parse::<f64>().ok()?)
        }
        Version::V1 => {
            let path = format!("{directory}/cpu.cfs_quota_us");
            let quota = root.number::<f64>(&path)?;
            (path, quota, root.number::<f64>(&format!("{directory}/cpu.cfs_period_us"))?)
        }
    };
    (quota_us > 0.0 && period_us > 0.0).then(|| Quota { cpus: quota_us / period_us, path })
}

/// `memory.max` (or `max`), or `memory.limit_in_bytes`.
fn memory_limit(root: &Root, (version, directory): (Version, &str)) -> Option<MemoryLimit> {
    let file = match version {
        Version::V2 => "memory.max",
        Version::V1 => "memory.limit_in_bytes",
    };
    let path = format!("{directory}/{file}");
    let bytes = root.number::<u64>(&path)?;
    (bytes < MEMORY_UNLIMITED_BYTES).then_some(MemoryLimit { bytes, path })
}

/// `nr_throttled` of `cpu.stat`, which both versions write alike.
fn stopped(root: &Root, directory: &str) -> Option<u64> {
    let stat = root.text(&format!("{directory}/cpu.stat"))?;
    stat.lines().find_map(|line| line.strip_prefix("nr_throttled "))?.trim().parse().ok()
}
