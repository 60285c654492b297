//! Samples of isolated operations that end early, where ranks wait for their processors.

use std::cell::Cell;
use std::rc::Rc;

use paw_data::cell::Combine;
use paw_data::outcome::Status;
use paw_data::sample::{Phase, Sample};
use paw_measure::in_step::{InStep, IssueMode, Part};
use paw_measure::measure::measure;
use paw_measure::prepared_cell::PreparedCell;
use paw_measure::session::Session;
use paw_measure::starter::Start;
use paw_measure::watch::{Control, Event, Watch};

use crate::bench::{Bench, adaptive, cell, instrument, plan};
use crate::in_step::{Rank, level, near};
use crate::threads::on_wire;

/// Fifty milliseconds to anybody: each rank waits for its processor.
fn held_up(_from: usize, _to: usize) -> f64 {
    50e-3
}

#[test]
fn an_isolated_sample_ends_on_all_ranks_once_its_starts_take_too_long() {
    for (start, idle) in [(Start::GlobalClock, 3), (Start::GlobalClock, 0), (Start::Barrier, 3)] {
        let lasted = on_wire(4, held_up, |channel| {
            let rank = Rank::on(channel);
            let part = if rank.rank == idle { Part::Idle } else { Part::Active };
            let mut workload = rank.workload(1e-6).starting(start, IssueMode::Isolated).taking(part);
            rank.combined(&mut workload, 1, Combine::Slowest).expect("nobody broke");
            let began_s = rank.script.now_s();
            let reading = rank.combined(&mut workload, 1000, Combine::Slowest).expect("nobody broke");
            (reading, rank.script.now_s() - began_s)
        });
        for (reading, lasted_s) in &lasted {
            assert_eq!(reading.ops_s, lasted[0].0.ops_s);
            assert!((2..25).contains(&reading.ops_s.len()) && reading.loops(1000) == reading.ops_s.len() as u64);
            assert!(near(reading.elapsed_s, 1e-6 * reading.ops_s.len() as f64));
            assert!(*lasted_s < 5.0, "{start:?}: {lasted_s} s");
        }
    }
}

/// Every third message waits for its receiver's processor.
fn held_up_often(_from: usize, _to: usize) -> f64 {
    thread_local!(static SENT: Cell<u32> = const { Cell::new(0) });
    SENT.set(SENT.get() + 1);
    if SENT.get().is_multiple_of(3) { 50e-3 } else { 5e-6 }
}

#[test]
fn synchronising_clocks_takes_no_operation_from_a_sample() {
    let lengths = on_wire(8, held_up_often, |channel| {
        let rank = Rank::on(channel);
        let mut workload = rank.workload(1e-6).starting(Start::GlobalClock, IssueMode::Isolated);
        let mut length = || rank.combined(&mut workload, 1000, Combine::Slowest).expect("nobody broke").ops_s.len();
        (0..12).map(|_| length()).collect::<Vec<usize>>()
    });
    for lengths in lengths {
        assert!(lengths.iter().all(|length| *length >= 5), "{lengths:?}");
    }
}

#[test]
fn a_sample_of_long_operations_or_of_few_slow_starts_is_whole() {
    for (wire, per_loop_s, loops) in [(level as fn(usize, usize) -> f64, 10.0, 20), (held_up, 1e-6, 3)] {
        let lengths = on_wire(2, wire, |channel| {
            let rank = Rank::on(channel);
            let mut workload = rank.workload(per_loop_s).starting(Start::GlobalClock, IssueMode::Isolated);
            rank.combined(&mut workload, 1, Combine::Slowest).expect("nobody broke");
            rank.combined(&mut workload, loops, Combine::Slowest).expect("nobody broke").ops_s.len() as u64
        });
        assert_eq!(lengths, [loops; 2]);
    }
}

/// The samples that count.
#[derive(Default)]
struct Counted(Vec<Sample>);

impl Watch for Counted {
    fn on(&mut self, event: Event<'_>) -> Control {
        if let Event::Sampled { sample, phase: Phase::Measure, .. } = event {
            self.0.push(sample.clone());
        }
        Control::Go
    }
}

#[test]
fn samples_that_end_early_say_so_and_their_calibration_ends() {
    let all = on_wire(2, held_up, |channel| {
        let rank = Rank::on(channel);
        let bench = Bench::costing(1e-6, &rank.script);
        let workload = InStep::new(bench, instrument(), Rc::clone(&rank.starter))
            .starting(Start::GlobalClock, IssueMode::Isolated);
        let mut entries = [PreparedCell::new(cell(1, Combine::Slowest), adaptive(), Box::new(workload))];
        let session = Session::with_team(rank.starter.clock().clone(), &rank.ranks);
        let mut counted = Counted::default();
        (measure(&mut entries, &plan(), &session, &mut counted), counted.0)
    });
    for (outcomes, samples) in all {
        assert_eq!(outcomes[0].status, Status::Measured, "{outcomes:?}");
        let ids: Vec<&str> = outcomes[0].caveats.iter().map(|caveat| caveat.id.as_str()).collect();
        assert!(ids.contains(&"unverified-loops") && !ids.contains(&"too-short"), "{outcomes:?}");
        assert!(!samples.is_empty());
        for sample in samples {
            assert!(sample.loops == sample.ops_s.len() as u64 && sample.loops < 25, "{}", sample.loops);
            assert!(sample.disturbed);
            assert!(near(sample.per_loop_s(), 1e-6));
        }
    }
}
