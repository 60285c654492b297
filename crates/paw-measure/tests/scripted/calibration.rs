//! Loops are found from the cost of an iteration and the clock, up and down.

use paw_data::run::{ClockKind, Instrument};
use paw_measure::fault::Fault;
use paw_measure::loops::{Calibrated, LadderState, Probe, calibrate};
use paw_measure::method::default;

/// What calibrating did.
struct Tried {
    result: Result<Calibrated, Fault>,
    /// Loops of each region timed, in order.
    regions: Vec<u64>,
}

impl Tried {
    fn loops(&self) -> u64 {
        self.result.as_ref().expect("calibration succeeds").loops
    }
}

fn clock(resolution_s: f64, overhead_s: f64) -> Instrument {
    Instrument { id: 0, clock: ClockKind::Scripted, resolution_s, overhead_s, hz: None }
}

/// Calibrates the default method's floor on a clock of 20 ns.
fn tried(ladder: Option<LadderState>, mut time: impl FnMut(u64) -> f64) -> Tried {
    let mut regions = Vec::new();
    let mut region = |loops| {
        regions.push(loops);
        Ok(Probe { elapsed_s: time(loops), disturbed: false, is_late: false })
    };
    let result = calibrate(&default().loops, &clock(20e-9, 20e-9), ladder, &mut region);
    Tried { result, regions }
}

/// Calibrates on regions of which a test says how long they last and whether they were disturbed.
fn disturbed(mut probe: impl FnMut(u64) -> (f64, bool)) -> Tried {
    let mut regions = Vec::new();
    let mut region = |loops| {
        regions.push(loops);
        let (elapsed_s, disturbed) = probe(loops);
        Ok(Probe { elapsed_s, disturbed, is_late: false })
    };
    let result = calibrate(&default().loops, &clock(20e-9, 20e-9), None, &mut region);
    Tried { result, regions }
}

fn linear(fixed_s: f64, per_loop_s: f64) -> impl Fn(u64) -> f64 {
    move |loops| fixed_s + loops as f64 * per_loop_s
}

#[test]
fn loops_grow_from_one_to_the_floor_and_are_confirmed() {
    let tried = tried(None, linear(0.0, 25e-9));
    assert_eq!(tried.regions[..7], [1, 10, 100, 1000, 10_000, 48_000, 48_000]);
    assert_eq!(tried.regions[7..], [48_000, 48_000, 48_000, 96_000, 96_000, 96_000]);
    assert_eq!(tried.loops(), 48_000);
}

#[test]
fn a_carry_saves_the_steps_between() {
    let ladder = Some(LadderState { loops: 48_000, per_loop_s: 25e-9 });
    let tried = tried(ladder, linear(0.0, 26e-9));
    assert_eq!(tried.regions[..3], [1, 46_154, 46_154]);
}

#[test]
fn a_ladder_that_jumps_to_a_long_iteration_times_it_once() {
    let ladder = Some(LadderState { loops: 48_000, per_loop_s: 25e-9 });
    let tried = tried(ladder, linear(0.0, 2.0));
    assert_eq!((tried.loops(), tried.regions), (1, vec![1]));
}

#[test]
fn a_coarse_clock_asks_for_a_thousand_of_its_ticks() {
    let mut regions = Vec::new();
    let mut region = |loops: u64| {
        regions.push(loops);
        // A microsecond's steps.
        Ok(Probe { elapsed_s: (loops as f64 * 0.3).floor() * 1e-6, disturbed: false, is_late: false })
    };
    let loops = calibrate(&default().loops, &clock(10e-6, 1e-6), None, &mut region).unwrap().loops;
    assert!(loops as f64 * 0.3e-6 >= 10e-3, "{loops} iterations are shorter than a thousand steps of 10 µs");
    assert!(loops as f64 * 0.3e-6 <= 15e-3, "{loops} iterations are far longer than needed");
}

#[test]
fn a_fixed_cost_doubles_the_loops_until_it_hardly_shows() {
    // 100 µs beside 10 ns: T(L) = 1e-4 + 1e-8 L; twice as many take 2 T(L) within 0.5 % from 1e-4 / T(2L) < 0.005 on.
    let loops = tried(None, linear(100e-6, 10e-9)).loops();
    let share = |loops: u64| 100e-6 / linear(100e-6, 10e-9)(2 * loops);
    assert!(share(loops) <= 0.005 && share(loops / 2) > 0.005, "{loops}");
}

#[test]
fn a_fixed_cost_that_alone_passes_the_floor_is_not_taken_for_an_iteration() {
    let tried = tried(None, linear(2e-3, 1e-6));
    let found = tried.result.expect("2 ms beside 1 µs can be told apart");
    assert!(found.loops > 2000, "the fixed cost is still most of {} iterations", found.loops);
    assert_eq!(found.caveats[0].id, "not-linear");
}

