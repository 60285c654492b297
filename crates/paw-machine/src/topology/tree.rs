//! The topology as a tree for drawing: packages, cores, hardware threads, and the place of each cache.

use crate::cpuset::CpuSet;
use crate::topology::{Cache, Core, Package, Topology};

/// The whole machine.
#[derive(Debug, Clone, PartialEq)]
pub struct TopologyTree {
    /// Its packages.
    pub packages: Vec<PackageBranch>,
    /// Caches that reach beyond a package.
    pub caches: Vec<Cache>,
    /// Processors switched off.
    pub offline: CpuSet,
}

/// One package.
#[derive(Debug, Clone, PartialEq)]
pub struct PackageBranch {
    /// The kernel's number; `None` if unknown.
    pub id: Option<i64>,
    /// Numbers of the memory nodes with processors in it.
    pub nodes: Vec<u32>,
    /// Its cores.
    pub cores: Vec<CoreBranch>,
    /// Caches shared between its cores, the outermost first.
    pub caches: Vec<Cache>,
}

/// One core.
#[derive(Debug, Clone, PartialEq)]
pub struct CoreBranch {
    /// The kernel's number; `None` if unknown.
    pub id: Option<i64>,
    /// Name of its kind.
    pub kind: String,
    /// Its hardware threads.
    pub pus: Vec<ThreadLeaf>,
    /// Caches it shares with no other core, the outermost first.
    pub caches: Vec<Cache>,
}

/// Whether this process may run on a hardware thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// This process may run on it.
    Allowed,
    /// The affinity mask or cpuset forbids it.
    Forbidden,
}

/// One hardware thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadLeaf {
    /// The kernel's number.
    pub number: u32,
    /// Whether this process may run on it.
    pub permission: Permission,
    /// Number of its memory node, where it has one.
    pub node: Option<u32>,
}

impl Topology {
    /// The topology as a tree; every cache is at the lowest branch that holds all its processors.
    pub fn tree(&self) -> TopologyTree {
        let beyond = |cache: &&Cache| !self.packages.iter().any(|p| within(&cache.cpus, &p.cpus));
        TopologyTree {
            packages: self.packages.iter().map(|package| self.package_branch(package)).collect(),
            caches: outermost_first(self.caches.iter().filter(beyond)),
            offline: self.offline.clone(),
        }
    }

    fn package_branch(&self, package: &Package) -> PackageBranch {
        let of_core = |cache: &Cache| package.cores.iter().any(|i| within(&cache.cpus, &self.cores[*i].cpus));
        let shared = self.caches.iter().filter(|c| within(&c.cpus, &package.cpus) && !of_core(c));
        PackageBranch {
            id: package.id,
            nodes: self.nodes.iter().filter(|n| n.cpus.intersects(&package.cpus)).map(|n| n.number).collect(),
            cores: package.cores.iter().map(|index| self.core_branch(&self.cores[*index])).collect(),
            caches: outermost_first(shared),
        }
    }

    fn core_branch(&self, core: &Core) -> CoreBranch {
        let allowed = self.allowed();
        let permission = |cpu| if allowed.contains(cpu) { Permission::Allowed } else { Permission::Forbidden };
        let leaf =
            |cpu| ThreadLeaf { number: cpu, permission: permission(cpu), node: self.cpu(cpu).and_then(|c| c.node) };
        CoreBranch {
            id: core.id,
            kind: self.kinds.get(core.kind).map(|kind| kind.name.clone()).unwrap_or_default(),
            pus: core.cpus.iter().map(leaf).collect(),
            caches: outermost_first(self.caches.iter().filter(|c| within(&c.cpus, &core.cpus))),
        }
    }
}

fn within(inner: &CpuSet, outer: &CpuSet) -> bool {
    inner.iter().all(|cpu| outer.contains(cpu))
}

fn outermost_first<'a>(caches: impl Iterator<Item = &'a Cache>) -> Vec<Cache> {
    let mut caches: Vec<Cache> = caches.cloned().collect();
    caches.sort_by_key(|c| (std::cmp::Reverse(c.level), c.kind, c.cpus.first()));
    caches
}
