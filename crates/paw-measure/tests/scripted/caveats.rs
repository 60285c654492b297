//! What samples say against their own number.

use paw_data::method::Method;
use paw_data::outcome::{Caveat, Ending};
use paw_data::run::{ClockKind, Instrument};
use paw_data::sample::{Sample, Samples};
use paw_measure::diagnostics::{Ended, caveats};
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

fn found(method: &Method, samples: &Samples, ending: Ending) -> Vec<Caveat> {
    found_of(Placement::Free, method, samples, ending)
}

fn found_of(placement: Placement, method: &Method, samples: &Samples, ending: Ending) -> Vec<Caveat> {
    let instrument = Instrument { id: 0, clock: ClockKind::Scripted, resolution_s: 1e-9, overhead_s: 20e-9, hz: None };
    let driving = samples.clean_per_loop_s();
    caveats(&Ended { method, instrument: &instrument, placement, samples, driving: &driving, ending })
}

fn check(method: &str, times_ms: &[f64], ending: Ending, ids: &[&str]) {
    let found = found(&preset(method), &samples(times_ms), ending);
    let seen: Vec<_> = found.iter().map(|caveat| caveat.id.as_str()).collect();
    assert_eq!(seen, ids, "{found:#?}");
    assert!(found.iter().all(|caveat| !caveat.cause.is_empty() && !caveat.action.is_empty()));
}

/// Sixteen quiet samples in no order.
const QUIET: [f64; 16] =
    [2.0, 2.002, 1.998, 2.001, 1.999, 2.003, 2.0, 1.997, 2.002, 2.001, 1.998, 2.0, 2.003, 1.999, 2.001, 1.998];

#[test]
fn quiet_samples_have_none() {
    check("adaptive", &QUIET, Ending::Converged, &[]);
}

#[test]
fn an_interval_too_wide_says_how_many_samples_are_missing() {
    let times: Vec<f64> = (0..32).map(|i| [0.9375, 1.0625, 1.0625, 0.9375][i % 4]).collect();
    let found = found(&preset("adaptive"), &samples(&times), Ending::NoisyStable);
    let caveat = found.iter().find(|caveat| caveat.id == "unconverged").expect("±6 % is not ±1 %");
    assert!(caveat.cause.contains("±6.3 %") && caveat.cause.contains("1219 more"), "{}", caveat.cause);
}

#[test]
fn k_best_that_timed_out_says_by_how_much() {
    let times: Vec<f64> = (0..32).map(|i| 1.1_f64.powi((i * 13) % 32)).collect();
    let found = found(&preset("kbest"), &samples(&times), Ending::Timeout);
    let caveat = found.iter().find(|caveat| caveat.id == "unconverged").expect("the fourth best is 33 % above");
    assert!(caveat.cause.contains("33.1 %"), "{}", caveat.cause);
}

#[test]
fn fewer_than_six_samples_have_no_interval() {
    check("csapp", &QUIET[..3], Ending::Valid, &["few-samples"]);
}

#[test]
fn a_budget_that_ran_out_is_told() {
    check("paw", &QUIET[..8], Ending::Budget, &["budget"]);
}

#[test]
fn short_samples_are_told_by_the_name_of_their_cause() {
    let micro: Vec<f64> = QUIET.iter().map(|ms| ms * 1e-3).collect();
    check("adaptive", &micro, Ending::Converged, &["too-short"]);
    // The error of PAW's samples is measured where their loops are chosen.
    check("paw", &micro, Ending::Complete, &[]);
}

#[test]
fn a_quarter_of_disturbed_samples_is_contention() {
    let mut times = QUIET.to_vec();
    times.extend([-9.0; 5]);
    check("adaptive", &times, Ending::Converged, &[]);
    times.push(-9.0);
    check("adaptive", &times, Ending::Converged, &["contended"]);
}

#[test]
fn disturbed_samples_do_not_speak() {
    let mut times: Vec<f64> = QUIET.to_vec();
    times.insert(0, -40.0);
    check("adaptive", &times, Ending::Converged, &[]);
}

#[test]
fn a_lone_fastest_sample_is_luck_where_the_minimum_counts() {
    let mut times = QUIET.to_vec();
    times[7] = 1.85;
    check("kbest", &times, Ending::Valid, &["lucky-minimum"]);
    check("adaptive", &times, Ending::Converged, &[]);
}

#[test]
fn two_speeds_are_told_with_their_counts() {
    let times: Vec<f64> =
        QUIET.iter().enumerate().map(|(i, ms)| if [2, 3, 7, 8, 13].contains(&i) { ms * 1.08 } else { *ms }).collect();
    let found = found(&preset("adaptive"), &samples(&times), Ending::Converged);
    assert_eq!(found.iter().map(|caveat| caveat.id.as_str()).collect::<Vec<_>>(), ["bimodal"]);
    assert!(found[0].cause.contains("2.000 ms × 11") && found[0].cause.contains("2.159 ms × 5"), "{}", found[0].cause);
}

#[test]
fn warm_up_that_slipped_in_is_told_once() {
    let mut times = QUIET.to_vec();
    times[..3].copy_from_slice(&[2.1, 2.05, 2.03]);
    check("adaptive", &times, Ending::Converged, &["warm-up"]);
}

#[test]
fn a_median_far_above_the_minimum_is_noise() {
    let times: Vec<f64> = (0..16).map(|i| 2.0 * (1.0 + 0.02 * f64::from((i * 7) % 16))).collect();
    check("meta31", &times, Ending::Complete, &["noisy"]);
}

#[test]
fn threads_that_moved_are_told_only_where_they_were_free() {
    let mut moved = samples(&QUIET);
    moved.migrations[3] = 1;
    let found = found(&preset("adaptive"), &moved, Ending::Converged);
    assert_eq!(found[0].id, "unpinned");
    assert!(found[0].cause.contains("1 of 16"), "{}", found[0].cause);
}

#[test]
fn neighbours_that_resemble_each_other_are_told_where_the_interval_suffers() {
    let wave = [0.0, 1.0, 2.0, 3.0, 2.0, 1.0, 0.0, -1.0, -2.0, -3.0, -2.0, -1.0];
    let slow: Vec<f64> = (0..36).map(|i| 2.0 + 0.03 * wave[i % 12]).collect();
    check("meta31", &slow, Ending::Complete, &["autocorrelated"]);
    let slight: Vec<f64> = (0..36).map(|i| 2.0 + 0.0003 * wave[i % 12]).collect();
    check("meta31", &slight, Ending::Complete, &[]);
}

#[test]
fn a_program_that_often_waited_for_a_processor_is_told_of() {
    let mut samples = samples(&QUIET);
    let ids = |samples: &Samples, placement| {
        let found = found_of(placement, &preset("kbest"), samples, Ending::Valid);
        found.into_iter().map(|caveat| caveat.id).collect::<Vec<_>>()
    };
    samples.run_delay_s[..4].fill(1e-3);
    assert!(ids(&samples, Placement::Program).is_empty(), "a quarter is not often");
    samples.run_delay_s[4] = 1e-3;
    assert_eq!(ids(&samples, Placement::Program), ["waited"]);
    assert!(ids(&samples, Placement::Free).is_empty(), "where samples are left out, they are counted as disturbed");
}
