//! Roofs of instruction sets and caches, and builds of a kernel under them.

use paw_data::cell::Role;
use paw_data::headline::{Family, ReportPlace};
use paw_data::kernel::Question;
use paw_data::machine::CacheLevel;
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::{Record, Run};
use paw_data::work::Work;
use paw_report::{Colour, html, text};

use crate::handmade::{self, QUIET, measured};
use crate::html::drawings;
use crate::kernels::{Answer, answered, build, cell, kernel, run, timed};

/// A roof of `amount` operations or bytes in a millisecond.
fn roof(quantity: Quantity, amount: f64, point: Point) -> Record {
    let family = if quantity == Quantity::Flops { Family::Peak } else { Family::Memory };
    let place = ReportPlace { family, figures: Vec::new(), alternatives: None, precision: None };
    let mut own = handmade::cell("any", "roof", "native", quantity, point.with("threads", 1));
    own.work = match quantity {
        Quantity::Flops => Work { flops: amount, ..Work::default() },
        _ => Work { bytes: amount, ..Work::default() },
    };
    (own.role, own.report) = (Role::Peak, Some(place));
    if quantity == Quantity::Bytes {
        own.role = Role::Bandwidth;
    }
    measured(own, 1e-3, &QUIET)
}

/// 100 and 12.5 GFLOP/s; 400, 200 and 20 GB/s.
fn roofs() -> Vec<Record> {
    let cached = |bytes: i64| Point::new().with("bytes", bytes).with("pattern", "read");
    vec![
        roof(Quantity::Flops, 100e6, Point::new().with("isa", "avx512")),
        roof(Quantity::Flops, 12.5e6, Point::new().with("isa", "scalar")),
        roof(Quantity::Bytes, 400e6, cached(16 << 10)),
        roof(Quantity::Bytes, 300e6, cached(16 << 10)),
        roof(Quantity::Bytes, 200e6, cached(500 << 10)),
        roof(Quantity::Bytes, 20e6, Point::new().with("bytes", 1_i64 << 30)),
    ]
}

/// A build that takes `ticks` an iteration of 2 operations and 24 bytes, at a clock of 1 GHz.
pub fn built(flags: &str, role: Role, level: &str, ticks: f64) -> Record {
    let point = Point::new().with("level", level).with("n", 10);
    let mut own = cell(build("gcc", flags, "", flags), role, 0, point, 100.0);
    (own.work.flops, own.work.bytes) = (200.0, 2400.0);
    answered(timed(own, ticks, 0.002), Answer::Exact, 10)
}

pub fn under_roofs(records: Vec<Record>) -> Run {
    let mut run = run(kernel(Question::Matrix), [records, roofs()].concat());
    let cache = |level, size_bytes| CacheLevel {
        level,
        kind: "data".to_owned(),
        size_bytes,
        instances: 1,
        ..CacheLevel::default()
    };
    run.header.machine.identity.caches = vec![cache(1, 32 << 10), cache(2, 1 << 20)];
    for (id, record) in (0..).zip(&mut run.records) {
        record.cell.id = id;
        record.outcome.iter_mut().for_each(|outcome| outcome.cell = id);
    }
    run
}

#[test]
fn a_build_is_held_against_the_bandwidth_of_its_level() {
    let run = under_roofs(vec![built("-O2", Role::Base, "L2", 1.0), built("-O3", Role::Subject, "L2", 0.24)]);
    let hz = run.instruments[0].hz.expect("ticks");
    let shown = text(&run, 120, Colour::Plain);
    // 2 operations in 24 bytes under 200 GB/s: 16.7 GFLOP/s.
    let share = |ticks: f64| format!("{:.0}%", 100.0 * (2.0 / ticks * hz / 1e9) / (200.0 / 12.0));
    for (build, ticks) in [("gcc -O2", 1.0), ("gcc -O3", 0.24)] {
        let row =
            shown.lines().find(|line| line.starts_with("L2") && line.contains(build) && line.contains("bandwidth"));
        let row = row.expect(&shown);
        assert!(row.contains("16.7") && row.contains("L2 bandwidth") && row.contains("0.0833"), "{row}");
        let found: f64 = row.trim().rsplit(' ').next().unwrap().trim_end_matches('%').parse().unwrap();
        let expected: f64 = share(ticks).trim_end_matches('%').parse().unwrap();
        assert!((found - expected).abs() <= 1.0, "{row}: {expected}");
    }
    let flat = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat.contains("AVX-512 100 GFLOP/s, scalar 12.5 GFLOP/s, L1 400 GB/s, L2 200 GB/s, memory 20.0 GB/s"),
        "{shown}"
    );
}

#[test]
fn a_build_above_its_roof_is_named() {
    let run = under_roofs(vec![built("-O2", Role::Base, "RAM", 1.0), built("-O3", Role::Subject, "RAM", 0.9)]);
    let shown = text(&run, 200, Colour::Plain);
    assert!(shown.contains("Above its roof: ") && shown.contains("memory bandwidth"), "{shown}");
}

#[test]
fn without_operations_and_bytes_the_spec_is_asked_for_them() {
    let mut records = vec![built("-O2", Role::Base, "L1", 1.0), built("-O3", Role::Subject, "L1", 0.5)];
    records.iter_mut().for_each(|record| record.cell.work.flops = 0.0);
    let shown = text(&under_roofs(records), 200, Colour::Plain);
    assert!(shown.contains("the spec states no `flops`"), "{shown}");
    assert!(!shown.contains("under the measured roofs"), "{shown}");
}

#[test]
fn every_slope_and_peak_is_drawn_and_named() {
    let run = under_roofs(vec![built("-O2", Role::Base, "L2", 1.0), built("-O3", Role::Subject, "L2", 0.3)]);
    let page = html(&[run]);
    let drawn =
        drawings(&page).into_iter().find(|d| d.contains("Roofline: 2 cells under 1 roofs")).expect("it is drawn");
    for name in ["AVX-512", "scalar", "L1 400 GB/s", "L2 200 GB/s", "memory 20.0 GB/s", "gcc -O3"] {
        assert!(drawn.contains(name), "{name}: {drawn}");
    }
    // Three slopes and two peaks.
    assert_eq!(drawn.matches("class=\"curve\"").count(), 5);
}
