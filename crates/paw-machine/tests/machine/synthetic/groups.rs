//! Files below /sys/fs/cgroup. This process's group is two levels down, the quota one level above it.

use std::fmt::Display;
use std::io;

use crate::synthetic::{CgroupVersion, FileTree, MachineSpec};

/// The kernel's usual period.
const PERIOD_US: u64 = 100_000;

/// What version 1 shows where nothing limits memory.
const V1_UNLIMITED: u64 = 9_223_372_036_854_771_712;

const GROUP: &str = "/batch/job";
const PARENT: &str = "/batch";

pub(super) fn write(spec: &MachineSpec, tree: &FileTree<'_>) -> io::Result<()> {
    let (v1, v2) = match spec.cgroup {
        CgroupVersion::None => (false, false),
        CgroupVersion::V1 => (true, false),
        CgroupVersion::V2 => (false, true),
        CgroupVersion::Hybrid => (true, true),
    };
    let mut mounts = vec!["22 1 0:20 / / rw - ext4 /dev/root rw".to_owned()];
    let mut groups = Vec::new();
    if v1 {
        for (id, controller) in ["cpu,cpuacct", "cpuset", "memory"].into_iter().enumerate() {
            groups.push(format!("{}:{controller}:{GROUP}", id + 2));
            let point = format!("/sys/fs/cgroup/{controller}");
            mounts.push(format!("3{id} 22 0:3{id} / {point} rw,relatime shared:9 - cgroup cgroup rw,{controller}"));
        }
        version1(spec, tree)?;
    }
    if v2 {
        let point = if v1 { "/sys/fs/cgroup/unified" } else { "/sys/fs/cgroup" };
        groups.push(format!("0::{}", if v1 { "/" } else { GROUP }));
        mounts.push(format!("41 22 0:41 / {point} rw - cgroup2 cgroup2 rw"));
        tree.put(&format!("{point}/cgroup.controllers"), if v1 { "hugetlb" } else { "cpuset cpu memory" })?;
        if !v1 {
            version2(spec, tree)?;
        }
    }
    tree.put("/proc/self/mountinfo", mounts.join("\n"))?;
    tree.put("/proc/self/cgroup", groups.join("\n"))
}

/// The quota in microseconds of a period.
fn quota_us(spec: &MachineSpec) -> Option<u64> {
    spec.quota_hundredths.map(|hundredths| u64::from(hundredths) * PERIOD_US / 100)
}

fn version1(spec: &MachineSpec, tree: &FileTree<'_>) -> io::Result<()> {
    let put = |controller: &str, group: &str, file: &str, text: &dyn Display| {
        tree.put(&format!("/sys/fs/cgroup/{controller}{group}/{file}"), text)
    };
    for group in ["", PARENT, GROUP] {
        put("cpu,cpuacct", group, "cpu.cfs_period_us", &PERIOD_US)?;
        put("cpu,cpuacct", group, "cpu.cfs_quota_us", &-1)?;
        put("cpu,cpuacct", group, "cpu.stat", &"nr_periods 0\nnr_throttled 0\nthrottled_time 0")?;
        put("memory", group, "memory.limit_in_bytes", &V1_UNLIMITED)?;
    }
    if let Some(quota) = quota_us(spec) {
        put("cpu,cpuacct", PARENT, "cpu.cfs_quota_us", &quota)?;
    }
    if let Some(bytes) = spec.memory_limit_bytes {
        put("memory", GROUP, "memory.limit_in_bytes", &bytes)?;
    }
    put("cpuset", "", "cpuset.cpus", &spec.online())?;
    put("cpuset", GROUP, "cpuset.cpus", spec.cpuset.as_ref().map_or(&"", |set| set as &dyn Display))?;
    put("cpuset", GROUP, "cpuset.mems", spec.mems.as_ref().map_or(&"", |set| set as &dyn Display))
}

fn version2(spec: &MachineSpec, tree: &FileTree<'_>) -> io::Result<()> {
    let put = |group: &str, file: &str, text: &dyn Display| tree.put(&format!("/sys/fs/cgroup{group}/{file}"), text);
    for group in [PARENT, GROUP] {
        put(group, "cpu.max", &format!("max {PERIOD_US}"))?;
        put(group, "cpu.stat", &"usage_usec 0\nnr_periods 0\nnr_throttled 0")?;
        put(group, "memory.max", &"max")?;
    }
    if let Some(quota) = quota_us(spec) {
        put(PARENT, "cpu.max", &format!("{quota} {PERIOD_US}"))?;
    }
    if let Some(bytes) = spec.memory_limit_bytes {
        put(GROUP, "memory.max", &bytes)?;
    }
    put("", "cpuset.cpus.effective", &spec.online())?;
    if let Some(set) = &spec.cpuset {
        put(GROUP, "cpuset.cpus.effective", set)?;
    }
    if let Some(set) = &spec.mems {
        put(GROUP, "cpuset.mems.effective", set)?;
    }
    Ok(())
}
