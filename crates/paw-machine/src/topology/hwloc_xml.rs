//! Machines that hwloc wrote as XML (`lstopo --of xml`): its objects become a topology as if /sys had been read.

mod facts;
mod object;

use std::collections::BTreeMap;

use paw_data::machine::Machine;
use paw_data::machine::hardware::Hardware;
use paw_sort::OrderBy;
use roxmltree::{Document, Node, ParsingOptions};

use crate::cpuset::CpuSet;
use crate::topology::logical::{Listed, Logical};
use crate::topology::node::NumaNode;
use crate::topology::{Cache, CacheKind, MachineMemory, Topology};
use object::Object;

/// Objects of the largest machines are some ten thousand; each has a few nodes of XML.
const NODES_MAX: u32 = 10_000_000;

/// Why a text is no machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum XmlError {
    /// It is no XML.
    #[error("it is no XML: {0}")]
    NotXml(String),
    /// It is XML of something else.
    #[error("its outermost element is <{0}>, where hwloc writes <topology>")]
    NotTopology(String),
    /// No hardware thread is in it.
    #[error("it has no object of type PU, so no hardware thread")]
    NoThread,
    /// A set of processors or nodes is damaged.
    #[error("{object} has the set \"{text}\", which is no bit mask")]
    BadSet {
        /// The object's type.
        object: String,
        /// The set as written.
        text: String,
    },
}

/// A machine read from XML.
#[derive(Debug, Clone, PartialEq)]
pub struct XmlMachine {
    /// Identity without a fingerprint, which needs what XML does not tell: vector extensions, system, hypervisor.
    pub machine: Machine,
    /// Its parts.
    pub hardware: Hardware,
    /// Its topology.
    pub topology: Topology,
}

/// Reads the text of a file that hwloc wrote.
///
/// # Errors
/// Where the text is no XML, is of something else, or has no hardware thread.
pub fn read(text: &str) -> Result<XmlMachine, XmlError> {
    let options = ParsingOptions { allow_dtd: true, nodes_limit: NODES_MAX, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|e| XmlError::NotXml(e.to_string()))?;
    let root = document.root_element();
    if root.tag_name().name() != "topology" {
        return Err(XmlError::NotTopology(root.tag_name().name().to_owned()));
    }
    let objects: Vec<Object<'_, '_>> =
        root.descendants().filter(|n| n.has_tag_name("object")).map(Object::new).collect::<Result<_, _>>()?;
    let topology = topology(root, &objects)?;
    let machine = facts::machine(root, &objects, &topology);
    let hardware = facts::hardware(root, &objects, &topology);
    Ok(XmlMachine { machine, hardware, topology })
}

fn topology(root: Node<'_, '_>, objects: &[Object<'_, '_>]) -> Result<Topology, XmlError> {
    let kinds = cpu_kinds(root)?;
    let online: CpuSet = of(objects, "PU").filter_map(|pu| pu.os_index).collect();
    if online.is_empty() {
        return Err(XmlError::NoThread);
    }
    let logicals = online.iter().map(|number| logical(number, objects, &kinds)).collect();
    let machine = of(objects, "Machine").next();
    let complete = machine.and_then(|m| m.set("complete_cpuset")).unwrap_or_default();
    let (mut topology, logicals) =
        Topology::assembled(Listed { online: logicals, offline: complete.difference(&online), notes: Vec::new() });
    topology.allowance.cpuset = machine.and_then(|m| m.set("allowed_cpuset"));
    let nodes = nodes(root, objects, &online);
    let total_bytes = nodes.iter().map(|node| node.visible_bytes).sum();
    topology.memory = MachineMemory { total_bytes, ..MachineMemory::default() };
    topology.give_nodes(nodes);
    topology.caches = objects.iter().filter_map(cache).collect();
    topology.caches.order_by_key(|c| (c.level, c.kind, c.cpus.first()));
    let source = |(core_type, name): (&str, &str)| {
        let cpus: CpuSet = kinds.iter().filter(|k| k.core_type == core_type).flat_map(|k| k.cpus.iter()).collect();
        (name.to_owned(), cpus)
    };
    let sources = [("IntelCore", "cpu_core"), ("IntelAtom", "cpu_atom")].map(source);
    topology.give_kinds(&sources, &logicals);
    Ok(topology)
}

/// The objects of a type.
fn of<'o, 'a, 'i>(objects: &'o [Object<'a, 'i>], kind: &'static str) -> impl Iterator<Item = &'o Object<'a, 'i>> {
    objects.iter().filter(move |object| object.kind == kind)
}

