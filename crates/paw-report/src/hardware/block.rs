//! What holds what: packages, memory nodes, caches, cores and adapters, by the processors that each has.

use std::collections::{BTreeMap, BTreeSet};

use paw_data::machine::hardware::{Adapter, CacheInstance, Hardware, HardwareThread, MemoryNode};
use paw_sort::OrderBy;

use crate::hardware::cpus::ranges;
use crate::hardware::memory::{memory_of, side_caches_of};
use crate::number::size;

/// Processors.
type Cpus = BTreeSet<u32>;

/// What a label names; a block has the name of its first kind in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Machine,
    Package,
    Core,
    Node,
    Cache,
    Adapter,
}

/// One line of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    pub kind: Kind,
    pub text: String,
    /// The text without numbers that tell alike parts from each other.
    look: String,
}

/// Parts of a machine that have the same processors, and what they hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Its name first.
    pub labels: Vec<Label>,
    pub cpus: Cpus,
    pub children: Vec<Block>,
    /// Processors that no child holds, and whether they are available.
    pub threads: Vec<(u32, bool)>,
}

/// The whole machine as blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub root: Block,
    /// Parts that would have to lie in two blocks at once.
    pub left_out: Vec<String>,
}

impl Plan {
    pub fn of(hardware: &Hardware) -> Self {
        let mut parts = parts(hardware);
        let everything: Cpus = hardware.threads.iter().map(|thread| thread.cpu).collect();
        let mut labels = parts.remove(&everything).unwrap_or_default();
        if !labels.iter().any(|label| label.kind == Kind::Package) {
            labels.push(Label { kind: Kind::Machine, text: "machine".to_owned(), look: String::new() });
        }
        let mut plan = Self { root: Block::new(everything, labels), left_out: Vec::new() };
        let mut sets: Vec<(Cpus, Vec<Label>)> = parts.into_iter().collect();
        sets.order_by_key(|(cpus, _)| (std::cmp::Reverse(cpus.len()), cpus.first().copied()));
        for (cpus, labels) in sets {
            let names: Vec<String> = labels.iter().map(|label| label.text.clone()).collect();
            let said = format!("{} (cpu {})", names.join(", "), ranges(&cpus));
            if !plan.root.insert(Block::new(cpus, labels)) {
                plan.left_out.push(said);
            }
        }
        for thread in &hardware.threads {
            plan.root.around(&Cpus::from([thread.cpu])).threads.push((thread.cpu, thread.available));
        }
        plan.add_memory_alone(&hardware.nodes);
        for adapter in &hardware.adapters {
            let near: Cpus = adapter.cpus.iter().copied().filter(|cpu| plan.root.cpus.contains(cpu)).collect();
            plan.root.around(&near).add_adapter(adapter);
        }
        plan.root.sort_labels();
        plan
    }

    /// Memory without processors of its own lies with those that firmware says reach it best.
    fn add_memory_alone(&mut self, nodes: &[MemoryNode]) {
        for node in nodes.iter().filter(|node| node.cpus.is_empty()) {
            let nearest = node.access.first().map(|access| access.initiators.clone()).unwrap_or_default();
            let holders = nodes.iter().filter(|other| nearest.contains(&other.number));
            let near: Cpus = holders.flat_map(|other| other.cpus.iter().copied()).collect();
            let block = Block::new(Cpus::new(), vec![node_label(node)]);
            self.root.around(&near).children.push(block);
        }
    }
}

impl Block {
    fn new(cpus: Cpus, labels: Vec<Label>) -> Self {
        Self { labels, cpus, children: Vec::new(), threads: Vec::new() }
    }

    /// Puts `block` into the smallest block that holds it; false where one holds a part of it alone.
    fn insert(&mut self, block: Self) -> bool {
        if let Some(child) = self.children.iter_mut().find(|child| child.cpus.is_superset(&block.cpus)) {
            return child.insert(block);
        }
        if self.children.iter().any(|child| !child.cpus.is_disjoint(&block.cpus)) {
            return false;
        }
        self.children.push(block);
        self.children.order_by_key(|child| child.cpus.first().copied());
        true
    }

    /// The smallest block that holds all of `cpus`; this one where there are none.
    fn around(&mut self, cpus: &Cpus) -> &mut Self {
        let inner = self.children.iter().position(|child| !cpus.is_empty() && child.cpus.is_superset(cpus));
        match inner {
            Some(at) => self.children[at].around(cpus),
            None => self,
        }
    }

