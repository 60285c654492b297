//! Memory of nodes from processors of nodes: the matrix, its ratios, and what firmware says.

use paw_data::machine::hardware::{MemoryNode, NodeAccess};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::{Record, Run};
use paw_report::{Colour, html, text};

use crate::handmade::{QUIET, cell, measured, run};
use crate::html::{balanced, links_lead_somewhere};

fn latency((nodes, nanoseconds): (&str, f64)) -> Record {
    let point = Point::new().with("bytes", 1_i64 << 30).with("nodes", nodes).with("threads", 1_i64);
    measured(cell("memory", "numa_latency", "native", Quantity::Time, point), nanoseconds * 1e-9, &QUIET)
}

fn node(number: u32, cpus: &[u32], distances: &[(u32, u32)]) -> MemoryNode {
    MemoryNode {
        number,
        cpus: cpus.to_vec(),
        total_bytes: 8 << 30,
        distances: distances.iter().copied().collect(),
        ..MemoryNode::default()
    }
}

/// Two packages, and memory without processors that the second reaches best.
fn machine(cells: &[(&str, f64)]) -> Run {
    let mut run = run(cells.iter().copied().map(latency).collect());
    let far = NodeAccess { class: 1, initiators: vec![1], ..NodeAccess::default() };
    run.header.machine.nodes = vec![
        node(0, &[0, 1], &[(0, 10), (1, 21), (2, 30)]),
        node(1, &[2, 3], &[(0, 21), (1, 10), (2, 17)]),
        MemoryNode { access: vec![far], ..node(2, &[], &[(0, 30), (1, 17), (2, 10)]) },
    ];
    run
}

fn words(run: &Run) -> String {
    text(run, 200, Colour::Plain).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn each_number_stands_beside_its_ratio_and_the_firmwares() {
    let run =
        machine(&[("0-0", 100.0), ("0-1", 180.0), ("0-2", 250.0), ("1-0", 176.0), ("1-1", 110.0), ("1-2", 220.0)]);
    let said = words(&run);
    let rows = [
        "from 0 100 180 250 ÷ local 1.00 1.80 2.50 firmware 1.00 2.10 3.00",
        "from 1 176 110 220 ÷ local 1.60 1.00 2.00 firmware 2.10 1.00 1.70",
    ];
    assert!(rows.iter().all(|row| said.contains(row)), "{said}");
    assert!(
        said.contains("memory of another node takes 1.60 to 2.50 times what local memory does (4 pairs)"),
        "{said}"
    );
    assert!(said.contains("Node 2 is memory without processors"), "{said}");
    assert!(said.contains("processors of node 1 reach it best"), "{said}");
    let page = html(std::slice::from_ref(&run));
    assert!(page.contains("processors of 2 nodes, memory of 3"), "a heat map of two rows and three columns");
    balanced(&page);
    links_lead_somewhere(&page);
}

#[test]
fn a_ratio_without_a_local_number_is_none() {
    let said = words(&machine(&[("0-1", 180.0), ("1-1", 110.0)]));
    assert!(!said.contains("another node takes"), "{said}");
}

#[test]
fn one_node_is_told_as_one() {
    let mut run = machine(&[("0-0", 100.0)]);
    run.header.machine.nodes.truncate(1);
    let said = words(&run);
    assert!(
        said.contains("one memory node: no memory is remote") && said.contains("from 0 100 ÷ local 1.00"),
        "{said}"
    );
}