/// A processor, by the objects that hold it.
fn logical(number: u32, objects: &[Object<'_, '_>], kinds: &[CpuKind]) -> Logical {
    let holder = |kind| of(objects, kind).find(|object| object.cpus.contains(number));
    // hwloc 1 calls packages sockets.
    let package = holder("Package").or_else(|| holder("Socket"));
    let core = holder("Core");
    let id = |object: Option<&Object<'_, '_>>| object.and_then(|o| o.os_index).map(i64::from);
    let of_kind = |value: fn(&CpuKind) -> Option<u64>| kinds.iter().filter(|k| k.cpus.contains(number)).find_map(value);
    let known = |object: Option<&Object<'_, '_>>| object.map(|o| o.cpus.clone()).unwrap_or_default();
    Logical {
        number,
        package_id: id(package),
        die_id: id(holder("Die")),
        cluster_id: None,
        core_id: id(core),
        threads: core.map_or_else(|| CpuSet::from([number]), |core| core.cpus.clone()),
        package_cpus: known(package),
        capacity: of_kind(|k| k.capacity).and_then(|value| u32::try_from(value).ok()),
        frequency_max_khz: of_kind(|k| k.frequency_mhz).map(|mhz| mhz * 1000),
        midr: None,
    }
}

/// Processors that hwloc found to be alike.
struct CpuKind {
    cpus: CpuSet,
    core_type: String,
    capacity: Option<u64>,
    frequency_mhz: Option<u64>,
}

fn cpu_kinds(root: Node<'_, '_>) -> Result<Vec<CpuKind>, XmlError> {
    let kind = |node: Node<'_, '_>| {
        let number = |name| object::info(node, name).and_then(|text| text.parse().ok());
        Ok(CpuKind {
            cpus: object::set("cpukind", node.attribute("cpuset").unwrap_or_default())?,
            core_type: object::info(node, "CoreType").unwrap_or_default().to_owned(),
            capacity: number("LinuxCapacity"),
            frequency_mhz: number("FrequencyMaxMHz"),
        })
    };
    root.children().filter(|n| n.has_tag_name("cpukind")).map(kind).collect()
}

/// Caches of hwloc 2 (`L2Cache`, `L1iCache`), and of hwloc 1 (`Cache`).
fn cache(object: &Object<'_, '_>) -> Option<Cache> {
    if !object.kind.ends_with("Cache") || object.kind == "MemCache" || object.cpus.is_empty() {
        return None;
    }
    let kind = match object.number("cache_type")? {
        1 => CacheKind::Data,
        2 => CacheKind::Instruction,
        _ => CacheKind::Unified,
    };
    let small = |name| object.number(name).and_then(|value| u32::try_from(value).ok()).filter(|value| *value > 0);
    Some(Cache {
        level: small("depth")?,
        kind,
        size_bytes: object.number("cache_size").filter(|bytes| *bytes > 0)?,
        line_bytes: small("cache_linesize"),
        ways: small("cache_associativity"),
        sets: None,
        cpus: object.cpus.clone(),
    })
}

/// The memory nodes; the whole machine is one where the file has none.
fn nodes(root: Node<'_, '_>, objects: &[Object<'_, '_>], online: &CpuSet) -> Vec<NumaNode> {
    let mut distances = distances(root);
    let mut taken = CpuSet::new();
    let mut node = |(object, number): (&Object<'_, '_>, u32)| {
        // Memory of another kind stands beside processors that are another node's.
        let cpus = object.cpus.difference(&taken);
        taken = taken.union(&cpus);
        NumaNode {
            number,
            cpus,
            visible_bytes: object.number("local_memory").unwrap_or(0),
            distances: distances.remove(&number).unwrap_or_default(),
            ..NumaNode::default()
        }
    };
    let mut listed: Vec<(&Object<'_, '_>, u32)> =
        of(objects, "NUMANode").filter_map(|object| Some((object, object.os_index?))).collect();
    listed.order_by_key(|(_, number)| *number);
    listed.dedup_by_key(|(_, number)| *number);
    let nodes: Vec<NumaNode> = listed.into_iter().map(&mut node).collect();
    if nodes.is_empty() { vec![NumaNode { cpus: online.clone(), ..NumaNode::default() }] } else { nodes }
}

/// Latencies between nodes as the operating system told them, by node and node.
fn distances(root: Node<'_, '_>) -> BTreeMap<u32, BTreeMap<u32, u32>> {
    /// The bits of `kind` that mean latencies told by the operating system (hwloc, `hwloc_distances_kind_e`).
    const LATENCY_OF_SYSTEM: u32 = 1 | 4;
    let is_latency = |node: &Node<'_, '_>| {
        let kind = node.attribute("kind").and_then(|text| text.parse::<u32>().ok()).unwrap_or(0);
        let told = node.has_tag_name("distances2") && node.attribute("type") == Some("NUMANode");
        told && node.attribute("indexing") == Some("os") && kind & LATENCY_OF_SYSTEM == LATENCY_OF_SYSTEM
    };
    let Some(matrix) = root.children().find(is_latency) else { return BTreeMap::new() };
    let numbers = |tag: &str| -> Vec<u32> {
        let texts = matrix.children().filter(|n| n.has_tag_name(tag)).filter_map(|n| n.text());
        texts.flat_map(str::split_whitespace).filter_map(|word| word.parse().ok()).collect()
    };
    let (indexes, values) = (numbers("indexes"), numbers("u64values"));
    if indexes.is_empty() || values.len() != indexes.len() * indexes.len() {
        return BTreeMap::new();
    }
    let row = |row: &[u32]| indexes.iter().copied().zip(row.iter().copied()).collect();
    indexes.iter().copied().zip(values.chunks(indexes.len()).map(row)).collect()
}
