//! Messages between every two nodes, as a matrix.

use paw_data::cell::{Cell, Combine, Rank};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::{Record, Run};
use paw_data::secondary::MetricName;
use paw_data::team::Team;
use paw_data::tournament::{opponent, rounds};
use paw_data::work::Work;
use paw_report::{Colour, html, markdown, text};

use crate::handmade::{QUIET, cell, measured, run};
use crate::html::{balanced, links_lead_somewhere};

/// Seconds of a message between two ranks.
type Seconds = fn(usize, usize) -> f64;

/// A round of `ranks`, whose messages take what `seconds` says.
fn round(ranks: usize, round: usize, seconds: Seconds, factors: &[f64]) -> Record {
    let own = |rank: usize| {
        let other = opponent(rank, ranks, round);
        seconds(rank.min(other), rank.max(other))
    };
    let slowest = (0..ranks).map(own).fold(0.0, f64::max);
    let point =
        Point::new().with("n", 1_i64).with("load", "none").with("round", round as i64).with("ranks", ranks as i64);
    let cell = Cell {
        work: Work { bytes: 16.0, messages: 2.0, operations: 2.0, ..Work::default() },
        combine: Combine::Pairs,
        team: Some(0),
        ..cell("mpi", "pair_matrix", "mpich", Quantity::Time, point)
    };
    let mut record = measured(cell, 2.0 * slowest, factors);
    for rank in 0..ranks {
        let column = record.samples.elapsed_s.iter().map(|elapsed_s| elapsed_s * own(rank) / slowest);
        record.samples.extra.insert(MetricName::of_rank(rank), column.collect());
    }
    record
}

/// A tournament of `ranks`, `of_a_node` of them on each node.
fn tournament(ranks: usize, of_a_node: usize, seconds: Seconds, factors: &[f64]) -> Run {
    let rank =
        |rank: usize| Rank { rank: rank as u32, host: format!("node{}", rank / of_a_node).into(), ..Rank::default() };
    let team = Team { ranks: (0..ranks).map(rank).collect(), ..Team::default() };
    let records = (0..rounds(ranks)).map(|number| round(ranks, number, seconds, factors)).collect();
    Run { teams: vec![team], ..run(records) }
}

fn words(run: &Run) -> String {
    text(run, 200, Colour::Plain).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_slow_node_and_a_slow_link_are_told_apart() {
    let run = tournament(
        8,
        1,
        |a, b| {
            if a == 3 || b == 3 {
                4e-6
            } else if (a, b) == (0, 1) {
                6e-6
            } else {
                2e-6
            }
        },
        &QUIET,
    );
    let words = words(&run);
    assert!(words.contains("most links of these nodes lie apart from the others in this job: node3 2.00 ×"), "{words}");
    assert!(words.contains("these links lie apart from the others in this job: node0–node1 3.00 ×"), "{words}");
    let row = "node2 2.00 2.00 4.00 2.00 2.00 2.00 2.00";
    assert!(words.contains(row), "every link has its place: {words}");
}

#[test]
fn of_few_nodes_links_alone_are_told() {
    let slow: Seconds = |a, b| if (a, b) == (0, 1) { 6e-6 } else { 2e-6 };
    let words = words(&tournament(4, 1, slow, &QUIET));
    assert!(words.contains("these links lie apart from the others in this job: node0–node1 3.00 ×"), "{words}");
    assert!(words.contains("a slow node is told from slow links among 5 nodes or more"), "{words}");
}

#[test]
fn equal_links_are_alike_and_moving_ones_are_not_known() {
    let alike = words(&tournament(8, 1, |_, _| 2e-6, &QUIET));
    assert!(alike.contains("none of 28 links lies more than 10% apart from the others."), "{alike}");
    let moving = words(&tournament(8, 1, |_, _| 2e-6, &[1.0, 1.0, 1.0, 3.0, 3.0, 3.0, 1.0, 3.0]));
    assert!(!moving.contains("lie apart from the others in this job"), "{moving}");
    let few = words(&tournament(8, 1, |_, _| 2e-6, &QUIET[..3]));
    assert!(few.contains("whether any of 28 links lies apart is not known"), "{few}");
}

#[test]
fn ranks_of_a_node_share_its_links() {
    // Ranks of a node reach each other in a tenth of the time, which is no link between nodes.
    let near: Seconds = |a, b| if a / 2 == b / 2 { 2e-7 } else { 2e-6 };
    let run = tournament(12, 2, near, &QUIET);
    let words = words(&run);
    assert!(words.contains("none of 15 links lies more than 10% apart"), "{words}");
    let alone = Run { teams: vec![Team { ranks: vec![Rank::default(); 12], ..Team::default() }], ..run };
    let alone = self::words(&alone);
    assert!(alone.contains("a message between two ranks"), "ranks of one node are the places: {alone}");
}

#[test]
fn a_page_draws_every_link_twice() {
    let run = tournament(6, 1, |_, _| 2e-6, &QUIET);
    let page = html(std::slice::from_ref(&run));
    assert_eq!(page.matches("<rect class=\"square step").count(), 6 * 5, "all but the diagonal");
    assert!(!page.contains("Messages between pairs"), "rounds are no curve");
    balanced(&page);
    links_lead_somewhere(&page);
    assert!(markdown(&run).contains("| node0 |"), "{}", markdown(&run));
}

#[test]
fn of_many_nodes_the_slowest_are_listed() {
    let run = tournament(40, 1, |a, b| if a == 7 || b == 7 { 9e-6 } else { 2e-6 }, &QUIET);
    let words = words(&run);
    assert!(words.contains("the 20 of 40 with the slowest links"), "{words}");
    assert!(words.contains("to node7 9.00 9.00 node"), "the slow node comes first: {words}");
}
