//! Transfers by a CUDA driver of known cost: what the device's own clock tells is what it costs, and what goes wrong is told.
//!
//! Times behind a gate depend on no processor of the host; of times by the host's clock only the least is known.

use paw_data::outcome::CheckVerdict;
use paw_data::point::Point;
use paw_data::secondary::{MetricName, SecondaryMetric};
use paw_measure::clock::Clock;
use paw_measure::workload::Timed;

use crate::child::start;
use crate::mock::{engine, in_child};

const USUAL: &[(&str, &str)] = &[];
/// Two devices that reach each other.
const TWO: &[(&str, &str)] = &[("MOCK_CUDA_DEVICES", "2"), ("MOCK_CUDA_PEER", "1")];

const BYTES: f64 = 16.0 * 1024.0 * 1024.0;
const LATENCY_S: f64 = 5e-6;
const LOOPS: u64 = 3;

fn transfer(axes: &[(&str, &str)]) -> Point {
    let point = Point::new().with("bytes", BYTES as i64).with("devices", 1);
    axes.iter().fold(point, |point, (axis, word)| point.with(axis, *word))
}

/// Elapsed time and secondary metrics of a sample.
fn sampled(name: &str, point: &Point, devices: &[u32]) -> (f64, Vec<(MetricName, f64)>, Box<dyn Timed>) {
    let mut timed = start(name, point, &engine(devices)).unwrap_or_else(|fault| panic!("{name} {point}: {fault}"));
    let elapsed_s = timed.time(LOOPS, &Clock::monotonic()).unwrap_or_else(|fault| panic!("{name} {point}: {fault}"));
    let extra = timed.extra();
    (elapsed_s, extra, timed)
}

