//! Pairs of devices, device memory at random, and managed memory, by a driver of known cost: the device's own clock tells what it is.

use std::rc::Rc;

use paw_data::outcome::CheckVerdict;
use paw_data::point::Point;
use paw_data::secondary::{MetricName, SecondaryMetric};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_suites::Engine;

use crate::child::start;
use crate::mock::{engine, in_child};

/// Three devices: the way from 1 to 2 is slow, and 0 and 2 do not reach each other.
const THREE: &[(&str, &str)] = &[
    ("MOCK_CUDA_DEVICES", "3"),
    ("MOCK_CUDA_PEER", "1"),
    ("MOCK_CUDA_PEER_GBS", "200"),
    ("MOCK_CUDA_SLOW_PAIR", "1-2"),
    ("MOCK_CUDA_CUT_PAIR", "0-2"),
];
const BYTES: f64 = 1_048_576.0;
/// Of a copy, and of a launch.
const LATENCY_S: f64 = 5e-6;
const LAUNCH_S: f64 = 3e-6;

fn point(axes: &[(&str, &str)]) -> Point {
    let point = Point::new().with("bytes", BYTES as i64).with("devices", 3);
    axes.iter().fold(point, |point, (axis, word)| point.with(axis, *word))
}

fn started(name: &str, axes: &[(&str, &str)], engine: &Rc<Engine>) -> Result<Box<dyn Timed>, Fault> {
    start(name, &point(axes), engine)
}

/// Seconds of one operation behind a gate; what it computes or copies is right.
fn gated_s(name: &str, axes: &[(&str, &str)], engine: &Rc<Engine>) -> f64 {
    let mut timed = started(name, axes, engine).unwrap_or_else(|fault| panic!("{name} {axes:?}: {fault}"));
    timed.time(1, &Clock::monotonic()).unwrap_or_else(|fault| panic!("{name} {axes:?}: {fault}"));
    let gated: MetricName = SecondaryMetric::Gated.into();
    let found = timed.extra().into_iter().find(|(name, _)| *name == gated).map(|(_, seconds)| seconds);
    let check = timed.verify().unwrap_or_else(|fault| panic!("{name} {axes:?}: {fault}"));
    assert_eq!(check.verdict, CheckVerdict::Pass, "{name} {axes:?}: {check:?}");
    found.unwrap_or_else(|| panic!("{name} {axes:?}: no time behind a gate"))
}

#[track_caller]
fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 0.01 * expected, "{found:e} is not {expected:e}");
}

#[test]
fn each_way_between_two_devices_shows_its_link() {
    in_child("peers::each_way_between_two_devices_shows_its_link", THREE, || {
        let all = engine(&[0, 1, 2]);
        let bandwidth =
            |pairs, access, by| gated_s("peer_matrix", &[("pairs", pairs), ("access", access), ("by", by)], &all);
        let (fast_s, slow_s) = (BYTES / 200e9, BYTES / 50e9);
        near(bandwidth("0-1", "read", "engine"), LATENCY_S + fast_s);
        near(bandwidth("0-1", "write", "kernel"), LAUNCH_S + fast_s);
        // 2 reads what comes from 1 to it, and 1 writes it: the same way.
        near(bandwidth("2-1", "read", "engine"), LATENCY_S + slow_s);
        near(bandwidth("1-2", "write", "engine"), LATENCY_S + slow_s);
        near(bandwidth("1-2", "read", "kernel"), LAUNCH_S + fast_s);
        // Both at once: the slower way ends last, no sooner than alone.
        assert!(bandwidth("1-2", "both", "engine") > 0.99 * (LATENCY_S + slow_s));
    });
}