#[test]
fn iterations_that_take_no_time_are_refused() {
    for time in [linear(0.0, 0.0), linear(5e-3, 0.0), linear(0.0, 0.04e-9)] {
        let tried = tried(None, time);
        let fault = tried.result.expect_err("nothing was done").to_string();
        assert!(fault.contains("optimised away"), "{fault}");
    }
}

#[test]
fn a_preempted_region_does_not_end_the_search() {
    let mut calls = 0;
    let tried = tried(None, |loops| {
        calls += 1;
        let preempted = if calls == 1 { 30e-3 } else { 0.0 };
        preempted + loops as f64 * 25e-9
    });
    assert_eq!(tried.regions[..4], [1, 1, 10, 100]);
    assert!(tried.loops() >= 40_000);
}

#[test]
fn noise_is_not_taken_for_curvature() {
    let mut calls = 0_u32;
    let tried = tried(None, |loops| {
        calls += 1;
        // One region in two is slower by 3 %: more than the half per cent that a fixed cost may show.
        let noise = if calls.is_multiple_of(2) { 1.03 } else { 1.0 };
        loops as f64 * 25e-9 * noise
    });
    assert!(tried.loops() < 100_000, "{}", tried.loops());
}

#[test]
fn a_machine_too_busy_to_tell_is_no_proof_that_nothing_was_done() {
    let mut calls = 0_usize;
    let tried = tried(None, |_| {
        calls += 1;
        [2e-3, 4e-3, 5.2e-3][calls % 3]
    });
    let found = tried.result.expect("regions that differ by their own length prove nothing");
    assert_eq!(found.caveats[0].id, "not-linear");
}

#[test]
fn a_clock_that_never_moves_is_refused_in_the_end() {
    let tried = tried(None, |_| 0.0);
    assert!(tried.result.is_err());
    assert!(tried.regions.len() < 20, "{:?}", tried.regions);
}

#[test]
fn disturbed_regions_are_timed_again_and_do_not_change_the_loops() {
    for period in [2, 3, 5] {
        let mut calls = 0_u32;
        let busy = disturbed(|loops| {
            calls += 1;
            let late = calls.is_multiple_of(period);
            (loops as f64 * 25e-9 + if late { 4e-3 } else { 0.0 }, late)
        });
        assert_eq!(busy.result.as_ref().unwrap().caveats, [], "every {period}. region was disturbed");
        assert_eq!(busy.loops(), 48_000, "every {period}. region was disturbed: {:?}", busy.regions);
    }
}

#[test]
fn regions_that_were_all_disturbed_prove_nothing() {
    // A neighbour's time slice dwarfs the operation, whatever the iterations: "optimised away" would be a lie.
    let busy = disturbed(|loops| (0.118 + loops as f64 * 25e-9, true));
    let found = busy.result.expect("nothing is known of the operation");
    assert_eq!(found.caveats[0].id, "unverified-loops");
    assert!(busy.regions.len() < 50, "retakes are bounded: {:?}", busy.regions);
}

/// Calibrates on regions after which no time is left.
fn late(time: impl Fn(u64) -> f64) -> Calibrated {
    let mut region = |loops| Ok(Probe { elapsed_s: time(loops), disturbed: false, is_late: true });
    calibrate(&default().loops, &clock(20e-9, 20e-9), None, &mut region).expect("it is long enough")
}

#[test]
fn regions_that_are_linear_are_verified_though_no_time_is_left() {
    assert_eq!(late(linear(0.0, 25e-9)).caveats, []);
    let caveats = late(linear(1e-3, 25e-9)).caveats;
    assert!(caveats[0].id == "unverified-loops" && caveats[0].cause.contains("no time was left"), "{caveats:?}");
}

#[test]
fn a_burst_that_nobody_saw_is_no_proof_that_nothing_was_done() {
    // The regions of 10,000 iterations fell into a burst that the calling thread did not feel: threads of a driver did.
    let time = |loops: u64| if (2000..=10_000).contains(&loops) { 0.09 } else { loops as f64 * 5.9e-6 };
    let found = disturbed(|loops| (time(loops), false)).result.expect("twice the iterations took longer");
    assert!(found.caveats.iter().all(|caveat| caveat.id == "not-linear"), "{found:?}");
    // Equal times in the burst, and growth behind it: the doublings go on until the growth is seen.
    let time = |loops: u64| if loops <= 20_000 { 0.118 } else { loops as f64 * 5.9e-6 };
    let found = disturbed(|loops| (time(loops), false)).result.expect("80,000 iterations took twice 40,000");
    assert_eq!(found.caveats, []);
}