fn value(extra: &[(MetricName, f64)], name: impl Into<MetricName>) -> Option<f64> {
    let name = name.into();
    extra.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

#[track_caller]
fn near(found: Option<f64>, expected: f64) {
    let found = found.expect("it is told");
    assert!((found - expected).abs() <= 0.01 * expected, "{found} is not {expected}");
}

fn ids(timed: &dyn Timed) -> Vec<String> {
    timed.caveats().into_iter().map(|caveat| caveat.id).collect()
}

#[test]
fn behind_a_gate_a_link_shows_what_it_has() {
    in_child("cuda::behind_a_gate_a_link_shows_what_it_has", USUAL, || {
        let (in_s, out_s) = (LATENCY_S + BYTES / 20e9, LATENCY_S + BYTES / 16e9);
        for (direction, expected_s) in [("in", in_s), ("out", out_s), ("inout", in_s + out_s)] {
            let point = transfer(&[("direction", direction), ("host", "pinned")]);
            let (elapsed_s, extra, timed) = sampled("transfer", &point, &[0]);
            near(value(&extra, SecondaryMetric::Gated), LOOPS as f64 * expected_s);
            assert!(elapsed_s > 0.99 * LOOPS as f64 * expected_s, "{direction}: {elapsed_s}");
            assert_eq!(ids(&*timed), Vec::<String>::new(), "{direction}");
        }
    });
}

#[test]
fn both_ways_at_once_take_less_than_one_after_the_other() {
    in_child("cuda::both_ways_at_once_take_less_than_one_after_the_other", USUAL, || {
        let point = transfer(&[("direction", "bidir"), ("host", "pinned")]);
        let (_, extra, mut timed) = sampled("transfer", &point, &[0]);
        let gated_s = value(&extra, SecondaryMetric::Gated).expect("it is told");
        assert!(gated_s > 0.99 * LOOPS as f64 * (LATENCY_S + BYTES / 16e9), "{gated_s}");
        assert_eq!(timed.verify().expect("it copies").verdict, CheckVerdict::Pass);
    });
}

#[test]
fn pageable_memory_is_slower_and_stands_behind_no_gate() {
    in_child("cuda::pageable_memory_is_slower_and_stands_behind_no_gate", USUAL, || {
        let (elapsed_s, extra, _) = sampled("transfer", &transfer(&[("direction", "in")]), &[0]);
        assert!(elapsed_s > 0.99 * LOOPS as f64 * BYTES / 6e9, "{elapsed_s}");
        assert!(
            value(&extra, SecondaryMetric::Event).is_some() && value(&extra, SecondaryMetric::Gated).is_none(),
            "{extra:?}"
        );
    });
}

#[test]
fn what_is_allocated_for_a_transfer_is_part_of_it() {
    let costs = [("MOCK_CUDA_ALLOC_US", "3000"), ("MOCK_CUDA_FREE_US", "2000")];
    in_child("cuda::what_is_allocated_for_a_transfer_is_part_of_it", &costs, || {
        let (elapsed_s, extra, _) = sampled("transfer", &transfer(&[("life", "alloc"), ("host", "pinned")]), &[0]);
        assert!(elapsed_s > 0.99 * LOOPS as f64 * (5e-3 + BYTES / 20e9), "{elapsed_s}");
        assert!(value(&extra, SecondaryMetric::Event).is_none(), "{extra:?}");
    });
}

#[test]
fn times_that_cannot_be_are_not_told_but_why() {
    in_child("cuda::times_that_cannot_be_are_not_told_but_why", &[("MOCK_CUDA_BOGUS_EVENTS", "1")], || {
        let (_, extra, timed) = sampled("transfer", &transfer(&[("host", "pinned")]), &[0]);
        assert!(
            value(&extra, SecondaryMetric::Event).is_none() && value(&extra, SecondaryMetric::Gated).is_none(),
            "{extra:?}"
        );
        let caveats = timed.caveats();
        assert_eq!(caveats[0].id, "untrusted-events");
        assert!(caveats[0].cause.contains("took 0e0 s by the device's clock"), "{}", caveats[0].cause);
    });
}

/// What is told of a gate of which so many pass: the back-end tries one before it offers gates, and the self-test another. It gives up
/// after 50 ms instead of seconds.
fn hanging(name: &str, passes: &str, expected: &str) {
    let hangs = [("MOCK_CUDA_GATE_SCALE", "0.01"), ("MOCK_CUDA_HANG", passes)];
    in_child(name, &hangs, || {
        let (elapsed_s, extra, timed) = sampled("transfer", &transfer(&[("host", "pinned")]), &[0]);
        assert!(elapsed_s > 0.0 && value(&extra, SecondaryMetric::Gated).is_none(), "{extra:?}");
        assert!(value(&extra, SecondaryMetric::Event).is_some(), "{extra:?}");
        assert_eq!(ids(&*timed), [expected]);
    });
}

#[test]
fn a_queue_that_hangs_behind_its_gate_costs_one_number() {
    hanging("cuda::a_queue_that_hangs_behind_its_gate_costs_one_number", "2", "gate-timed-out");
}

#[test]
fn a_gate_that_never_opens_is_noticed_before_anything_is_measured() {
    hanging("cuda::a_gate_that_never_opens_is_noticed_before_anything_is_measured", "1", "gate-hangs");
}

#[test]
fn launches_that_wait_leave_no_gate() {
    in_child("cuda::launches_that_wait_leave_no_gate", &[("CUDA_LAUNCH_BLOCKING", "1")], || {
        let (_, extra, timed) = sampled("transfer", &transfer(&[("host", "pinned")]), &[0]);
        assert!(value(&extra, SecondaryMetric::Gated).is_none(), "{extra:?}");
        assert_eq!(ids(&*timed), ["device-environment"]);
    });
}

#[test]
fn a_copy_that_loses_a_byte_is_a_wrong_answer() {
    in_child("cuda::a_copy_that_loses_a_byte_is_a_wrong_answer", &[("MOCK_CUDA_WRONG", "23")], || {
        let (_, _, mut timed) = sampled("transfer", &transfer(&[("host", "pinned")]), &[0]);
        let wrong = (0..23).filter_map(|_| timed.verify().ok()).find(|check| check.verdict == CheckVerdict::Fail);
        let note = wrong.expect("each 23rd copy is wrong").note;
        assert!(note.starts_with("byte ") && note.contains(" and should be 0x"), "{note}");
    });
}

#[test]
fn two_devices_on_one_link_share_it() {
    let shared = [TWO, &[("MOCK_CUDA_SHARED_BUS", "1")]].concat();
    in_child("cuda::two_devices_on_one_link_share_it", &shared, || {
        let point = transfer(&[("host", "pinned")]).with("devices", 2);
        let (elapsed_s, extra, mut timed) = sampled("transfer", &point, &[0, 1]);
        // Two devices move twice the bytes, and no faster than the link.
        assert!(elapsed_s > 0.99 * LOOPS as f64 * 2.0 * BYTES / 20e9, "{elapsed_s}");
        let overlap = value(&extra, SecondaryMetric::Overlap).expect("it is told");
        assert!(overlap > 0.0 && overlap <= 1.0, "{overlap}");
        assert!(
            value(&extra, MetricName::of_device("cuda0")).is_some()
                && value(&extra, MetricName::of_device("cuda1")).is_some(),
            "{extra:?}"
        );
        assert_eq!(timed.verify().expect("it copies").verdict, CheckVerdict::Pass);
    });
}

#[test]
fn a_device_copies_from_its_peer() {
    in_child("cuda::a_device_copies_from_its_peer", TWO, || {
        let (_, extra, mut timed) = sampled("peer_transfer", &transfer(&[("direction", "one")]), &[0, 1]);
        near(value(&extra, SecondaryMetric::Gated), LOOPS as f64 * (LATENCY_S + BYTES / 1000e9));
        assert_eq!(timed.verify().expect("it copies").verdict, CheckVerdict::Pass);
    });
}

#[test]
fn a_slow_link_and_clocks_held_down_are_told() {
    // Bit 2 of NVML's reasons is a power cap by software.
    let slow = [("MOCK_CUDA_LINK_GENERATION", "1"), ("MOCK_CUDA_THROTTLE", "4")];
    in_child("cuda::a_slow_link_and_clocks_held_down_are_told", &slow, || {
        let (_, _, timed) = sampled("transfer", &transfer(&[("host", "pinned")]), &[0]);
        assert_eq!(ids(&*timed), ["throttled", "narrow-link"]);
        let causes: Vec<String> = timed.caveats().into_iter().map(|caveat| caveat.cause).collect();
        assert!(causes[0].contains("sw_power_cap") && causes[1].starts_with("cuda0 runs at PCIe 1.0"), "{causes:?}");
    });
}

/// A product of which the units counted their clock.
fn counted_product() -> Box<dyn Timed> {
    let point = Point::new().with("n", 256_i64).with("devices", 1_i64);
    let mut timed = start("gpu_dgemm", &point, &engine(&[0])).expect("it multiplies");
    // A sample of more than 0.1 ms, whatever the product takes.
    let counted = (0..16).map(|doubling| 1 << doubling).any(|loops| {
        timed.time(loops, &Clock::monotonic()).expect("it multiplies");
        value(&timed.extra(), SecondaryMetric::DeviceClock).is_some()
    });
    assert!(counted, "no sample was long enough");
    timed
}

#[test]
fn a_clock_that_was_held_down_is_told_as_it_was_counted() {
    in_child("cuda::a_clock_that_was_held_down_is_told_as_it_was_counted", &[("MOCK_CUDA_THROTTLE", "4")], || {
        let causes: Vec<String> = counted_product().caveats().into_iter().map(|caveat| caveat.cause).collect();
        assert!(causes.iter().any(|cause| cause.contains("to 1.41 GHz of 1.50 GHz: sw_power_cap")), "{causes:?}");
    });
}

#[test]
fn a_reason_that_lingers_beside_a_full_clock_is_none() {
    let full = [("MOCK_CUDA_THROTTLE", "4"), ("MOCK_CUDA_UNIT_GHZ", "1.5")];
    in_child("cuda::a_reason_that_lingers_beside_a_full_clock_is_none", &full, || {
        assert!(!ids(&*counted_product()).contains(&"throttled".to_owned()));
    });
}

#[test]
fn the_clock_beside_a_product_is_what_the_units_counted() {
    in_child("cuda::the_clock_beside_a_product_is_what_the_units_counted", USUAL, || {
        let extra = counted_product().extra();
        near(value(&extra, SecondaryMetric::DeviceClock), 1.41e9);
        assert_eq!(value(&extra, SecondaryMetric::Power), None, "a driver's word lags behind: {extra:?}");
        assert!(value(&extra, SecondaryMetric::Limit).is_some(), "{extra:?}");
    });
}
