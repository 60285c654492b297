//! Tables of memory nodes: sizes, distances, and who reaches them best.

use std::collections::BTreeSet;

use paw_data::machine::hardware::{Hardware, MemoryNode, MemorySideCache, NodeAccess};
use paw_data::quantity::Quantity;

use crate::hardware::cpus::ranges;
use crate::model::{Align, Column, Field, Row, Table};
use crate::number::{quantity, size};

/// The title of the table of distances, which is as wide as there are nodes.
pub const DISTANCES: &str = "distances between memory nodes";

/// The memory of a node in words: `unknown` where the system says neither what there is nor what is free.
pub fn memory_of(node: &MemoryNode) -> String {
    match (node.total_bytes, node.free_bytes) {
        (0, None) => "unknown".to_owned(),
        (0, Some(_)) => "none".to_owned(),
        (bytes, _) => size(bytes as f64),
    }
}

/// The caches of a node's memory in words: `16.0 GiB direct-mapped`; empty where it has none.
pub fn side_caches_of(node: &MemoryNode) -> String {
    let mapped = |cache: &MemorySideCache| if cache.direct_mapped == Some(true) { " direct-mapped" } else { "" };
    let one = |cache: &MemorySideCache| format!("{}{}", size(cache.size_bytes as f64), mapped(cache));
    node.side_caches.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Nodes with their processors and memory.
pub fn nodes(hardware: &Hardware) -> Table {
    let columns = vec![
        Column::new("node", Align::Right, Column::ALWAYS),
        Column::new("total", Align::Right, Column::ALWAYS),
        Column::new("free", Align::Right, 200),
        Column::new("cache", Align::Left, 190).titled("cache of the memory"),
        Column::new("cpu", Align::Left, 150).shrinking(8),
    ];
    let row = |node: &MemoryNode| {
        let bytes = |bytes: u64| size(bytes as f64);
        let cpus = if node.cpus.is_empty() { "none".to_owned() } else { ranges(&node.cpus) };
        fields([
            node.number.to_string().into(),
            memory_of(node).into(),
            Field::maybe(node.free_bytes.map(bytes)),
            side_caches_of(node).into(),
            cpus.into(),
        ])
    };
    Table::dense("memory nodes", columns, hardware.nodes.iter().map(row).collect())
}

/// Firmware's distances; empty for a single node.
pub fn distances(hardware: &Hardware) -> Table {
    let targets: BTreeSet<u32> = hardware.nodes.iter().flat_map(|node| node.distances.keys().copied()).collect();
    if targets.len() < 2 {
        return Table::default();
    }
    let to = |number: &u32| Column::new(format!("to {number}"), Align::Right, Column::ALWAYS);
    let from = Column::new("from", Align::Right, Column::ALWAYS);
    let row = |node: &MemoryNode| {
        let of = |number: &u32| Field::maybe(node.distances.get(number).map(u32::to_string));
        fields(std::iter::once(node.number.to_string().into()).chain(targets.iter().map(of)))
    };
    let columns = std::iter::once(from).chain(targets.iter().map(to)).collect();
    let table = Table::new(DISTANCES, columns, hardware.nodes.iter().map(row).collect());
    Table { note: "by firmware; 10 is local".to_owned(), ..table }
}

/// The initiators that firmware names for each node, and what it promises them.
pub fn access(hardware: &Hardware) -> Table {
    let columns = vec![
        Column::new("node", Align::Right, Column::ALWAYS),
        Column::new("best\nfrom", Align::Left, Column::ALWAYS).titled("best from nodes"),
        Column::new("among", Align::Left, 200),
        Column::new("read", Align::Right, 180).titled("latency of a read"),
        Column::new("write", Align::Right, 170).titled("latency of a write"),
        Column::new("reads", Align::Right, 190).titled("bandwidth of reads"),
        Column::new("writes", Align::Right, 160).titled("bandwidth of writes"),
    ];
    let row = |(node, access): (&MemoryNode, &NodeAccess)| {
        let latency = |ns: Option<u64>| Field::maybe(ns.map(|ns| format!("{ns} ns")));
        let rate = |rate: Option<u64>| Field::maybe(rate.map(|rate| quantity(rate as f64, Quantity::Bytes, None)));
        fields([
            node.number.to_string().into(),
            ranges(&access.initiators).into(),
            if access.class == 0 { "all initiators" } else { "processors" }.into(),
            latency(access.read_latency_ns),
            latency(access.write_latency_ns),
            rate(access.read_bytes_s),
            rate(access.write_bytes_s),
        ])
    };
    let all = hardware.nodes.iter().flat_map(|node| node.access.iter().map(move |access| (node, access)));
    let table = Table::dense("nearest to each memory node", columns, all.map(row).collect());
    Table {
        note: "by firmware: the nodes from which it is reached best, among processors or all initiators".to_owned(),
        ..table
    }
}

fn fields(fields: impl IntoIterator<Item = Field>) -> Row {
    Row { fields: fields.into_iter().collect(), ..Row::default() }
}
