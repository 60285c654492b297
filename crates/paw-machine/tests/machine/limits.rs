//! What this process may use: affinity, cpusets, quotas and memory limits of both kinds of control groups.

use crate::paper::{paper, topology};

#[test]
fn a_quota_of_an_ancestor_counts_in_both_versions() {
    for version in ["v1", "v2", "hybrid"] {
        let read = topology(&format!("core:4 cgroup:{version} quota:1.5"));
        let quota = read.allowance.quota.as_ref().unwrap_or_else(|| panic!("{version}"));
        assert_eq!(quota.cpus, 1.5, "{version}");
        assert!(quota.path.contains("/batch/cpu."), "{}", quota.path);
        assert_eq!(read.effective_cpus(), 1.5, "{version}");
    }
}

#[test]
fn the_strictest_quota_on_the_way_up_holds() {
    let machine = paper("core:8 cgroup:v2 quota:4");
    machine.put("sys/fs/cgroup/batch/job/cpu.max", "600000 100000\n");
    assert_eq!(machine.topology().effective_cpus(), 4.0);
    machine.put("sys/fs/cgroup/batch/job/cpu.max", "50000 100000\n");
    assert_eq!(machine.topology().effective_cpus(), 0.5);
}

#[test]
fn no_quota_is_no_limit() {
    for version in ["none", "v1", "v2", "hybrid"] {
        let read = topology(&format!("core:4 cgroup:{version}"));
        assert_eq!(read.allowance.quota, None, "{version}");
        assert_eq!(read.allowance.memory, None, "{version}");
        assert_eq!(read.effective_cpus(), 4.0, "{version}");
        assert_eq!(read.effective_memory_bytes(), 8 << 30, "{version}");
    }
}

#[test]
fn damaged_limits_are_no_limits() {
    let machine = paper("core:4 cgroup:v2");
    for text in ["", "max", "0 100000", "-1 100000", "100000 0", "many 100000", "100000 x"] {
        machine.put("sys/fs/cgroup/batch/job/cpu.max", text);
        assert_eq!(machine.topology().allowance.quota, None, "{text:?}");
    }
}

#[test]
fn a_cpuset_and_an_affinity_mask_both_cut() {
    for version in ["v1", "v2"] {
        let read = topology(&format!("core:8 cgroup:{version} cpuset:0-5 affinity:4-7 offline:5"));
        assert_eq!(read.allowed().to_string(), "4", "{version}");
        assert_eq!(read.allowed_cores().len(), 1, "{version}");
    }
}

#[test]
fn an_empty_cpuset_has_its_parents_processors() {
    let machine = paper("core:8 cgroup:v1");
    machine.put("sys/fs/cgroup/cpuset/batch/cpuset.cpus", "2-3\n");
    machine.put("sys/fs/cgroup/cpuset/batch/job/cpuset.cpus", "\n");
    assert_eq!(machine.topology().allowed().to_string(), "2-3");
}

#[test]
fn the_effective_cpuset_goes_before_the_wanted_one() {
    let machine = paper("core:8 cgroup:v2 cpuset:0-3");
    machine.put("sys/fs/cgroup/batch/job/cpuset.cpus", "0-7\n");
    assert_eq!(machine.topology().allowed().to_string(), "0-3");
}

#[test]
fn a_mask_about_other_processors_is_not_believed() {
    assert_eq!(topology("core:2 affinity:64-127").allowed().to_string(), "0-1");
}

#[test]
fn nodes_are_limited_by_the_cpuset() {
    for version in ["v1", "v2"] {
        let read = topology(&format!("package:2 core:2 cgroup:{version} mems:1"));
        assert_eq!(read.allowance.nodes.unwrap().to_string(), "1", "{version}");
    }
}

#[test]
fn a_memory_limit_caps_what_can_be_used() {
    for version in ["v1", "v2"] {
        let read = topology(&format!("core:2 memory:16G cgroup:{version} limit:4G"));
        assert_eq!(read.effective_memory_bytes(), 4 << 30, "{version}");
        let large = topology(&format!("core:2 memory:16G cgroup:{version} limit:64G"));
        assert_eq!(large.effective_memory_bytes(), 16 << 30, "{version}");
    }
}

#[test]
fn a_namespace_that_hides_the_group_leaves_the_mount_point() {
    // A container sees its group's files at the mount point, and a path it cannot follow.
    let machine = paper("core:8 cgroup:v2");
    machine.put("sys/fs/cgroup/cpu.max", "200000 100000\n");
    for group in ["0::/../../other", "0::/not/there"] {
        machine.put("proc/self/cgroup", group);
        assert_eq!(machine.topology().effective_cpus(), 2.0, "{group}");
    }
}

#[test]
fn the_shown_part_of_a_tree_is_taken_off_the_groups_path() {
    // Docker with version 1: the mount shows /docker/abc, and the process is in /docker/abc/inner.
    let machine = paper("core:8 cgroup:v1");
    machine.put("proc/self/cgroup", "2:cpu,cpuacct:/docker/abc/inner\n");
    machine.put(
        "proc/self/mountinfo",
        "30 22 0:30 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n",
    );
    machine.put("sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_quota_us", "300000\n");
    machine.put("sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_period_us", "100000\n");
    assert_eq!(machine.topology().effective_cpus(), 3.0);
}

#[test]
fn a_machine_without_mountinfo_is_read_from_mounts() {
    let machine = paper("core:8 cgroup:v2 quota:2");
    machine.remove("proc/self/mountinfo").put("proc/self/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n");
    assert_eq!(machine.topology().effective_cpus(), 2.0);
}

#[test]
fn an_old_cpuset_mount_is_read_by_its_own_names() {
    let machine = paper("core:8");
    machine.put("proc/self/mountinfo", "30 22 0:30 / /dev/cpuset rw - cpuset none rw\n");
    machine.put("proc/self/cpuset", "/batch\n").put("dev/cpuset/batch/cpus", "1,3\n").put("proc/self/cgroup", "");
    assert_eq!(machine.topology().allowed().to_string(), "1,3");
}

#[test]
fn the_times_a_group_was_stopped_are_counted_where_the_quota_stands() {
    let machine = paper("core:4 cgroup:v2 quota:1");
    machine.put("sys/fs/cgroup/batch/cpu.stat", "usage_usec 9\nnr_periods 50\nnr_throttled 44\n");
    assert_eq!(machine.topology().allowance.throttled, Some(44));
}
