//! NLOOP along a ladder, as PAW's guide and PAW 1.6's code have it.

use paw_data::cell::Dat;
use paw_data::method::{LoopRule, Method};
use paw_measure::clock::scripted::Script;
use paw_measure::loops::LadderState;
use paw_measure::measure::measure;
use paw_measure::prepared_cell::PreparedCell;

use crate::bench::{Bench, entry, plan, preset, session, steady};
use crate::diary::Diary;

/// NLOOP and repetitions at each size of a ladder whose iterations cost so many nanoseconds, on a clock that costs 50 ns a reading.
fn nloop(method: &Method, costs_ns: &[f64]) -> Vec<(u64, usize)> {
    let script = Script::new(1e-12, 50e-9);
    let session = session(&script);
    let mut ladder: Option<LadderState> = None;
    let mut rows = Vec::new();
    for cost_ns in costs_ns {
        let bench = Bench::new(&script, steady(cost_ns * 1e-9));
        let mut group: [PreparedCell; 1] = [entry(1, method.clone(), &script, bench).continuing(ladder)];
        let mut diary = Diary::default();
        measure(&mut group, &plan(1), &session, &mut diary);
        ladder = group[0].ladder;
        let loops = &diary.samples[&1].loops;
        assert!(loops.iter().all(|n| *n == loops[0]), "NLOOP changed within a size: {loops:?}");
        rows.push((loops[0], loops.len()));
    }
    rows
}

fn loops(method: &Method, costs_ns: &[f64]) -> Vec<u64> {
    nloop(method, costs_ns).into_iter().map(|(loops, _)| loops).collect()
}

#[test]
fn the_guide_starts_at_nloop_max_and_shrinks_to_a_thousand_overheads_of_the_size_before() {
    // 1000 overheads are 50 µs; a repetition of L iterations of c reads L c + 50 ns.
    // After (1000, 40): 40.05 µs, no change; after (1000, 80): 80.05 ns → 625; after (625, 160): 160.08 → 313; then 157 and 79.
    assert_eq!(loops(&preset("paw"), &[40.0, 80.0, 160.0, 320.0, 640.0, 1280.0]), [1000, 1000, 625, 313, 157, 79]);
}

#[test]
fn no_second_size_of_the_guide_reads_a_third_of_the_truth() {
    let method = preset("paw");
    let script = Script::new(1e-12, 50e-9);
    let session = session(&script);
    let mut ladder: Option<LadderState> = None;
    for cost_ns in [40.0, 136.0, 500.0, 4_000.0] {
        let mut group =
            [entry(1, method.clone(), &script, Bench::new(&script, steady(cost_ns * 1e-9))).continuing(ladder)];
        let mut diary = Diary::default();
        measure(&mut group, &plan(1), &session, &mut diary);
        ladder = group[0].ladder;
        let read_ns = diary.samples[&1].per_loop_s()[0] * 1e9;
        assert!((read_ns / cost_ns - 1.0).abs() < 0.01, "{read_ns} ns for {cost_ns}");
    }
}

/// The guide's rule with two iterations at first.
fn two_at_first() -> LoopRule {
    LoopRule::Guide { loops_max: 2, loops_min: 2, overheads: 10.0, overheads_high: Some(1000.0) }
}

#[test]
fn the_guide_raises_nloop_only_where_a_region_falls_under_ten_overheads() {
    let method = Method { loops: two_at_first(), ..preset("paw") };
    assert_eq!(loops(&method, &[300.0, 400.0]), [2, 2]);
    assert_eq!(loops(&method, &[300.0, 200.0]), [2, 3], "two iterations of 200 ns read 450 ns");
}

#[test]
fn the_error_of_a_short_region_is_measured() {
    let method = Method { loops: two_at_first(), ..preset("paw") };
    let script = Script::new(1e-12, 50e-9);
    let mut group = [entry(1, method, &script, Bench::new(&script, steady(300e-9)))];
    let outcomes = measure(&mut group, &plan(1), &session(&script), &mut Diary::default());
    let caveat = outcomes[0].caveats.iter().find(|caveat| caveat.id == "paw-floor").expect("650 ns are no 600 ns");
    assert!(caveat.cause.contains("8.2 % more per operation"), "{}", caveat.cause);
}

#[test]
fn the_guide_raises_a_region_under_ten_overheads_even_past_nloop_max() {
    // 2250 iterations of 0.2 ns and a clock reading of 50 ns are 500 ns.
    assert_eq!(loops(&preset("paw"), &[0.2]), [2250]);
}

#[test]
fn the_code_keeps_between_a_hundred_and_a_thousand_overheads() {
    // 5 µs and 50 µs. After (1000, 145): 145.05 ns → 344; after (344, 290): 290.1 → 172; after (172, 10000): 10000.3 → 4; then the floor of 2.
    assert_eq!(loops(&preset("paw16"), &[145.0, 290.0, 10_000.0, 80_000.0, 80_000.0]), [1000, 344, 172, 4, 2]);
}

#[test]
fn the_code_raises_nloop_at_the_first_size_only() {
    // 1000 iterations of 1 ns read 1050 ns: × 5000 / 1050 = 4761, truncated; nothing is looked at again.
    let loops = loops(&preset("paw16"), &[1.0, 0.5]);
    assert_eq!(loops, [4761, 4761]);
}

/// A first region that a time slice of somebody else precedes, or a connection that is made: 2 ms more than its iterations.
#[test]
fn a_slow_first_region_does_not_leave_two_iterations_for_the_whole_ladder() {
    for name in ["paw", "paw16"] {
        let script = Script::new(1e-12, 50e-9);
        let session = session(&script);
        let mut is_first = true;
        let bench = Bench::new(&script, move |script: &Script, loops| {
            script.advance(loops as f64 * 200e-9 + if std::mem::take(&mut is_first) { 4e-3 } else { 0.0 });
            Ok(())
        });
        let mut group: [PreparedCell; 1] = [entry(1, preset(name), &script, bench)];
        let mut diary = Diary::default();
        measure(&mut group, &plan(1), &session, &mut diary);
        assert_eq!(diary.samples[&1].loops, [1000; 10], "{name}");
    }
}

#[test]
fn of_a_ping_pong_one_way_is_held_against_the_ceiling() {
    // A round trip of 800 ns: 400 ns one way, of which 50 µs hold 125.
    let loops = |operations: f64| {
        let script = Script::new(1e-12, 50e-9);
        let session = session(&script);
        let mut ladder = None;
        let mut found = Vec::new();
        for _ in 0..2 {
            let mut prepared = entry(1, preset("paw16"), &script, Bench::new(&script, steady(800e-9)));
            prepared.cell.dat = Some(Box::new(Dat::new("send", "P2P_SEND", "n")));
            prepared.cell.work.operations = operations;
            let mut group: [PreparedCell; 1] = [prepared.continuing(ladder)];
            let mut diary = Diary::default();
            measure(&mut group, &plan(1), &session, &mut diary);
            ladder = group[0].ladder;
            found.push(diary.samples[&1].loops[0]);
        }
        found
    };
    assert_eq!(loops(1.0), [1000, 62]);
    assert_eq!(loops(2.0), [1000, 124]);
}

#[test]
fn both_repeat_ten_times() {
    for name in ["paw", "paw16"] {
        assert!(nloop(&preset(name), &[100.0, 200.0]).iter().all(|(_, reps)| *reps == 10), "{name}");
    }
}

#[test]
fn a_ladder_that_begins_at_a_long_iteration_does_not_time_a_thousand_of_them() {
    assert_eq!(loops(&preset("paw"), &[2e9]), [2]);
}
