//! A driver of known cost: paw measures the cost that it is set to.

use crate::place::{clock_s, headline_s, mocked, near, place, record, run};
use paw_data::secondary::SecondaryMetric;

/// Samples of a mebibyte, as many as let one of them be early on a busy machine.
const LARGE: &str = "--set n=262144 --reps 24 --quiet --out r";
const BYTES: f64 = 1_048_576.0;
/// A link so slow that the host's own copy behind it ends long before.
const SLOW: &str = "MOCK_CUDA_IN_GBS=0.5 MOCK_CUDA_OUT_GBS=0.4";
const IN: f64 = 0.5e9;
const OUT: f64 = 0.4e9;
/// The mock's default.
const LATENCY_S: f64 = 5e-6;

#[test]
fn copies_cost_what_the_link_is_set_to_cost() {
    let place = place();
    let ran = mocked(&place, SLOW, &format!("run gpu_in_pinned gpu_out_pinned gpu_inout_pinned {LARGE}"));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let run = run(&place);
    let (in_s, out_s) = (LATENCY_S + BYTES / IN, LATENCY_S + BYTES / OUT);
    // There and back is one iteration; its time is that of one way.
    for (name, expected_s) in [("gpu_in_pinned", in_s), ("gpu_out_pinned", out_s), ("gpu_inout_pinned", in_s + out_s)] {
        let record = record(&run, name, "cuda0");
        near(clock_s(record, SecondaryMetric::Event), expected_s, 0.01);
        near(clock_s(record, SecondaryMetric::Gated), expected_s, 0.01);
        near(headline_s(record), expected_s, 0.1);
    }
    let round_trip = &record(&run, "gpu_inout_pinned", "cuda0").cell.work;
    assert_eq!((round_trip.bytes, round_trip.operations), (2.0 * BYTES, 2.0));
}

#[test]
fn small_copies_show_their_latency_behind_a_gate() {
    let place = place();
    let ran = mocked(&place, "MOCK_CUDA_LATENCY_US=50", "run gpu_in_pinned --set n=128 --reps 24 --quiet --out r");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    near(clock_s(record(&run(&place), "gpu_in_pinned", "cuda0"), SecondaryMetric::Gated), 50e-6 + 512.0 / 20e9, 0.01);
}

#[test]
fn allocating_each_time_costs_the_allocation_and_the_release() {
    let place = place();
    let ran = mocked(
        &place,
        "MOCK_CUDA_ALLOC_US=900 MOCK_CUDA_FREE_US=600 MOCK_CUDA_PAGEABLE_GBS=0.5",
        "run phi_keep_al_in phi_alloc_al_in --set n=131072 --reps 24 --quiet --out r",
    );
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let run = run(&place);
    let copy_s = LATENCY_S + BYTES / 0.5e9;
    near(headline_s(record(&run, "phi_keep_al_in", "cuda0")), copy_s, 0.1);
    near(headline_s(record(&run, "phi_alloc_al_in", "cuda0")), 900e-6 + copy_s + 600e-6, 0.1);
    // Neither may stand behind a gate: one is pageable, the other frees.
    for name in ["phi_keep_al_in", "phi_alloc_al_in"] {
        assert!(!record(&run, name, "cuda0").samples.extra.contains_key(&SecondaryMetric::Gated.into()), "{name}");
    }
}

/// Rate of both devices together ÷ that of one.
fn scaling(settings: &str) -> f64 {
    let place = place();
    let ran = mocked(&place, &format!("MOCK_CUDA_DEVICES=2 {SLOW} {settings}"), &format!("run gpu_in_pinned {LARGE}"));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let run = run(&place);
    let rate = |provider: &str| {
        let record = record(&run, "gpu_in_pinned", provider);
        record.cell.work.bytes / headline_s(record)
    };
    let both = record(&run, "gpu_in_pinned", "cuda0+1");
    assert!(both.samples.extra[&SecondaryMetric::Overlap.into()].iter().all(|overlap| (0.0..=1.0).contains(overlap)));
    rate("cuda0+1") / rate("cuda0")
}

#[test]
fn two_devices_on_a_link_each_are_twice_as_fast_and_on_one_link_as_fast_as_one() {
    for (settings, expected) in [("", 2.0), ("MOCK_CUDA_SHARED_BUS=1", 1.0)] {
        // A busy machine keeps one device's thread from its processor: a run is repeated until its numbers hold, and the last has to.
        let is_near = |ratio: &f64| (ratio / expected - 1.0).abs() <= 0.1;
        let found = (0..5).map(|_| scaling(settings)).find(is_near);
        near(found.unwrap_or_else(|| scaling(settings)), expected, 0.1);
    }
}
