//! Topology of the machine: processors, cores, packages, caches, memory nodes, and what this process may use of them.

mod cache;
mod core;
pub mod hwloc_xml;
mod kind;
mod logical;
mod mask;
mod memory;
mod node;
mod package;

use crate::allowance::Allowance;
use crate::cpuset::CpuSet;
use crate::root::Root;

pub use cache::{Cache, CacheKind};
pub use kind::CoreKind;
use logical::{Listed, Logical};
pub use memory::MachineMemory;
pub use node::{MemoryAccess, NumaNode, SideCache};

/// Processors, cores, packages, caches and memory nodes of the machine.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Topology {
    /// Logical processors (hardware threads) online, ascending by number.
    pub cpus: Vec<Cpu>,
    /// Logical processors that are present and switched off.
    pub offline: CpuSet,
    /// Physical cores with a processor online, by their first processor.
    pub cores: Vec<Core>,
    /// Packages (sockets), by their first processor.
    pub packages: Vec<Package>,
    /// Caches, by level, kind and first processor.
    pub caches: Vec<Cache>,
    /// Memory nodes, ascending by number; one node for the whole machine where the kernel lists none.
    pub nodes: Vec<NumaNode>,
    /// Kinds of core, the most capable first; a single one on machines that are not hybrid.
    pub kinds: Vec<CoreKind>,
    /// Physical memory.
    pub memory: MachineMemory,
    /// The part that this process may use.
    pub allowance: Allowance,
    /// One sentence for each contradiction in what the kernel reports, and what was assumed instead.
    pub notes: Vec<String>,
}

/// One logical processor (hardware thread).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cpu {
    /// The kernel's number.
    pub number: u32,
    /// Index of its core in [`Topology::cores`].
    pub core: usize,
    /// Index of its package in [`Topology::packages`].
    pub package: usize,
    /// Number of its memory node, where it has one.
    pub node: Option<u32>,
    /// The kernel's measure of its speed, 1024 for the fastest; `None` if unknown.
    pub capacity: Option<u32>,
    /// Highest frequency it may reach, in kHz; `None` if unknown.
    pub frequency_max_khz: Option<u64>,
}

/// One physical core.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Core {
    /// The kernel's number, unique within its die or package only; `None` if unknown.
    pub id: Option<i64>,
    /// Index of its package in [`Topology::packages`].
    pub package: usize,
    /// The kernel's number of its die; `None` if unknown.
    pub die: Option<i64>,
    /// The kernel's number of its cluster; `None` if unknown.
    pub cluster: Option<i64>,
    /// Its hardware threads online.
    pub cpus: CpuSet,
    /// Index of its kind in [`Topology::kinds`].
    pub kind: usize,
}

/// One package (socket).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Package {
    /// The kernel's number; `None` if unknown (−1).
    pub id: Option<i64>,
    /// Its hardware threads online.
    pub cpus: CpuSet,
    /// Indices of its cores in [`Topology::cores`].
    pub cores: Vec<usize>,
}

/// Why the topology cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TopologyError {
    /// Neither /sys nor /proc lists a processor.
    #[error(
        "no processor is listed under {path}: neither sys/devices/system/cpu nor proc/cpuinfo can be read. hint: mount /sys and /proc, or name the root of a captured machine"
    )]
    NoProcessor {
        /// The root that was read.
        path: String,
    },
}

impl Topology {
    /// Reads the topology of the machine under `root`. Call it before threads are bound.
    ///
    /// # Errors
    /// Where no processor is listed at all.
    pub fn read(root: &Root) -> Result<Self, TopologyError> {
        let mut contradictions = Vec::new();
        let listed = logical::read(root, &mut contradictions);
        if listed.online.is_empty() {
            return Err(TopologyError::NoProcessor { path: root.path("/").display().to_string() });
        }
        let (mut topology, logicals) = Self::assembled(listed);
        let online = topology.online();
        let mut notes = Vec::new();
        topology.allowance = Allowance::read(root);
        topology.memory = MachineMemory::read(root);
        topology.give_nodes(node::read(root, &online, topology.memory, &mut contradictions, &mut notes));
        topology.caches = cache::read(root, &topology.cores, &online, &mut contradictions, &mut notes);
        topology.give_kinds(&kind::event_sources(root), &logicals);
        topology.notes.extend(mask::notes(&contradictions));
        topology.notes.extend(notes);
        Ok(topology)
    }

