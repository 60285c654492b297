//! Roofs of instruction sets and caches, and builds of a kernel under them.

use paw_data::application::{Application, RooflineFacts};
use paw_data::cell::Role;
use paw_data::counters::{CounterMetric, Counters, FLOPS_PER_CALL, MEMORY_KB_PER_CALL, Scope};
use paw_data::executed::{Executed, ExecutedLoop};
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
use crate::programs;

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
fn a_share_of_a_doubtful_roof_has_its_word() {
    let mut run = under_roofs(vec![built("-O2", Role::Base, "L2", 1.0)]);
    let is_l2 = |record: &&mut Record| record.cell.point.float("bytes") == Some(512_000.0);
    let bandwidth = run.records.iter_mut().find(is_l2).expect("there is a roof of L2");
    bandwidth.samples = measured(bandwidth.cell.clone(), 1e-3, &QUIET[..2]).samples;
    let shown = text(&run, 120, Colour::Plain);
    let row = shown.lines().find(|line| line.contains("L2 bandwidth")).expect(&shown);
    assert!(row.trim_end().ends_with("%, poor"), "{row}");
    let flat = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("L1 400 GB/s, L2 200 GB/s (poor), memory 20.0 GB/s"), "{shown}");
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

/// A build whose spec states no operations, with what was found in its code.
fn untold(flags: &str, role: Role, executed: Executed) -> Record {
    let mut record = built(flags, role, "L2", 1.0);
    record.cell.work.flops = 0.0;
    record.executed = Some(executed);
    record
}

/// A loop that a call runs through a hundred times, with 4 operations and 32 bytes each time.
fn found() -> Executed {
    let own = ExecutedLoop { trips: 100.0, flop: 4, load_bytes: 24, store_bytes: 8, ..ExecutedLoop::default() };
    Executed { loops: vec![own], ..Executed::default() }
}

#[test]
fn operations_from_machine_code_are_labelled_and_what_code_does_not_tell_is_said() {
    let refused = Executed { refused: "it calls exp".to_owned(), ..Executed::default() };
    let records = vec![untold("-O2", Role::Base, found()), untold("-O3", Role::Subject, refused)];
    let shown = text(&under_roofs(records), 200, Colour::Plain);
    let row = shown.lines().find(|line| line.contains("machine code") && line.starts_with("L2")).expect(&shown);
    // 4 operations in 32 bytes, under 200 GB/s.
    assert!(row.contains("gcc -O2") && row.contains("0.125") && row.contains("25.0"), "{row}");
    assert!(shown.contains("No point of gcc -O3 at L2: it calls exp; `flops` in the spec"), "{shown}");
    assert!(shown.contains("Operations and bytes from machine code: "), "{shown}");
    assert!(!shown.contains("Operations and bytes from the spec"), "{shown}");
}

/// A program that takes a second with 1 thread and 0.5 s with 2, under the roofs of both.
fn program(facts: RooflineFacts, counters: Vec<Counters>) -> Run {
    let app =
        Application { threads: programs::threads(&[1, 2], 2, 2), roofline: Some(facts), ..Application::default() };
    let cell = |threads: i64| {
        let mut own = programs::cell("solve", "command", Point::new().with("threads", threads));
        own.work = Work { flops: 1e9, bytes: 1e9, ..Work::default() };
        if !counters.is_empty() {
            own.work = Work::default();
        }
        let mut record = programs::steady(own, 1.0 / threads as f64, 1.0, 16);
        record.counters.clone_from(&counters);
        record
    };
    let at_two = |mut record: Record| {
        record.cell.point.set("threads", 2_i64.into());
        (record.cell.work.flops, record.cell.work.bytes) = (2.0 * record.cell.work.flops, 2.0 * record.cell.work.bytes);
        record
    };
    let records = [vec![cell(1), cell(2)], roofs(), roofs().into_iter().map(at_two).collect()].concat();
    let mut run = programs::run(app, records);
    run.header.machine.identity.caches = [(1, 32 << 10), (2, 1 << 20)]
        .map(|(level, size_bytes)| CacheLevel {
            level,
            size_bytes,
            instances: 1,
            kind: "data".to_owned(),
            ..CacheLevel::default()
        })
        .to_vec();
    for (id, record) in (0..).zip(&mut run.records) {
        (record.cell.id, record.cell.group) = (id, id);
        record.outcome.iter_mut().for_each(|outcome| outcome.cell = id);
    }
    run
}

#[test]
fn a_program_is_held_against_the_roofs_of_as_many_threads() {
    let facts =
        RooflineFacts { flops: Some("1e9".to_owned()), bytes: Some("1e9".to_owned()), ..RooflineFacts::default() };
    let run = program(facts, Vec::new());
    let shown = text(&run, 120, Colour::Plain);
    let table = &shown[shown.find("under the measured roofs").expect(&shown)..];
    // One operation a byte: 1 GFLOP/s under 20 GB/s, and 2 GFLOP/s under 40 GB/s.
    for (threads, rate, roof) in [("1", "1.00", "20."), ("2", "2.00", "40.")] {
        let row =
            table.lines().find(|line| line.trim_start().starts_with(&format!("{threads} ")) && line.contains("stated"));
        let row = row.expect(table);
        assert!(
            row.contains(rate) && row.contains(roof) && row.contains("memory bandwidth") && row.contains("5.0%"),
            "{row}"
        );
    }
    assert!(shown.contains("at 1 thread") && shown.contains("at 2 threads"), "{shown}");
    let page = html(&[run]);
    assert!(drawings(&page).into_iter().any(|d| d.contains("Roofline: 2 cells under 2 roofs")));
}

#[test]
fn counted_operations_and_bytes_of_a_program_are_labelled_as_counted() {
    let metric = |name: &str, formula: &str| CounterMetric {
        name: name.to_owned(),
        title: "what it moves per call".to_owned(),
        formula: formula.to_owned(),
        ..CounterMetric::default()
    };
    let counters = Counters {
        scope: Scope::Program,
        calls: vec![1.0],
        seconds: vec![1.0],
        metrics: vec![metric(FLOPS_PER_CALL, "3e9"), metric(MEMORY_KB_PER_CALL, "2e6")],
        ..Counters::default()
    };
    let shown = text(&program(RooflineFacts::default(), vec![counters]), 120, Colour::Plain);
    let table = &shown[shown.find("under the measured roofs").expect(&shown)..];
    // 3 operations in 2 bytes.
    let row = table.lines().find(|line| line.contains(" counted ")).expect(table);
    assert!(row.contains("1.50") && row.contains("3.00"), "{row}");
    assert!(shown.split_whitespace().collect::<Vec<_>>().join(" ").contains("the true intensity is lower"), "{shown}");
    assert!(shown.contains("what it moves per run") && !shown.contains("per call"), "a program has no calls: {shown}");
}

#[test]
fn a_program_of_which_nothing_is_known_has_roofs_and_the_way_out() {
    let facts =
        RooflineFacts { refused: "this machine has no hardware counters".to_owned(), ..RooflineFacts::default() };
    let mut run = program(facts, Vec::new());
    run.records[..2].iter_mut().for_each(|record| record.cell.work = Work::default());
    let shown = text(&run, 120, Colour::Plain).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("Roofs measured in this run at 1 thread"), "{shown}");
    assert!(shown.contains("`--flops '2*n^3' --bytes '24*n^2'` state them"), "{shown}");
    assert!(shown.contains("they cannot be counted here: this machine has no hardware counters"), "{shown}");
    assert!(!shown.contains("under the measured roofs"), "{shown}");
}