    /// Adds the name of an adapter to the line of its class.
    fn add_adapter(&mut self, adapter: &Adapter) {
        let name = if adapter.names.is_empty() { adapter.id.clone() } else { adapter.names.join(", ") };
        let name = if name.is_empty() { adapter.bus_id.clone() } else { name };
        match self.labels.iter_mut().find(|label| label.kind == Kind::Adapter && label.look == adapter.class) {
            Some(label) => label.text += &format!(", {name}"),
            None => {
                let (text, look) = (format!("{}: {name}", adapter.class), adapter.class.clone());
                self.labels.push(Label { kind: Kind::Adapter, text, look });
            }
        }
    }

    fn sort_labels(&mut self) {
        self.labels.order_by_key(|label| label.kind);
        self.children.iter_mut().for_each(Self::sort_labels);
    }

    /// Whether it differs from `other` in numbers only.
    pub fn is_like(&self, other: &Self) -> bool {
        let pairs = |a: &[Self], b: &[Self]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_like(b));
        let looks = |block: &Self| block.labels.iter().map(|label| label.look.clone()).collect::<Vec<_>>();
        let permissions = |block: &Self| block.threads.iter().map(|thread| thread.1).collect::<Vec<_>>();
        looks(self) == looks(other) && permissions(self) == permissions(other) && pairs(&self.children, &other.children)
    }

    /// Its processors on one line, those not available in parentheses; empty where a child holds them all.
    pub fn threads_line(&self) -> String {
        let one = |(cpu, available): &(u32, bool)| if *available { cpu.to_string() } else { format!("({cpu})") };
        let cpus: Vec<String> = self.threads.iter().map(one).collect();
        if cpus.is_empty() { String::new() } else { format!("cpu {}", cpus.join(", ")) }
    }
}

/// What has each set of processors, the outer parts first.
fn parts(hardware: &Hardware) -> BTreeMap<Cpus, Vec<Label>> {
    let mut parts: BTreeMap<Cpus, Vec<Label>> = BTreeMap::new();
    let mut add = |cpus: Cpus, label: Label| parts.entry(cpus).or_default().push(label);
    for (package, members) in grouped(hardware, |thread| thread.package) {
        let id = members[0].package_id.unwrap_or_else(|| package.into());
        add(cpus(&members), Label { kind: Kind::Package, text: format!("package {id}"), look: "package".to_owned() });
    }
    for (core, members) in grouped(hardware, |thread| thread.core) {
        let kind = &members[0].kind;
        let kind = if kind.is_empty() { String::new() } else { format!(" ({kind})") };
        let label = Label { kind: Kind::Core, text: format!("core {core}{kind}"), look: format!("core{kind}") };
        add(cpus(&members), label);
    }
    for node in hardware.nodes.iter().filter(|node| !node.cpus.is_empty()) {
        add(node.cpus.iter().copied().collect(), node_label(node));
    }
    let mut caches: Vec<&CacheInstance> = hardware.caches.iter().filter(|cache| !cache.cpus.is_empty()).collect();
    caches.order_by_key(|cache| std::cmp::Reverse(cache.level));
    for cache in caches {
        let text = format!("{} {}", cache.name(), size(cache.size_bytes as f64));
        add(cache.cpus.iter().copied().collect(), Label { kind: Kind::Cache, look: text.clone(), text });
    }
    parts
}

fn grouped(hardware: &Hardware, key: fn(&HardwareThread) -> u32) -> BTreeMap<u32, Vec<&HardwareThread>> {
    let mut groups: BTreeMap<u32, Vec<&HardwareThread>> = BTreeMap::new();
    hardware.threads.iter().for_each(|thread| groups.entry(key(thread)).or_default().push(thread));
    groups
}

fn cpus(members: &[&HardwareThread]) -> Cpus {
    members.iter().map(|thread| thread.cpu).collect()
}

fn node_label(node: &MemoryNode) -> Label {
    // Nodes of one size show a few per cent less than it, and not alike: firmware and kernel keep a part.
    let whole = node.total_bytes + node.total_bytes / 10;
    let look = format!("node {}", whole.checked_ilog2().unwrap_or(0));
    let caches = side_caches_of(node);
    let behind = if caches.is_empty() { caches } else { format!(" behind a cache of {caches}") };
    let text = format!("memory node {}: {}{behind}", node.number, memory_of(node));
    Label { kind: Kind::Node, text, look: look + &behind }
}
