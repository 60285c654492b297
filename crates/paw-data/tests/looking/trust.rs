//! The word for how far a number may be trusted, and the reasons.

use paw_data::method::{Estimator, Method};
use paw_data::outcome::{Caveat, Check, CheckVerdict, Status};
use paw_data::run::Record;
use paw_data::summary::Summary;
use paw_data::trust::{Reason, Trust, Trusted};

use crate::records::{csapp, disturbed, measured, method, record, steady};

fn trust(record: &Record, method: &Method) -> Trusted {
    Summary::of(record, method).unwrap().trust(record)
}

/// The word and the first reason as text.
fn check(record: &Record, method: &Method, word: &str, reason: &str) {
    let found = trust(record, method);
    assert_eq!(found.trust.word(), word, "{found:?}");
    let first = found.reasons.first().map(Reason::to_string).unwrap_or_default();
    assert_eq!(first, reason);
}

#[test]
fn a_steady_series_is_good_by_any_headline() {
    let mut steady = record(&steady(1e-3));
    steady.outcome = Some(measured());
    for method in [method(Estimator::Median), method(Estimator::Mean), csapp()] {
        assert_eq!(trust(&steady, &method), Trusted { trust: Trust::Good, reasons: vec![] });
    }
}

#[test]
fn the_width_of_the_interval_decides() {
    // Ranks 4 and 13 of 16 are the ends.
    let spread =
        |share: f64| -> Vec<f64> { (0..16).map(|i| 1.0 + share * (f64::from(i * 5 % 16) - 7.5) / 4.5).collect() };
    let median = method(Estimator::Median);
    assert_eq!(trust(&record(&spread(0.018)), &median).trust, Trust::Good);
    check(&record(&spread(0.05)), &median, "fair", "the median is known to ±5.0 % only");
    check(&record(&spread(0.2)), &median, "poor", "the median is known to ±20.0 % only");
}

#[test]
fn few_samples_are_fair_and_two_are_poor() {
    let median = method(Estimator::Median);
    check(&record(&[1.0; 5]), &median, "fair", "5 samples are too few for an interval");
    check(&record(&[1.0; 2]), &median, "poor", "2 samples are too few for an interval");
    check(&record(&[1.0; 2]), &csapp(), "poor", "only 2 samples agree with the best");
}

#[test]
fn what_the_record_says_of_itself_counts() {
    let median = method(Estimator::Median);
    let mut told = record(&steady(1.0));
    let mut outcome = measured();
    outcome.caveats.push(Caveat::new("governor", "the governor is powersave", "set it to performance"));
    told.outcome = Some(outcome.clone());
    check(&told, &median, "fair", "the governor is powersave");

    let check_of = |verdict| Check {
        method: "Freivalds".into(),
        error: 9.0,
        bound: 1.0,
        verdict,
        note: String::new(),
        accuracy: None,
    };
    outcome.check = Some(check_of(CheckVerdict::Warn));
    told.outcome = Some(outcome.clone());
    check(&told, &median, "fair", "the answer is less precise than it should be");
    outcome.check = Some(check_of(CheckVerdict::Fail));
    outcome.status = Status::Failed;
    told.outcome = Some(outcome);
    check(&told, &median, "poor", "the answer is wrong");
    assert_eq!(trust(&told, &median).reasons.len(), 3, "the caveat is kept, behind the graver reasons");
}

#[test]
fn a_contended_machine_is_fair_and_one_without_clean_samples_poor() {
    let median = method(Estimator::Median);
    let places: Vec<usize> = (0..5).collect();
    check(&disturbed(record(&steady(1.0)), &places), &median, "fair", "31 % of the samples were disturbed");
    let places: Vec<usize> = (0..14).collect();
    let expected = "88 % of the samples were disturbed, too many to leave out";
    check(&disturbed(record(&steady(1.0)), &places), &median, "poor", expected);
    assert_eq!(trust(&disturbed(record(&steady(1.0)), &[3]), &median).trust, Trust::Good);
}

#[test]
fn drift_matters_from_a_percent() {
    let growing = |by: f64| record(&(0..32).map(|i| 1.0 + by * f64::from(i) / 31.0).collect::<Vec<_>>());
    let median = method(Estimator::Median);
    assert_eq!(trust(&growing(0.005), &median).trust, Trust::Good);
    let found = trust(&growing(0.05), &median);
    let words: Vec<String> = found.reasons.iter().map(Reason::to_string).collect();
    assert_eq!(found.trust, Trust::Fair);
    assert_eq!(
        words,
        [
            "samples resemble their neighbours and are worth 2 independent ones: the median is known to ±2.4 % only",
            "times drifted by +2.5 % in the series",
        ]
    );
}

#[test]
fn two_modes_are_told_with_their_counts() {
    let times: Vec<f64> = (0..32).map(|i| if i * 7 % 16 < 3 { 4.8e-3 } else { 0.75e-3 }).collect();
    let expected = "times fall into two modes: 7.5000e-4 s x 26, 4.8000e-3 s x 6";
    check(&record(&times), &method(Estimator::Median), "fair", expected);
}

#[test]
fn a_minimum_is_judged_by_the_samples_that_agree_with_it() {
    let wide = Method { ending: method(Estimator::Min).ending, ..csapp() };
    check(&record(&[100.0, 103.0, 104.0, 104.5, 140.0]), &wide, "fair", "the best samples lie 4.5 % apart");
    check(&record(&[100.0, 103.0, 104.0, 120.0]), &wide, "poor", "only 3 samples agree with the best");
    let lone = trust(&record(&[90.0, 100.0, 100.0, 100.0, 100.0]), &wide);
    assert_eq!(lone.reasons, [Reason::Unconverged { agreeing: 1 }, Reason::LoneMinimum]);
}

#[test]
fn a_slow_start_spoils_a_mean_only() {
    let mut times = steady(1.0);
    times[0] = 1.5;
    times[1] = 1.2;
    check(&record(&times), &method(Estimator::Mean), "fair", "the first 2 samples look like warm-up");
    assert_eq!(trust(&record(&times), &method(Estimator::Median)).trust, Trust::Good);
}
