//! Latency under load: its curve, the idle latency and the knee.

use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::{Record, Run};
use paw_data::secondary::SecondaryMetric;
use paw_report::{Colour, html, text};

use crate::handmade::{QUIET, cell, disturbed, measured, run};
use crate::html::{balanced, links_lead_somewhere};

/// A cell with a pause in nanoseconds, a latency in nanoseconds, and a load in gigabytes a second.
fn loaded((delay, nanoseconds, gigabytes): (i64, f64, f64)) -> Record {
    let point = Point::new().with("delay", delay).with("threads", 2_i64);
    let mut record =
        measured(cell("memory", "loaded_latency", "native", Quantity::Time, point), nanoseconds * 1e-9, &QUIET);
    let taken = record.samples.elapsed_s.len();
    record.samples.extra.insert(SecondaryMetric::LoadRate.into(), vec![gigabytes * 1e9; taken]);
    record
}

fn curve(points: &[(i64, f64, f64)]) -> Run {
    run(points.iter().copied().map(loaded).collect())
}

/// The text of `run` in one line.
fn told(run: &Run) -> String {
    text(run, 200, Colour::Plain).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_knee_is_where_the_latency_has_doubled() {
    let run = curve(&[(0, 400.0, 20.0), (100, 150.0, 18.0), (400, 110.0, 10.0), (1_000_000, 100.0, 0.01)]);
    let said = told(&run);
    // 200 ns are a fifth of the way from 150 to 400 ns, and from 18 to 20 GB/s.
    assert!(
        said.contains(
            "idle 100 ns; knee, where a load takes twice as long, at 18.4 GB/s, between 18.0 GB/s and 20.0 GB/s"
        ),
        "{said}"
    );
    let page = html(std::slice::from_ref(&run));
    assert!(page.contains("loaded_latency in ns over the load, 1 curves"), "a curve over the load");
    balanced(&page);
    links_lead_somewhere(&page);
}

#[test]
fn a_load_that_falls_where_memory_is_full_does_not_fold_the_curve() {
    let run = curve(&[(0, 900.0, 17.0), (100, 300.0, 18.0), (400, 110.0, 10.0), (1_000_000, 100.0, 0.01)]);
    let said = told(&run);
    assert!(said.contains("between 10.0 GB/s and 18.0 GB/s as measured"), "the first point past the knee: {said}");
}

#[test]
fn a_latency_that_never_doubles_has_no_knee() {
    let said = told(&curve(&[(0, 199.0, 20.0), (400, 110.0, 10.0), (1_000_000, 100.0, 0.01)]));
    assert!(said.contains("no knee: below twice that up to 20.0 GB/s, the most they moved (199 ns there)"), "{said}");
}

#[test]
fn a_latency_of_doubtful_points_that_never_doubles_says_so() {
    let mut run = curve(&[(0, 199.0, 20.0), (400, 110.0, 10.0), (1_000_000, 100.0, 0.01)]);
    run.records[..2].iter_mut().for_each(|record| *record = disturbed(record.clone(), 0));
    let said = told(&run);
    assert!(said.contains("the most they moved (199 ns there); 2 of 3 points are doubtful."), "{said}");
}

#[test]
fn nothing_is_read_from_times_or_loads_of_zero() {
    for points in [[(0, 0.0, 20.0), (1_000_000, 0.0, 0.01)], [(0, 199.0, 0.0), (1_000_000, 100.0, 0.0)]] {
        let said = told(&curve(&points));
        assert!(said.contains("no knee: there is no time or no load to tell it by."), "{said}");
    }
}

#[test]
fn without_an_idle_point_there_is_no_knee() {
    let said = told(&curve(&[(0, 400.0, 20.0), (400, 110.0, 10.0)]));
    assert!(
        said.contains("no idle latency, and so no knee: the others moved 10.0 GB/s at least, of 20.0 GB/s"),
        "{said}"
    );
    assert!(!said.contains("twice"), "{said}");
}