#[test]
fn pairs_without_a_way_say_so() {
    in_child("peers::pairs_without_a_way_say_so", THREE, || {
        let all = engine(&[0, 1, 2]);
        let why = |name, axes: &[(&str, &str)], engine: &Rc<Engine>| match started(name, axes, engine) {
            Err(Fault::Missing(why)) => why,
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("{name} {axes:?} can be measured"),
        };
        for by in ["engine", "kernel"] {
            let cut = [("pairs", "2-0"), ("by", by)];
            assert_eq!(why("peer_matrix", &cut, &all), "cuda2 cannot copy from cuda0 without the host");
            assert_eq!(why("peer_latency", &cut, &all), "cuda2 cannot copy from cuda0 without the host");
        }
        let alone = "cuda0 alone has no device to copy from. hint: where there is another, --provider cuda0+1";
        assert_eq!(why("peer_matrix", &[("pairs", "0-1")], &engine(&[0])), alone);
        for pair in ["0-7", "1-1", "x", ""] {
            let why = why("peer_matrix", &[("pairs", pair)], &all);
            assert!(why.contains("is no pair of cuda0, cuda1, cuda2"), "{why}");
        }
    });
}

#[test]
fn a_load_from_a_peer_takes_longer_than_one_from_a_devices_own_memory() {
    in_child("peers::a_load_from_a_peer_takes_longer_than_one_from_a_devices_own_memory", THREE, || {
        const HOPS: f64 = 16_384.0;
        let all = engine(&[0, 1, 2]);
        near(gated_s("device_latency", &[], &all), LAUNCH_S + HOPS * 500e-9);
        near(gated_s("peer_latency", &[("pairs", "1-2"), ("by", "kernel")], &all), LAUNCH_S + HOPS * 1500e-9);
        near(gated_s("peer_latency", &[("pairs", "1-2"), ("by", "engine")], &all), LATENCY_S + 8.0 / 200e9);
    });
}

#[test]
fn random_updates_cost_what_each_costs() {
    in_child("peers::random_updates_cost_what_each_costs", &[("MOCK_CUDA_UPDATE_NS", "2")], || {
        near(gated_s("device_random", &[], &engine(&[0])), LAUNCH_S + BYTES / 8.0 * 2e-9);
    });
}

#[test]
fn managed_memory_moves_when_it_is_used_or_when_it_is_asked_to() {
    // Before 12.2 there is the older call alone.
    for version in ["12040", "12000"] {
        let settings = [("MOCK_CUDA_VERSION", version), ("PAW_TEST_CASE", version)];
        in_child("peers::managed_memory_moves_when_it_is_used_or_when_it_is_asked_to", &settings, || {
            if std::env::var("PAW_TEST_CASE").as_deref() != Ok(version) {
                return;
            }
            let one = engine(&[0]);
            for (direction, by, least_s) in [
                ("in", "fault", BYTES / 4e9),
                ("in", "prefetch", BYTES / 12e9),
                ("out", "prefetch", BYTES / 12e9),
                ("out", "fault", 0.0),
            ] {
                let axes = [("direction", direction), ("by", by)];
                let mut timed = started("managed_memory", &axes, &one).expect("the mock has managed memory");
                let elapsed_s = timed.time(2, &Clock::monotonic()).expect("it moves");
                assert!(elapsed_s > 2.0 * 0.99 * least_s, "{direction} {by}: {elapsed_s}");
                timed.inspect().unwrap_or_else(|fault| panic!("{direction} {by}: {fault}"));
                let check = timed.verify().expect("it is checked");
                assert_eq!(check.verdict, CheckVerdict::Pass, "{direction} {by}: {check:?}");
                timed.time(1, &Clock::monotonic()).expect("it moves again");
                timed.inspect().unwrap_or_else(|fault| panic!("{direction} {by}: {fault}"));
            }
        });
    }
}

#[test]
fn a_device_without_pages_that_move_says_so() {
    in_child("peers::a_device_without_pages_that_move_says_so", &[("MOCK_CUDA_MANAGED", "0")], || {
        let why = started("managed_memory", &[], &engine(&[0])).err().map(|fault| fault.to_string());
        let expected = "cuda0 moves no single pages of managed memory (no concurrent managed access)";
        assert_eq!(why.as_deref(), Some(expected));
    });
}
