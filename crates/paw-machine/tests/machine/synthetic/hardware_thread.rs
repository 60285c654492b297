//! The hardware threads of a synthetic machine.

use crate::synthetic::{MachineSpec, Numbering, SharedCache};

/// Efficiency cores share their second-level cache four by four.
const EFFICIENCY_MODULE: u32 = 4;

/// One hardware thread: its number and its place in the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HardwareThread {
    /// The kernel's number.
    pub cpu: u32,
    /// Package, from 0.
    pub package: u32,
    /// Memory node, from 0 over the machine.
    pub node: u32,
    /// Core, from 0 over the machine.
    pub core: u32,
    /// Core, from 0 within its node; efficiency cores after the others.
    pub core_in_node: u32,
    /// Hardware thread, from 0 within its core.
    pub thread: u32,
    /// CoreType of core.
    pub kind: CoreType,
}

/// CoreType of core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoreType {
    /// The ordinary kind.
    Performance,
    /// The thrifty kind.
    Efficiency,
}

pub(super) fn places(spec: &MachineSpec) -> Vec<HardwareThread> {
    let per_node = spec.cores + spec.efficiency;
    let mut places = Vec::new();
    for core in 0..spec.packages * spec.nodes * per_node {
        let core_in_node = core % per_node;
        let kind = if core_in_node < spec.cores { CoreType::Performance } else { CoreType::Efficiency };
        let threads = if kind == CoreType::Performance { spec.smt } else { 1 };
        let node = core / per_node;
        let package = node / spec.nodes;
        places.extend((0..threads).map(|thread| HardwareThread {
            cpu: 0,
            package,
            node,
            core,
            core_in_node,
            thread,
            kind,
        }));
    }
    match spec.numbering {
        Numbering::Adjacent => {}
        Numbering::Last => places.sort_by_key(|p| (p.thread, p.core)),
        Numbering::Interleaved => {
            let cores_per_package = spec.nodes * per_node;
            places.sort_by_key(|p| (p.thread, p.core % cores_per_package, p.package));
        }
    }
    for (index, hardware_thread) in places.iter_mut().enumerate() {
        hardware_thread.cpu = index as u32 * spec.stride;
    }
    places
}

impl HardwareThread {
    /// Which second-level cache of its node it uses.
    pub(super) fn l2(&self, spec: &MachineSpec) -> u32 {
        match self.kind {
            CoreType::Performance => self.group(spec.l2, spec),
            // Behind those of the ordinary cores.
            CoreType::Efficiency => spec.cores + (self.core_in_node - spec.cores) / EFFICIENCY_MODULE,
        }
    }

    /// Which third-level cache of its node it uses.
    pub(super) fn l3(&self, spec: &MachineSpec) -> u32 {
        self.group(spec.l3, spec)
    }

    fn group(&self, cache: SharedCache, spec: &MachineSpec) -> u32 {
        let cores = if cache.cores == 0 { spec.cores + spec.efficiency } else { cache.cores };
        self.core_in_node / cores
    }
}
