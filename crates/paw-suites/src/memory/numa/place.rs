//! Where a cell works: the processors of one node, and memory that is bound to one.

use paw_data::axis;
use paw_data::outcome::Caveat;
use paw_data::point::{AxisValue, Point};
use paw_machine::root::Root;
use paw_machine::topology::{NumaNode, Topology};
use paw_measure::fault::Fault;
use paw_native::buffer::{Aligned, Pages};
use paw_native::chase::LINE_BYTES;
use paw_native::numa;
use paw_native::pool::{self, ThreadPool};

use crate::memory::core_to_core::spread;
use crate::memory::granted_pages::caveat;

/// Share of the smallest node's memory that an array may take.
const NODE_SHARE: f64 = 0.25;

/// The nodes with processors, and the nodes with memory, that this process may use.
fn nodes(topology: &Topology) -> (Vec<&NumaNode>, Vec<&NumaNode>) {
    let allowed = topology.allowed();
    let may_use = |node: &&NumaNode| topology.allowance.nodes.as_ref().is_none_or(|nodes| nodes.contains(node.number));
    let processors = topology.nodes.iter().filter(|node| node.cpus.intersects(&allowed)).collect();
    let memory = topology.nodes.iter().filter(|node| node.visible_bytes > 0).filter(may_use).collect();
    (processors, memory)
}

/// Every node of processors with every node of memory; at most `most` of either, spread evenly.
pub fn pairs(topology: &Topology, most: usize) -> Vec<AxisValue> {
    let numbers = |nodes: Vec<&NumaNode>| match nodes.is_empty() {
        // Neither processors nor memory of any node are listed: the first is what there is.
        true => vec![topology.nodes.first().map_or(0, |node| node.number)],
        false => spread(&nodes.iter().map(|node| node.number).collect::<Vec<_>>(), most),
    };
    let (processors, memory) = nodes(topology);
    let (processors, memory): (Vec<u32>, Vec<u32>) = (numbers(processors), numbers(memory));
    let row = |from: &u32| memory.iter().map(|to| AxisValue::Text(format!("{from}-{to}").into())).collect::<Vec<_>>();
    processors.iter().flat_map(row).collect()
}

/// Bytes that an array may have on every node of memory.
pub fn room(topology: &Topology) -> f64 {
    let (_, memory) = nodes(topology);
    memory.iter().map(|node| node.visible_bytes as f64 * NODE_SHARE).fold(f64::INFINITY, f64::min)
}

/// The processors of a cell, and its memory.
#[derive(Debug)]
pub struct Place {
    /// The node of the processors.
    from: u32,
    /// The node of the memory.
    to: u32,
    /// The processors of the node that this process may use, ascending.
    cpus: Vec<u32>,
    /// Why memory is not bound, where the kernel binds none.
    unbound: Option<String>,
}

impl Place {
    /// The place that `point` names.
    pub fn named(point: &Point) -> Result<Self, Fault> {
        let text = point.text(axis::NODES).unwrap_or_default();
        let pair = || {
            let (from, to) = text.split_once('-')?;
            Some((from.parse::<u32>().ok()?, to.parse::<u32>().ok()?))
        };
        let (from, to) = pair().ok_or_else(|| Fault::Missing(format!("`{text}` names no two nodes, as 0-1 does")))?;
        let allowed = pool::allowed().map_err(|error| Fault::Missing(error.to_string()))?;
        let root = Root::host();
        let cpus: Vec<u32> = match NumaNode::listed_cpus(&root, from) {
            Some(own) => allowed.into_iter().filter(|cpu| own.contains(*cpu)).collect(),
            // The kernel lists no nodes: one is the whole machine.
            None if from == 0 => allowed,
            None => Vec::new(),
        };
        if cpus.is_empty() {
            return Err(Fault::Missing(format!("node {from} has no processor that this process may use")));
        }
        Ok(Self { from, to, cpus, unbound: None })
    }

    /// One thread for each of `wanted` that is on the node; where none is, `most` threads on the first processors of the node.
    pub fn pool(&self, wanted: &[u32], most: usize) -> Result<ThreadPool, Fault> {
        let mut cpus: Vec<u32> = wanted.iter().copied().filter(|cpu| self.cpus.contains(cpu)).collect();
        if cpus.is_empty() {
            cpus = self.cpus.iter().copied().take(most).collect();
        }
        ThreadPool::new(&cpus).map_err(|error| Fault::Missing(error.to_string()))
    }

    /// A buffer of `len` numbers on the node of the memory, not yet touched.
    pub fn buffer<T: paw_native::buffer::Number>(&mut self, len: usize, pages: Pages) -> Result<Aligned<T>, Fault> {
        let to = self.to;
        let bytes = (len * size_of::<T>().max(1)).max(LINE_BYTES) as u64;
        // A bound process that finds its node full is killed.
        let free = NumaNode::available_bytes(&Root::host(), to).filter(|free| *free < bytes);
        if let Some(free) = free {
            return Err(Fault::Missing(format!(
                "node {to} has {free} bytes free, and the array takes {bytes}: set bytes"
            )));
        }
        let mut buffer = Aligned::try_new(len, pages).map_err(|error| Fault::Missing(error.to_string()))?;
        let Err(error) = numa::bind(&mut buffer, to) else { return Ok(buffer) };
        if !numa::is_unavailable(&error) || !is_only_node(&Root::host()) {
            return Err(Fault::Missing(format!("memory cannot be bound to node {to}: {error}")));
        }
        self.unbound = Some(error.to_string());
        Ok(buffer)
    }

