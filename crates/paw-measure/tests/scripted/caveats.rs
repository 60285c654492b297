//! What samples say against their own number.

use paw_data::cell::Combine;
use paw_data::method::Method;
use paw_data::outcome::Caveat;
use paw_data::run::{ClockKind, Instrument};
use paw_data::sample::{Sample, Samples};
use paw_data::secondary::SecondaryMetric;
use paw_measure::diagnostics::{EndedSeries, caveats};
use paw_measure::disturbance::Placement;

use crate::bench::preset;

/// Samples of one iteration each that took these milliseconds; a negative one was disturbed.
fn samples(times_ms: &[f64]) -> Samples {
    let mut samples = Samples::default();
    for ms in times_ms {
        samples.push(Sample { loops: 1, elapsed_s: ms.abs() * 1e-3, disturbed: *ms < 0.0, ..Sample::default() });
    }
    samples
}

fn found(method: &Method, samples: &Samples) -> Vec<Caveat> {
    found_of(Placement::Free, method, samples)
}

fn found_of(placement: Placement, method: &Method, samples: &Samples) -> Vec<Caveat> {
    let instrument = Instrument { id: 0, clock: ClockKind::Scripted, resolution_s: 1e-9, overhead_s: 20e-9, hz: None };
    let (combine, share) = (Combine::Single, 1.0);
    caveats(&EndedSeries { method, instrument: &instrument, placement, samples, combine, share })
}

/// Identifiers and causes of what is said of ten milliseconds of 100 round trips by the fastest of ranks of which the slowest takes `slowest_s`
/// for all, where clocks agree to within `bound_s` and a message takes `one_way_s` one way.
fn of_fastest(slowest_s: f64, bound_s: f64, one_way_s: f64) -> Vec<(String, String)> {
    let instrument = Instrument { id: 0, clock: ClockKind::Scripted, resolution_s: 1e-9, overhead_s: 20e-9, hz: None };
    let mut samples = Samples::default();
    for _ in 0..10 {
        let extra = [
            (SecondaryMetric::RankMin, 10e-3),
            (SecondaryMetric::RankMax, slowest_s),
            (SecondaryMetric::ClockBound, bound_s),
            (SecondaryMetric::OneWay, one_way_s),
        ];
        let extra = extra.map(|(metric, value)| (metric.into(), value)).into();
        samples.push(Sample { loops: 100, elapsed_s: 10e-3, extra, ..Sample::default() });
    }
    let (method, combine, share) = (preset("paw"), Combine::Fastest, 0.5);
    let placement = Placement::Counted;
    let ended = EndedSeries { method: &method, instrument: &instrument, placement, samples: &samples, combine, share };
    caveats(&ended).into_iter().map(|caveat| (caveat.id, caveat.cause)).collect()
}

#[test]
fn the_fastest_rank_is_said_to_hide_the_slowest_and_a_message_that_cannot_have_come() {
    assert_eq!(of_fastest(12e-3, 1e-6, 40e-6), []);
    let found = of_fastest(30e-3, 1e-6, 40e-6);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, "fastest-rank");
    assert!(found[0].1.contains("50.000 µs; the slowest took 150.000 µs"), "{}", found[0].1);
    let found = of_fastest(12e-3, 1e-6, 1e-3);
    assert!(found[0].0 == "fastest-rank" && found[0].1.contains("a message takes 1.000 ms one way"), "{found:?}");
}

#[test]
fn clocks_that_agree_less_well_than_the_times_between_them_are_long_are_a_caveat() {
    let found = of_fastest(12e-3, 600e-6, 40e-6);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, "clock-bound");
    assert!(found[0].1.contains("600.000 µs at most, 6.0 % of the 10.000 ms"), "{}", found[0].1);
}

fn check(method: &str, times_ms: &[f64], ids: &[&str]) {
    let found = found(&preset(method), &samples(times_ms));
    let seen: Vec<_> = found.iter().map(|caveat| caveat.id.as_str()).collect();
    assert_eq!(seen, ids, "{found:#?}");
    assert!(found.iter().all(|caveat| !caveat.cause.is_empty() && !caveat.action.is_empty()));
}

/// Sixteen quiet samples in no order.
const QUIET: [f64; 16] =
    [2.0, 2.002, 1.998, 2.001, 1.999, 2.003, 2.0, 1.997, 2.002, 2.001, 1.998, 2.0, 2.003, 1.999, 2.001, 1.998];

#[test]
fn quiet_samples_have_none() {
    check("adaptive", &QUIET, &[]);
}

#[test]
fn short_samples_are_told_by_the_name_of_their_cause() {
    let micro: Vec<f64> = QUIET.iter().map(|ms| ms * 1e-3).collect();
    check("adaptive", &micro, &["too-short"]);
    // The error of PAW's samples is measured where their loops are chosen.
    check("paw", &micro, &[]);
}

#[test]
fn threads_that_were_left_free_are_unpinned_once_more_than_a_quarter_of_the_samples_holds_a_move() {
    let mut moved = samples(&QUIET);
    moved.migrations[..4].fill(1);
    assert_eq!(found(&preset("adaptive"), &moved), []);
    moved.migrations[4] = 1;
    let found = found(&preset("adaptive"), &moved);
    assert_eq!(found[0].id, "unpinned");
    assert!(found[0].cause.contains("5 of 16"), "{}", found[0].cause);
}

#[test]
fn waits_are_part_of_the_number_of_a_method_that_counts_all_samples() {
    let mut waiting = samples(&QUIET[..10]);
    waiting.run_delay_s[..2].fill(1e-4);
    assert_eq!(found_of(Placement::Counted, &preset("paw"), &waiting), [], "a fifth of the samples");
    waiting.run_delay_s[2] = 1e-4;
    let found = found_of(Placement::Counted, &preset("paw"), &waiting);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].id, "waited");
    assert!(
        found[0].cause.contains("in 3 of 10 samples") && found[0].cause.contains("method paw"),
        "{}",
        found[0].cause
    );
    assert!(!found[0].cause.contains("program") && found[0].action.contains("--method adaptive"), "{:?}", found[0]);
    for placement in [Placement::Free, Placement::Pinned, Placement::Program] {
        assert_eq!(found_of(placement, &preset("paw"), &waiting), [], "{placement:?}");
    }
}
