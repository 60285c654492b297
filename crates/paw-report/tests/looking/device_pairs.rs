//! Pairs of devices, as a matrix.

use paw_data::outcome::Status;
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::Run;
use paw_report::{Colour, html, markdown, text};

use crate::handmade::{QUIET, absent, cell, measured, run};
use crate::html::{balanced, links_lead_somewhere};

/// Four devices: 10 µs a megabyte from each to each, 40 µs from 1 to 2, and no way between 0 and 3.
fn pairs() -> Run {
    pairs_of(&QUIET)
}

/// The same, of samples that these factors lengthen.
fn pairs_of(factors: &[f64]) -> Run {
    let mut records = Vec::new();
    for access in ["read", "write"] {
        for (first, second) in (0..4).flat_map(|a| (0..4).filter(move |b| a != *b).map(move |b| (a, b))) {
            let point = Point::new().with("pairs", format!("{first}-{second}").as_str()).with("access", access);
            let cell = cell("device", "peer_matrix", "cuda0+1+2+3", Quantity::Bytes, point.with("devices", 4_i64));
            records.push(match (first, second) {
                (0, 3) | (3, 0) => {
                    let why = format!("cuda{first} cannot copy from cuda{second} without the host");
                    absent(cell, Status::Skipped, &why)
                }
                (1, 2) => measured(cell, 40e-6, factors),
                _ => measured(cell, 10e-6, factors),
            });
        }
    }
    run(records)
}

#[test]
fn every_pair_has_its_place_and_pairs_without_a_way_say_so() {
    let text = text(&pairs(), 100, Colour::Plain);
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|words| matches!(words[..], ["read", ..]))
        .collect();
    assert_eq!(rows[0], ["read", "0", "100", "100", "no", "way"], "{text}");
    assert_eq!(rows[1], ["read", "1", "100", "25.0", "100"], "{text}");
    assert!(text.contains("cuda0 cannot copy from cuda3 without the host"), "{text}");
}

#[test]
fn links_that_lie_apart_are_named() {
    let text = text(&pairs(), 200, Colour::Plain);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("read: 1-2 takes 4.00 × the time of the others."), "{text}");
    assert!(!words.contains("2-1 takes"), "{text}");
    let alike = Run {
        records: pairs().records.into_iter().filter(|r| r.cell.point.text("pairs") != Some("1-2")).collect(),
        ..pairs()
    };
    let words = paw_report::text(&alike, 200, Colour::Plain).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("read: none of 9 pairs lies more than 10% apart from the others."), "{words}");
}

#[test]
fn samples_too_few_to_tell_links_apart_say_neither() {
    let run = pairs_of(&QUIET[..3]);
    let words = text(&run, 200, Colour::Plain).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("read: whether any of 10 pairs lies apart is not known: few samples"), "{words}");
    assert!(!words.contains("none of"), "{words}");
}

#[test]
fn a_page_draws_a_matrix_for_each_of_the_other_axes() {
    let run = pairs();
    let page = html(std::slice::from_ref(&run));
    assert_eq!(page.matches("<rect class=\"square step").count(), 2 * 12, "all but the diagonals");
    assert!(page.contains("no way"), "a pair without a way has a square");
    balanced(&page);
    links_lead_somewhere(&page);
    assert!(markdown(&run).contains("no way"));
}
