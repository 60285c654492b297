//! Clocks with injected offsets and drifts, synchronised over wires of scripted length.

use std::time::Instant;

use paw_measure::channel::Channel;
use paw_measure::clock::Clock;
use paw_measure::global_clock::GlobalClock;

use crate::threads::{ThreadChannel, Wire, on_wire};

/// Microseconds from one rank to another, alike both ways and different for every pair.
fn even(from: usize, to: usize) -> f64 {
    (1.0 + (from + to) as f64) * 1e-6
}

/// Ways up the ranks take a microsecond, ways down three.
fn crooked(from: usize, to: usize) -> f64 {
    if from < to { 1e-6 } else { 3e-6 }
}

/// What a rank's clock is ahead at its beginning: hours, and odd picoseconds.
fn offset_s(rank: usize) -> f64 {
    1000.0 + 3600.0 * (rank % 5) as f64 + 1e-7 * rank as f64
}

/// What a rank's clock gains: up to 20 parts in a million, either way.
fn drift(rank: usize) -> f64 {
    (rank % 5) as f64 * 10e-6 - 20e-6
}

/// What a rank found.
struct Found {
    global: GlobalClock,
    local_s: f64,
    /// The error of its view of rank 0's clock, either way.
    error_s: f64,
    back_s: f64,
    messages: usize,
}

/// Synchronises clocks that are ahead by their offsets and gain `drift`, and again after each of `waits_s`; then lets `later_s` pass.
fn found(size: usize, wire: Wire, drift: fn(usize) -> f64, waits_s: &[f64], later_s: f64) -> Vec<Found> {
    on_wire(size, wire, |channel: ThreadChannel| {
        let (rank, script) = (channel.rank(), channel.script());
        let clock = Clock::Scripted(script.skewed(offset_s(rank), drift(rank)));
        let root = Clock::Scripted(script.skewed(offset_s(0), drift(0)));
        let mut global = GlobalClock::synchronise(&channel, &clock).expect("nobody is gone");
        for wait_s in waits_s {
            script.advance(*wait_s);
            global.refresh(&channel).expect("nobody is gone");
        }
        script.advance(later_s);
        let (local_s, root_s) = (clock.now_s(), root.now_s());
        let messages = channel.calls().lock().expect("counting does not panic").messages;
        let (error_s, back_s) = (global.to_global_s(local_s) - root_s, global.to_local_s(root_s) - local_s);
        Found { global, local_s, error_s, back_s, messages }
    })
}

/// A double of some hours in seconds is good to 4 ps; a few are added on the way.
const ROUNDING_S: f64 = 50e-12;

fn steady(_rank: usize) -> f64 {
    0.0
}

#[test]
fn offsets_are_recovered_exactly_over_even_wires() {
    for size in [1, 2, 3, 4, 8, 64] {
        for (rank, found) in found(size, even, steady, &[], 100.0).iter().enumerate() {
            assert!(found.error_s.abs() < ROUNDING_S, "{size} ranks, rank {rank}: {}", found.error_s);
            assert!(found.back_s.abs() < ROUNDING_S);
            assert!(found.global.error_s() < ROUNDING_S);
            assert_eq!(found.global.drift(), 0.0);
        }
    }
}

#[test]
fn over_crooked_wires_the_error_stays_within_half_the_round_trips() {
    for (rank, found) in found(8, crooked, steady, &[], 100.0).iter().enumerate() {
        // A question up, an answer down: a step errs by half the difference of the ways, of at most half their sum.
        let steps = f64::from((rank as u32).count_ones());
        assert!((found.error_s.abs() - 1e-6 * steps).abs() < ROUNDING_S, "rank {rank}: {}", found.error_s);
        assert!(found.error_s.abs() <= found.global.bound_s());
        let longest_steps = 3.0;
        assert!((found.global.bound_s() - 2e-6 * longest_steps).abs() < ROUNDING_S, "all know the worst bound");
    }
}

#[test]
fn a_second_synchronisation_learns_the_drift() {
    let (bound_s, wait_s, later_s) = (20e-6, 10.0, 100.0);
    let blind = found(8, even, drift, &[], later_s);
    let seeing = found(8, even, drift, &[wait_s], later_s);
    for (rank, found) in seeing.iter().enumerate() {
        let ppm = 1e6 * (drift(0) - drift(rank)) / (1.0 + drift(rank));
        assert!(
            (1e6 * found.global.drift() - ppm).abs() < 0.05,
            "rank {rank}: {} of {ppm}",
            found.global.drift() * 1e6
        );
        assert!(found.error_s.abs() < bound_s, "rank {rank}: {}", found.error_s);
        assert!(found.back_s.abs() < bound_s);
    }
    assert!(blind[1].error_s.abs() > 900e-6, "without it, ten parts in a million are a millisecond in 100 s");
}

#[test]
fn a_change_within_the_errors_is_no_drift() {
    // 10 parts in a million of a millisecond are 10 ns; the round trips are microseconds.
    let found = found(4, even, drift, &[1e-3], 0.0);
    assert!(found.iter().all(|found| found.global.drift() == 0.0));
}

#[test]
fn a_change_no_quartz_makes_is_a_jump_and_no_drift() {
    let found = found(2, even, |rank| 2e-3 * rank as f64, &[10.0], 0.0);
    assert!(found.iter().all(|found| found.global.drift() == 0.0));
    assert!(found[1].error_s.abs() < 10e-6, "the offset is the new one");
}

#[test]
fn every_refresh_sets_the_offset_anew() {
    let found = found(3, even, drift, &[10.0, 10.0, 1e-3], 0.0);
    for found in &found {
        assert!(found.error_s.abs() < 1e-8, "{}", found.error_s);
        assert!(found.global.age_s() < 0.1 && found.local_s > 1000.0);
    }
}

#[test]
fn the_messages_of_a_rank_grow_with_the_logarithm_of_the_team() {
    let most = |size| found(size, even, steady, &[], 0.0).iter().map(|found| found.messages).max();
    let step = most(2).expect("there are ranks");
    for (size, rounds) in [(1, 0), (2, 1), (3, 2), (4, 2), (8, 3), (64, 6)] {
        // Over longer wires fewer questions fit into the time for them.
        assert!(most(size) <= Some(rounds * step), "{size} ranks");
    }
}

/// The two clocks here are one clock with two origins, so the true offset is known, and the bound holds however busy the machine is.
#[test]
fn on_real_clocks_the_bound_holds() {
    let first = Instant::now();
    assert!(Clock::Monotonic(first).wait_until_s(1e-3) >= 1e-3);
    let origins = [first, Instant::now()];
    let off_s = on_wire(2, even, |channel| {
        let clock = Clock::Monotonic(origins[channel.rank()]);
        let global = GlobalClock::synchronise(&channel, &clock).expect("nobody is gone");
        let truth_s = (origins[channel.rank()] - origins[0]).as_secs_f64();
        (global.to_global_s(1.0) - 1.0 - truth_s, global.bound_s())
    });
    for (off_s, bound_s) in off_s {
        // A nanosecond is the step of either clock.
        assert!(off_s.abs() <= bound_s + 2e-9, "off by {off_s}, at most {bound_s}");
    }
}

#[test]
fn a_rank_that_is_gone_ends_the_synchronisation_of_all() {
    let all = on_wire(8, even, |channel| {
        let clock = Clock::Scripted(channel.script());
        let stays = channel.rank() != 5;
        stays.then(|| GlobalClock::synchronise(&channel, &clock).is_err())
    });
    assert!(all.iter().flatten().all(|failed| *failed), "{all:?}");
}
