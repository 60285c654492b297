//! Memory nodes: their processors, visible memory and distances from each other.

use std::collections::BTreeMap;

use crate::cpuset::CpuSet;
use crate::root::Root;
use crate::topology::logical;
use crate::topology::memory;

/// Where /sys lists memory nodes.
const NODES: &str = "/sys/devices/system/node";

/// The distance of a node from itself (ACPI 6.5, table 5.19: SLIT).
const DISTANCE_SELF: u32 = 10;

/// One memory node. Without processors it is memory of another kind (CXL, HBM, a GPU's); without memory, processors alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NumaNode {
    /// The kernel's number; numbers may have gaps.
    pub number: u32,
    /// Its processors online.
    pub cpus: CpuSet,
    /// Bytes of memory visible now; a virtual machine that initialises memory lazily shows less than there is.
    pub visible_bytes: u64,
    /// Distance to each node by its number, in tenths of the local access (10 is local).
    pub distances: BTreeMap<u32, u32>,
}

/// Reads the nodes; the whole machine is one node where the kernel lists none.
pub fn read(root: &Root, online: &CpuSet, total_bytes: u64, notes: &mut Vec<String>) -> Vec<NumaNode> {
    let numbers = root.numbered(NODES, "node");
    if numbers.is_empty() {
        let distances = BTreeMap::from([(0, DISTANCE_SELF)]);
        return vec![NumaNode { number: 0, cpus: online.clone(), visible_bytes: total_bytes, distances }];
    }
    let mut nodes: Vec<NumaNode> = numbers.iter().map(|number| node(root, *number, &numbers, online)).collect();
    let mut taken = CpuSet::new();
    for node in &mut nodes {
        let twice = node.cpus.intersection(&taken);
        if !twice.is_empty() {
            notes.push(format!(
                "node {} claims processors {twice} of another node: they are left to the first",
                node.number
            ));
            node.cpus = node.cpus.difference(&twice);
        }
        taken = taken.union(&node.cpus);
    }
    nodes
}

fn node(root: &Root, number: u32, numbers: &[u32], online: &CpuSet) -> NumaNode {
    let directory = format!("{NODES}/node{number}");
    let meminfo = root.text(&format!("{directory}/meminfo")).unwrap_or_default();
    let list = root.word(&format!("{directory}/cpulist")).and_then(|t| t.parse::<CpuSet>().ok());
    let cpus = list.unwrap_or_else(|| logical::set(root, &directory, &["cpumap"]));
    let distances = root.text(&format!("{directory}/distance")).unwrap_or_default();
    // One column for each node online, in the order of their numbers.
    let columns = distances.split_whitespace().map(|d| d.parse().unwrap_or(0));
    NumaNode {
        number,
        cpus: cpus.intersection(online),
        visible_bytes: memory::kilobytes(&meminfo, "MemTotal:").unwrap_or(0) * 1024,
        distances: numbers.iter().copied().zip(columns).filter(|(_, d)| *d > 0).collect(),
    }
}

/// The node of each processor.
pub fn by_cpu(nodes: &[NumaNode]) -> BTreeMap<u32, u32> {
    nodes.iter().flat_map(|node| node.cpus.iter().map(|cpu| (cpu, node.number))).collect()
}
