//! Memory nodes: their processors, visible memory and distances from each other.

use std::collections::BTreeMap;

use crate::cpuset::CpuSet;
use crate::root::Root;
use crate::topology::mask::{self, Contradiction};
use crate::topology::memory::{self, MachineMemory};

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
    /// Bytes of it that are free now; `None` if unknown.
    pub free_bytes: Option<u64>,
    /// Distance to each node by its number, in tenths of the local access (10 is local).
    pub distances: BTreeMap<u32, u32>,
    /// The nodes that reach its memory best, as firmware says (ACPI's HMAT), the nearest of any kind first; empty where it says nothing.
    pub access: Vec<MemoryAccess>,
    /// Caches of its memory alone, as Knights Landing's fast memory in cache mode, the nearest to the processors first.
    pub side_caches: Vec<SideCache>,
}

/// A cache in front of a node's memory, which software cannot address.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SideCache {
    /// The kernel's level: the highest is the nearest to the processors.
    pub level: u32,
    /// Bytes.
    pub size_bytes: u64,
    /// Bytes of a line; `None` if unknown.
    pub line_bytes: Option<u32>,
    /// Whether each line has one place; `None` if unknown.
    pub is_direct_mapped: Option<bool>,
}

/// The nodes whose processors or devices reach a node's memory best, and what firmware promises them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemoryAccess {
    /// 0: initiators of any kind; 1: processors alone.
    pub class: u32,
    /// Numbers of the initiators' nodes.
    pub initiators: CpuSet,
    /// Latency of a read and of a write, in nanoseconds.
    pub latency_ns: (Option<u64>, Option<u64>),
    /// Bandwidth of reads and of writes, in MB/s.
    pub bandwidth_mb_s: (Option<u64>, Option<u64>),
}

impl NumaNode {
    /// The processors that the kernel lists for node `number`; `None` where it lists no such node.
    pub fn listed_cpus(root: &Root, number: u32) -> Option<CpuSet> {
        let directory = format!("{NODES}/node{number}");
        root.numbered(NODES, "node").contains(&number).then(|| mask::set(root, &directory, &["cpu"], &mut Vec::new()))
    }

    /// Bytes of node `number` that are free, or that the kernel can free at once: pages of files. `None` where it does not say.
    pub fn available_bytes(root: &Root, number: u32) -> Option<u64> {
        let meminfo = root.text(&format!("{NODES}/node{number}/meminfo"))?;
        let kilobytes = |name| memory::kilobytes(&meminfo, name);
        let files = ["Active(file):", "Inactive(file):"].into_iter().filter_map(kilobytes).sum::<u64>();
        Some((kilobytes("MemFree:")? + files) * 1024)
    }
}

/// Reads the nodes; the whole machine is one node where the kernel lists none.
pub fn read(
    root: &Root,
    online: &CpuSet,
    memory: MachineMemory,
    contradictions: &mut Vec<Contradiction>,
    notes: &mut Vec<String>,
) -> Vec<NumaNode> {
    let numbers = root.numbered(NODES, "node");
    if numbers.is_empty() {
        let distances = BTreeMap::from([(0, DISTANCE_SELF)]);
        let free_bytes = Some(memory.free_bytes).filter(|_| memory.total_bytes > 0);
        let (cpus, visible_bytes) = (online.clone(), memory.total_bytes);
        return vec![NumaNode { cpus, visible_bytes, free_bytes, distances, ..NumaNode::default() }];
    }
    let mut nodes: Vec<NumaNode> =
        numbers.iter().map(|number| node(root, *number, &numbers, online, contradictions)).collect();
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

fn node(
    root: &Root,
    number: u32,
    numbers: &[u32],
    online: &CpuSet,
    contradictions: &mut Vec<Contradiction>,
) -> NumaNode {
    let directory = format!("{NODES}/node{number}");
    let meminfo = root.text(&format!("{directory}/meminfo")).unwrap_or_default();
    let cpus = mask::set(root, &directory, &["cpu"], contradictions);
    let bytes = |key: &str| memory::kilobytes(&meminfo, key).map(|kilobytes| kilobytes * 1024);
    let distances = root.text(&format!("{directory}/distance")).unwrap_or_default();
    // One column for each node online, in the order of their numbers.
    let columns = distances.split_whitespace().map(|d| d.parse().unwrap_or(0));
    NumaNode {
        number,
        cpus: cpus.intersection(online),
        visible_bytes: bytes("MemTotal:").unwrap_or(0),
        free_bytes: bytes("MemFree:"),
        distances: numbers.iter().copied().zip(columns).filter(|(_, d)| *d > 0).collect(),
        access: (0..=1).filter_map(|class| access(root, &directory, class)).collect(),
        side_caches: side_caches(root, &directory),
    }
}

/// The caches of a node's memory (kernel, Documentation/ABI/stable/sysfs-devices-node): sizes are in bytes, unlike those of other caches.
fn side_caches(root: &Root, node: &str) -> Vec<SideCache> {
    let directory = format!("{node}/memory_side_cache");
    let cache = |level: u32| {
        let number = |name: &str| root.number::<u64>(&format!("{directory}/index{level}/{name}"));
        let line_bytes = number("line_size").and_then(|bytes| u32::try_from(bytes).ok()).filter(|bytes| *bytes > 0);
        let is_direct_mapped = number("indexing").map(|indexing| indexing == 0);
        let size_bytes = number("size").filter(|bytes| *bytes > 0)?;
        Some(SideCache { level, size_bytes, line_bytes, is_direct_mapped })
    };
    root.numbered(&directory, "index").into_iter().rev().filter_map(cache).collect()
}

/// One class of access (kernel, Documentation/admin-guide/mm/numaperf); `None` where no initiator is named.
fn access(root: &Root, node: &str, class: u32) -> Option<MemoryAccess> {
    let directory = format!("{node}/access{class}/initiators");
    let initiators: CpuSet = root.numbered(&directory, "node").into_iter().collect();
    let number = |name: &str| root.number::<u64>(&format!("{directory}/{name}")).filter(|value| *value > 0);
    (!initiators.is_empty()).then(|| MemoryAccess {
        class,
        initiators,
        latency_ns: (number("read_latency"), number("write_latency")),
        bandwidth_mb_s: (number("read_bandwidth"), number("write_bandwidth")),
    })
}

/// The node of each processor.
pub fn by_cpu(nodes: &[NumaNode]) -> BTreeMap<u32, u32> {
    nodes.iter().flat_map(|node| node.cpus.iter().map(|cpu| (cpu, node.number))).collect()
}
