//! Control groups of version 1, 2, or both: the directories of this process's groups, from the leaf to the top.
//!
//! Any ancestor may set a limit, and the strictest holds, so every reader walks all the way up.

use crate::root::Root;

/// The interface of a group's directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// Version 1: one tree for each controller.
    V1,
    /// Version 2: one tree for all controllers.
    V2,
}

/// The directories of this process's group for one controller, the leaf first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// Interface of the files in `directories`.
    pub version: Version,
    /// Absolute paths on the machine read.
    pub directories: Vec<String>,
}

/// One mounted group tree.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mount {
    version: Version,
    /// The group that the mount point shows, `/` unless a container sees a part of the tree.
    shown: String,
    point: String,
    /// Controllers of a version 1 tree.
    controllers: Vec<String>,
}

/// The branches that may hold `controller` (`cpu`, `cpuset`, `memory`), of each version that is mounted.
pub fn branches(root: &Root, controller: &str) -> Vec<Branch> {
    let groups = root.text("/proc/self/cgroup").unwrap_or_default();
    mounts(root)
        .iter()
        .filter(|m| m.version == Version::V2 || m.controllers.iter().any(|c| c == controller))
        .map(|mount| {
            let group = group_of(&groups, mount, controller)
                // Before kernels had /proc/self/cgroup there was /proc/self/cpuset.
                .or_else(|| root.word("/proc/self/cpuset").filter(|_| controller == "cpuset"))
                .unwrap_or_else(|| "/".to_owned());
            Branch { version: mount.version, directories: climb(root, mount, &group) }
        })
        .collect()
}

/// The process's group in the mounted tree: line `id:controllers:path`, where version 2 has id 0 and no controllers.
fn group_of(groups: &str, mount: &Mount, controller: &str) -> Option<String> {
    groups.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':');
        let (id, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
        let ours = match mount.version {
            Version::V1 => controllers.split(',').any(|c| c == controller),
            Version::V2 => id == "0" && controllers.is_empty(),
        };
        ours.then(|| path.to_owned())
    })
}

/// The directories from the group's own up to the mount point.
fn climb(root: &Root, mount: &Mount, group: &str) -> Vec<String> {
    let below = group.strip_prefix(mount.shown.trim_end_matches('/'));
    let below = below.filter(|rest| rest.is_empty() || rest.starts_with('/')).unwrap_or(group);
    let point = mount.point.trim_end_matches('/');
    let mut directory = format!("{point}/{}", below.trim_matches('/'));
    // A path that starts above the mount (/..) or that is not there means that a namespace hides it: the mount point is all we see.
    if below.split('/').any(|part| part == "..") || !root.path(&directory).is_dir() {
        directory = point.to_owned();
    }
    let mut directories = Vec::new();
    let mut here = directory.trim_end_matches('/');
    while here.len() > point.len() {
        directories.push(here.to_owned());
        here = here.rsplit_once('/').map_or(point, |(parent, _)| parent);
    }
    directories.push(point.to_owned());
    directories
}

/// Group trees from `mountinfo`, which names the visible part, else from `mounts`.
fn mounts(root: &Root) -> Vec<Mount> {
    let detailed = root.text("/proc/self/mountinfo").unwrap_or_default();
    let found: Vec<Mount> = detailed.lines().filter_map(detailed_mount).collect();
    if !found.is_empty() {
        return found;
    }
    let plain = root.text("/proc/self/mounts").or_else(|| root.text("/proc/mounts")).unwrap_or_default();
    plain.lines().filter_map(plain_mount).collect()
}

/// `36 35 98:0 /shown /point rw,… [optional]… - type source options` (proc(5)).
fn detailed_mount(line: &str) -> Option<Mount> {
    let (left, right) = line.split_once(" - ")?;
    let mut left = left.split(' ').skip(3);
    let (shown, point) = (left.next()?, left.next()?);
    let mut right = right.split(' ');
    let (kind, _source, options) = (right.next()?, right.next()?, right.next().unwrap_or(""));
    mount(kind, shown, point, options)
}

/// `source point type options 0 0` (fstab(5)).
fn plain_mount(line: &str) -> Option<Mount> {
    let mut fields = line.split(' ').skip(1);
    let (point, kind, options) = (fields.next()?, fields.next()?, fields.next()?);
    mount(kind, "/", point, options)
}

fn mount(kind: &str, shown: &str, point: &str, options: &str) -> Option<Mount> {
    let version = match kind {
        "cgroup2" => Version::V2,
        "cgroup" | "cpuset" => Version::V1,
        _ => return None,
    };
    let mut controllers: Vec<String> = options.split(',').map(str::to_owned).collect();
    if kind == "cpuset" {
        controllers.push("cpuset".to_owned());
    }
    // The kernel writes a space in a path as \040.
    let clear = |path: &str| path.replace("\\040", " ");
    Some(Mount { version, shown: clear(shown), point: clear(point), controllers })
}
