//! Machines that exist as text: a short specification becomes a tree of /sys and /proc files.
//!
//! A specification is words `key:value`, with a plain default for every key not named:
//! `package:2 node:1 core:16 smt:2 l3:32M/8 offline:3,35 cgroup:v2 quota:1.5`. `grammar` lists the keys.
mod devices;
mod grammar;
mod groups;
mod hardware_thread;
mod processes;

use std::fs;
use std::io;
use std::path::Path;

use paw_machine::cpuset::CpuSet;
use paw_machine::root::Root;

pub use hardware_thread::HardwareThread;

/// A synthetic machine.
#[derive(Debug, Clone, PartialEq)]
pub struct MachineSpec {
    /// Packages.
    pub packages: u32,
    /// Memory nodes of each package.
    pub nodes: u32,
    /// Cores of each node, without the efficiency cores.
    pub cores: u32,
    /// Efficiency cores of each node, one thread each, four to a second-level cache.
    pub efficiency: u32,
    /// What distinguishes efficiency cores.
    pub evidence: KindEvidence,
    /// Hardware threads of each core.
    pub smt: u32,
    /// First-level data cache of a core.
    pub l1d_bytes: u64,
    /// First-level instruction cache of a core.
    pub l1i_bytes: u64,
    /// Second-level cache.
    pub l2: SharedCache,
    /// Third-level cache; 0 bytes: none.
    pub l3: SharedCache,
    /// How hardware threads are numbered.
    pub numbering: Numbering,
    /// Step between processor numbers.
    pub stride: u32,
    /// Processors switched off.
    pub offline: CpuSet,
    /// Memory of each node.
    pub memory_bytes: u64,
    /// Distance of two nodes of different packages; those of one package are half as far beyond 10.
    pub distance: u32,
    /// Nodes without memory.
    pub memoryless: CpuSet,
    /// Nodes without processors, numbered downwards from 255.
    pub cpuless: u32,
    /// Control groups.
    pub cgroup: CgroupVersion,
    /// Processors' worth of time, in hundredths; set on the group above this process's own.
    pub quota_hundredths: Option<u32>,
    /// Processors of the control group.
    pub cpuset: Option<CpuSet>,
    /// Nodes of the control group.
    pub mems: Option<CpuSet>,
    /// Memory limit of the control group.
    pub memory_limit_bytes: Option<u64>,
    /// Affinity mask of the process.
    pub affinity: Option<CpuSet>,
    /// Governor of all processors; none: the machine shows no frequency control.
    pub governor: Option<String>,
    /// Load of the last minute, in hundredths.
    pub load_hundredths: u32,
    /// Whether a hypervisor shows itself.
    pub host: HostType,
}

/// A cache that consecutive cores of a node share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedCache {
    /// Bytes.
    pub bytes: u64,
    /// Cores to a cache; 0: all cores of the node.
    pub cores: u32,
}

/// What distinguishes efficiency cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KindEvidence {
    /// The kernel's event sources.
    Events,
    /// Highest frequency and structure.
    Frequency,
    /// The kernel's capacities.
    Capacity,
    /// Arm's identification register.
    Midr,
}

/// How hardware threads are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbering {
    /// First all first threads, package after package, then all second ones: usual on x86.
    Last,
    /// The threads of a core one after the other: usual on POWER.
    Adjacent,
    /// One core of each package in turn.
    Interleaved,
}

/// Control groups of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CgroupVersion {
    /// None.
    None,
    /// Version 1.
    V1,
    /// Version 2.
    V2,
    /// Version 1, and version 2 without controllers beside it.
    Hybrid,
}

/// What the machine runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostType {
    /// Bare metal.
    Metal,
    /// A hypervisor that shows itself.
    Virtual,
}

impl Default for MachineSpec {
    /// One package of one core, with caches and 8 GiB.
    fn default() -> Self {
        Self {
            packages: 1,
            nodes: 1,
            cores: 1,
            efficiency: 0,
            evidence: KindEvidence::Events,
            smt: 1,
            l1d_bytes: 48 << 10,
            l1i_bytes: 32 << 10,
            l2: SharedCache { bytes: 1 << 20, cores: 1 },
            l3: SharedCache { bytes: 32 << 20, cores: 0 },
            numbering: Numbering::Last,
            stride: 1,
            offline: CpuSet::new(),
            memory_bytes: 8 << 30,
            distance: 21,
            memoryless: CpuSet::new(),
            cpuless: 0,
            cgroup: CgroupVersion::None,
            quota_hundredths: None,
            cpuset: None,
            mems: None,
            memory_limit_bytes: None,
            affinity: None,
            governor: None,
            load_hundredths: 0,
            host: HostType::Metal,
        }
    }
}

impl MachineSpec {
    /// Every hardware thread, offline ones too, ascending by number.
    pub fn places(&self) -> Vec<HardwareThread> {
        hardware_thread::places(self)
    }

    /// Processors switched on.
    pub fn online(&self) -> CpuSet {
        self.places().iter().map(|p| p.cpu).filter(|cpu| !self.offline.contains(*cpu)).collect()
    }

    /// Numbers of the memory nodes, ascending.
    pub fn node_numbers(&self) -> Vec<u32> {
        let ordinary = 0..self.packages * self.nodes;
        ordinary.chain((0..self.cpuless).rev().map(|n| 255 - n)).collect()
    }

    /// Writes the machine's /sys, /proc and /etc under `directory`.
    ///
    /// # Errors
    /// Where a file cannot be written.
    pub fn write(&self, directory: &Path) -> io::Result<Root> {
        let tree = FileTree { directory };
        let places = self.places();
        devices::processors(self, &places, &tree)?;
        devices::caches(self, &places, &tree)?;
        devices::nodes(self, &places, &tree)?;
        processes::write(self, &places, &tree)?;
        groups::write(self, &tree)?;
        Ok(Root::at(directory))
    }
}

/// The directory being filled.
struct FileTree<'a> {
    directory: &'a Path,
}

impl FileTree<'_> {
    /// Writes one file, with the line end that the kernel puts after every value.
    fn put(&self, path: &str, text: impl std::fmt::Display) -> io::Result<()> {
        let path = self.directory.join(path.trim_start_matches('/'));
        let text = format!("{text}\n");
        match fs::write(&path, &text) {
            // Most files have neighbours, so folders are made only where one is missing.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(path.parent().unwrap_or(self.directory))?;
                fs::write(&path, &text)
            }
            done => done,
        }
    }
}