    /// Packages, cores and processors, from what is known of each processor.
    fn assembled(listed: Listed) -> (Self, Vec<Logical>) {
        let mut notes = listed.notes;
        let package_of = package::group(&listed.online, &mut notes);
        let core_of = core::group(&listed.online, &package_of);
        let mut topology = Self { offline: listed.offline, notes, ..Self::default() };
        topology.packages = package::packages(&listed.online, &package_of);
        topology.cores = core::cores(&listed.online, &core_of, &package_of);
        for (index, core) in topology.cores.iter().enumerate() {
            topology.packages[core.package].cores.push(index);
        }
        topology.cpus = cpus(&listed.online, &core_of, &package_of);
        (topology, listed.online)
    }

    /// Writes the nodes, and each processor's node.
    fn give_nodes(&mut self, nodes: Vec<NumaNode>) {
        let node_of = node::by_cpu(&nodes);
        for cpu in &mut self.cpus {
            cpu.node = node_of.get(&cpu.number).copied();
        }
        self.nodes = nodes;
    }

    /// Finds the kinds of core, once caches are known.
    fn give_kinds(&mut self, sources: &[(String, CpuSet)], logicals: &[Logical]) {
        self.kinds = kind::assign(sources, &mut self.cores, &self.caches, logicals);
    }

    /// Processors online.
    pub fn online(&self) -> CpuSet {
        self.cpus.iter().map(|cpu| cpu.number).collect()
    }

    /// Processors this process may run on: online, in its affinity mask and in its cpuset.
    pub fn allowed(&self) -> CpuSet {
        let online = self.online();
        let within = |set: CpuSet, limit: &Option<CpuSet>| match limit {
            // A limit without any online processor describes another machine and is ignored.
            Some(limit) if limit.intersects(&set) => set.intersection(limit),
            _ => set,
        };
        within(within(online, &self.allowance.affinity), &self.allowance.cpuset)
    }

    /// Cores with an allowed processor: index in [`Topology::cores`] and the allowed processors.
    pub fn allowed_cores(&self) -> Vec<(usize, CpuSet)> {
        let allowed = self.allowed();
        let cut = |core: &Core| core.cpus.intersection(&allowed);
        self.cores.iter().enumerate().map(|(i, core)| (i, cut(core))).filter(|(_, cpus)| !cpus.is_empty()).collect()
    }

    /// Processors' worth of time this process may use: allowed processors, or the quota where that is less.
    pub fn effective_cpus(&self) -> f64 {
        let allowed = self.allowed().len() as f64;
        self.allowance.quota.as_ref().map_or(allowed, |quota| quota.cpus.min(allowed))
    }

    /// Bytes of memory this process may use: what the machine has, or its control group's limit where that is less.
    pub fn effective_memory_bytes(&self) -> u64 {
        let limit = self.allowance.memory.as_ref().map_or(u64::MAX, |m| m.bytes);
        if self.memory.total_bytes == 0 { limit } else { limit.min(self.memory.total_bytes) }
    }

    /// The processor with this number.
    pub fn cpu(&self, number: u32) -> Option<&Cpu> {
        self.cpus.binary_search_by_key(&number, |cpu| cpu.number).ok().map(|index| &self.cpus[index])
    }

    /// The caches that processor `cpu` reads data through, the nearest first.
    pub fn data_caches(&self, cpu: u32) -> Vec<&Cache> {
        self.caches.iter().filter(|c| c.kind != CacheKind::Instruction && c.cpus.contains(cpu)).collect()
    }

    /// The largest of the outermost data caches; `None` where the kernel lists none.
    pub fn last_level_cache(&self) -> Option<&Cache> {
        self.caches.iter().filter(|c| c.kind != CacheKind::Instruction).max_by_key(|c| (c.level, c.size_bytes))
    }
}

fn cpus(logicals: &[Logical], core_of: &[usize], package_of: &[usize]) -> Vec<Cpu> {
    let places = core_of.iter().zip(package_of);
    let cpu = |(logical, (core, package)): (&Logical, (&usize, &usize))| Cpu {
        number: logical.number,
        core: *core,
        package: *package,
        node: None,
        capacity: logical.capacity,
        frequency_max_khz: logical.frequency_max_khz,
    };
    logicals.iter().zip(places).map(cpu).collect()
}