    /// Whether the kernel bound the memory.
    #[cfg(test)]
    pub fn is_bound(&self) -> bool {
        self.unbound.is_none()
    }

    /// Makes the checks expect memory of node `to`.
    #[cfg(test)]
    pub fn expect_on(&mut self, to: u32) {
        self.to = to;
    }

    /// The name of a check of `what` and of where the pages are.
    pub fn method(&self, what: &'static str) -> &'static str {
        match (self.unbound.is_some(), what) {
            (true, what) => what,
            (false, "sum") => "sum, and pages on the node",
            (false, _) => "one cycle through every node, and pages on the node",
        }
    }

    /// What is wrong where pages of `buffer` are not on the node of the memory. Nothing where memory is not bound: the one node
    /// there is has them.
    pub fn elsewhere<T: paw_native::buffer::Number>(&self, buffer: &Aligned<T>) -> Result<Option<String>, Fault> {
        if self.unbound.is_some() {
            return Ok(None);
        }
        let untold = |error| Fault::Missing(format!("the kernel does not tell on which node pages are: {error}"));
        let places = numa::places(buffer).map_err(untold)?;
        let asked: usize = places.values().sum();
        let own = places.get(&(self.to as i32)).copied().unwrap_or(0);
        Ok((own != asked).then(|| format!("{} of {asked} pages asked about are not on node {}", asked - own, self.to)))
    }

    /// That memory is not bound, and that pages of `buffer` are not of the kind that was asked for.
    pub fn caveats<T: paw_native::buffer::Number>(&self, buffer: &Aligned<T>) -> Vec<Caveat> {
        let say = |error: &String| {
            let cause = format!("memory is not bound to node {}, the only one there is: {error}", self.from);
            Caveat::new("unbound", cause, "none: no other node can hold it")
        };
        self.unbound.iter().map(say).chain(caveat(buffer.pages(), [buffer.page_count()])).collect()
    }
}

/// Whether the kernel lists one node, or none.
fn is_only_node(root: &Root) -> bool {
    root.numbered("/sys/devices/system/node", "node").len() < 2
}

#[cfg(test)]
mod tests {
    use paw_machine::cpuset::CpuSet;
    use paw_machine::topology::{Cpu, NumaNode, Topology};

    use super::{pairs, room};

    /// A machine of `with` nodes of two processors each, then `memory_only` nodes, numbered from 0, with 8 GiB each.
    fn machine(with: u32, memory_only: u32) -> Topology {
        let cpus = |node: u32| if node < with { [2 * node, 2 * node + 1].into_iter().collect() } else { CpuSet::new() };
        let node = |number: u32| NumaNode { number, cpus: cpus(number), visible_bytes: 8 << 30, ..NumaNode::default() };
        let cpu = |number: u32| Cpu { number, node: Some(number / 2), ..Cpu::default() };
        Topology {
            cpus: (0..2 * with).map(cpu).collect(),
            nodes: (0..with + memory_only).map(node).collect(),
            ..Topology::default()
        }
    }

    fn words(topology: &Topology) -> String {
        pairs(topology, 16).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn processors_of_each_node_meet_memory_of_each_node() {
        assert_eq!(words(&machine(1, 0)), "0-0");
        assert_eq!(words(&machine(2, 0)), "0-0 0-1 1-0 1-1");
        let eight = words(&machine(8, 0));
        assert_eq!(eight.split(' ').count(), 64);
        assert!(eight.starts_with("0-0 0-1 ") && eight.ends_with(" 7-6 7-7"), "{eight}");
        assert_eq!(pairs(&machine(64, 0), 16).len(), 256, "some of many");
    }

    #[test]
    fn nodes_without_processors_are_columns_and_nodes_without_memory_are_rows() {
        let mut topology = machine(2, 2);
        assert_eq!(words(&topology), "0-0 0-1 0-2 0-3 1-0 1-1 1-2 1-3");
        topology.nodes[1].visible_bytes = 0;
        topology.nodes[3].visible_bytes = 1 << 30;
        assert_eq!(words(&topology), "0-0 0-2 0-3 1-0 1-2 1-3");
        assert_eq!(room(&topology), (1_u64 << 28) as f64, "a quarter of the smallest");
    }

    #[test]
    fn nodes_that_a_cpuset_forbids_are_left_out() {
        let mut topology = machine(4, 1);
        topology.allowance.nodes = Some([0, 2, 4].into_iter().collect());
        topology.allowance.cpuset = Some([0, 1, 3].into_iter().collect());
        assert_eq!(words(&topology), "0-0 0-2 0-4 1-0 1-2 1-4");
        topology.allowance.affinity = Some([1].into_iter().collect());
        assert_eq!(words(&topology), "0-0 0-2 0-4");
    }

    #[test]
    fn a_kernel_that_tells_nothing_of_nodes_leaves_one() {
        let mut topology = machine(1, 0);
        topology.nodes[0].visible_bytes = 0;
        assert_eq!(words(&topology), "0-0");
        topology.nodes.clear();
        assert_eq!(words(&topology), "0-0");
    }
}
