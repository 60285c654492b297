//! Statistics of samples, and their headline.

use paw_data::between_runs::BetweenRuns;
use paw_data::method::{EndRule, Estimator, Method};
use paw_data::quantity::Quantity;
use paw_data::summary::{Basis, Figure, Summary, headline, times_s};
use paw_data::trust::Reason;
use paw_data::work::Work;
use paw_stats::hierarchical::Scope;
use paw_stats::interval::Bounds;
use paw_stats::kbest::Agreement;
use paw_stats::stability::Grade;

use crate::records::{csapp, disturbed, imported, method, record};

/// Eight times whose median is 4 and whose 95 % interval is all of them.
const EIGHT: [f64; 8] = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];

#[test]
fn the_statistics_are_those_of_one_iteration() {
    let found = Summary::of(&record(&EIGHT), &method(Estimator::Median)).unwrap();
    assert_eq!((found.n, found.n_disturbed, found.basis), (8, 0, Basis::Clean));
    assert_eq!((found.min_s, found.median_s, found.mean_s, found.max_s), (2.0, 4.5, 5.0, 9.0));
    assert_eq!((found.sigma_pop_s, found.sigma_s), (2.0, Some((32.0f64 / 7.0).sqrt())));
    let interval = found.interval_s.unwrap();
    assert_eq!((interval.low, interval.high, found.scope), (2.0, 9.0, Scope::OneInvocation));
    assert_eq!(found.stability.unwrap().grade, Grade::Bad);
    assert_eq!((found.k_best.best, found.k_best.agreement), (2.0, Agreement::Unconverged));
    assert_eq!(found.modes, None);
}

#[test]
fn several_invocations_have_the_interval_over_them() {
    let mut measured = record(&[1.0, 1.0, 9.0, 2.0, 2.0, 2.0, 4.0]);
    measured.samples.invocation = vec![0, 0, 0, 1, 1, 1, 2];
    let found = Summary::of(&disturbed(measured.clone(), &[2]), &method(Estimator::Median)).unwrap();
    assert_eq!((found.median_s, found.scope, found.n), (2.0, Scope::Invocations(3), 6));
    // Logarithms 0, ln 2, ln 4: deviation ln 2; t = 4.302653 with two degrees of freedom.
    let interval = found.interval_s.unwrap();
    let reach = 4.302_653 * 2f64.ln() / 3f64.sqrt();
    assert!((interval.low - 2.0 * (-reach).exp()).abs() < 1e-5 && (interval.high - 2.0 * reach.exp()).abs() < 1e-4);
    measured.samples.invocation = vec![0, 0, 0, 1, 1, 1, 1];
    let found = Summary::of(&measured, &method(Estimator::Median)).unwrap();
    assert_eq!((found.interval_s, found.scope), (None, Scope::Invocations(2)), "two have none");
    assert_eq!(found.headline().low, None);
}

#[test]
fn every_view_has_the_interval_of_samples_that_resemble_their_neighbours() {
    let times: Vec<f64> = (0..32).map(|i| 1.0 + 0.01 * f64::from(i)).collect();
    let found = Summary::of(&record(&times), &method(Estimator::Median)).unwrap();
    // They are worth fewer than six: between ranks 10 and 23 they would lie within 6 %.
    assert_eq!(found.interval_s, Some(Bounds { low: times[0], high: times[31] }));
    let Figure { value, low, high } = found.headline();
    let half_width = (high.unwrap() - low.unwrap()) / (2.0 * value);
    let told = found.trust(&record(&times)).reasons.into_iter().find_map(|reason| match reason {
        Reason::WideInterval { half_width } => Some(half_width),
        _ => None,
    });
    assert!((told.unwrap() - half_width).abs() < 1e-12 && half_width > 0.13, "{told:?} of {half_width}");
}

#[test]
fn the_method_decides_the_headline() {
    let value = |estimator| Summary::of(&record(&EIGHT), &method(estimator)).unwrap().headline_s();
    assert_eq!([Estimator::Median, Estimator::Min, Estimator::Mean].map(value), [4.5, 2.0, 5.0]);
    for estimator in [Estimator::Median, Estimator::Min, Estimator::Mean] {
        let (record, method, between_runs) = (record(&EIGHT), method(estimator), BetweenRuns::VIRTUAL);
        let whole = Summary { between_runs, ..Summary::of(&record, &method).unwrap() };
        assert_eq!(headline(&record, &method, between_runs), Some(whole.headline()), "{estimator:?}");
    }
}

#[test]
fn a_rate_is_work_over_time_and_its_ends_change_places() {
    let found = Summary::of(&record(&EIGHT), &method(Estimator::Median)).unwrap();
    let expected = Figure { value: 1000.0 / 4.5, low: Some(1000.0 / 9.0), high: Some(500.0) };
    assert_eq!(found.headline(), expected);
    assert_eq!(found.rate(Quantity::Bytes).unwrap().value, 8000.0 / 4.5);
    assert_eq!(found.rate(Quantity::Messages), None);

    let mut timed = record(&EIGHT);
    timed.cell.headline = Quantity::Time;
    let found = Summary::of(&timed, &method(Estimator::Median)).unwrap().headline();
    assert_eq!(found, Figure { value: 4.5, low: Some(2.0), high: Some(9.0) });
}

#[test]
fn a_rate_is_never_a_mean_of_rates() {
    let found = Summary::of(&record(&[1.0, 4.0]), &method(Estimator::Mean)).unwrap().headline();
    assert_eq!(found, Figure { value: 400.0, low: None, high: None });
}

#[test]
fn a_minimum_is_known_up_to_the_last_sample_that_must_agree() {
    let found = Summary::of(&record(&[8.0, 16.0, 10.0, 9.0]), &csapp()).unwrap();
    assert_eq!(found.headline_interval_s(), Some((8.0, 10.0)));
    assert_eq!(found.headline(), Figure { value: 125.0, low: Some(100.0), high: Some(125.0) });
    assert_eq!(found.k_best.agreement, Agreement::Unconverged);
    let found = Summary::of(&record(&[8.0, 16.0]), &csapp()).unwrap();
    assert_eq!(found.headline_interval_s(), None);
}

#[test]
fn k_best_takes_its_numbers_from_the_method() {
    let times = [100.0, 101.0, 102.0, 104.0, 130.0];
    let agreement = |method: &Method| Summary::of(&record(&times), method).unwrap().k_best.agreement;
    assert_eq!(agreement(&method(Estimator::Min)), Agreement::Valid, "4 within 5 %");
    assert_eq!(agreement(&csapp()), Agreement::Unconverged, "3 within 1 %");
    let ending = EndRule::KBest { k: 4, within: 0.05, min: 16, max: 32, best_counts: false };
    assert_eq!(agreement(&Method { ending, ..csapp() }), Agreement::Unconverged, "4 besides the best");
}

#[test]
fn disturbed_samples_are_counted_and_left_out() {
    let found = Summary::of(&disturbed(record(&[1.0, 50.0, 1.0, 1.0]), &[1]), &method(Estimator::Median)).unwrap();
    assert_eq!((found.n, found.n_disturbed, found.basis, found.max_s), (3, 1, Basis::Clean, 1.0));
    assert_eq!(found.disturbed_share(), 0.25);
}

#[test]
fn where_too_few_are_clean_all_count() {
    let record = disturbed(record(&[1.0, 50.0, 1.0, 60.0]), &[1, 3]);
    let found = Summary::of(&record, &method(Estimator::Median)).unwrap();
    assert_eq!((found.n, found.n_disturbed, found.basis, found.max_s), (4, 2, Basis::All, 60.0));
    assert_eq!(found.disturbed_share(), 0.5);
    assert_eq!(times_s(&record.samples), (vec![1.0, 50.0, 1.0, 60.0], Basis::All));
}

#[test]
fn one_sample_has_a_value_without_an_interval() {
    let found = Summary::of(&record(&[2.0]), &method(Estimator::Median)).unwrap();
    assert_eq!((found.basis, found.sigma_s, found.interval_s), (Basis::Clean, None, None));
    assert_eq!(found.headline(), Figure { value: 500.0, low: None, high: None });
}

#[test]
fn no_samples_and_broken_times_have_no_summary() {
    let of = |times: &[f64]| Summary::of(&record(times), &method(Estimator::Median));
    assert_eq!(of(&[]), None);
    assert_eq!(of(&[1.0, f64::NAN]), None);
    assert_eq!(of(&[1.0, -1.0]), None);
    let mut without_loops = record(&[0.0]);
    without_loops.samples.loops[0] = 0;
    assert_eq!(Summary::of(&without_loops, &method(Estimator::Median)), None);
}

#[test]
fn the_flags_are_those_of_the_series() {
    let slow_start: Vec<f64> = (0..20).map(|i| if i < 2 { 1.5 } else { 1.0 + 1e-3 * f64::from(i % 3) }).collect();
    assert_eq!(Summary::of(&record(&slow_start), &method(Estimator::Mean)).unwrap().slow_start, 2);
    let growing: Vec<f64> = (0..16).map(|i| 1.0 + 0.01 * f64::from(i)).collect();
    let found = Summary::of(&record(&growing), &method(Estimator::Median)).unwrap();
    assert!(found.drift.unwrap().flagged && found.autocorrelation.unwrap().flagged);
    let two: Vec<f64> = (0..16).map(|i| if i % 3 == 0 { 1.2 } else { 1.0 } + 1e-3 * f64::from(i % 4)).collect();
    let modes = Summary::of(&record(&two), &method(Estimator::Median)).unwrap().modes.unwrap();
    assert_eq!((modes.low.count, modes.high.count), (10, 6));
}

#[test]
fn an_imported_row_has_a_headline_without_an_interval() {
    let value = |record: &_, estimator| {
        headline(record, &method(estimator), BetweenRuns::UNKNOWN).map(|f| (f.value, f.low, f.high))
    };
    let mut row = record(&[]);
    assert_eq!(value(&row, Estimator::Mean), None);
    row.imported_time = Some(Box::new(imported(2.0)));
    assert_eq!(value(&row, Estimator::Mean), Some((500.0, None, None)));
    assert_eq!(value(&row, Estimator::Min), Some((1000.0 / 1.8, None, None)));
    row.imported_rate = Some(Box::new(imported(400.0)));
    assert_eq!(value(&row, Estimator::Median), Some((400.0, None, None)), "a rate stays what the file says");
    assert_eq!(value(&row, Estimator::Min), Some((480.0, None, None)), "the best time is the highest rate");
    row.cell.headline = Quantity::Time;
    assert_eq!(value(&row, Estimator::Mean), Some((2.0, None, None)));
    let sampled = record(&EIGHT);
    assert_eq!(value(&sampled, Estimator::Median).unwrap().0, 1000.0 / 4.5);
}

#[test]
fn times_are_those_of_one_operation_and_rates_those_of_the_whole_iteration() {
    let mut record = record(&[4.0, 4.0, 4.0]);
    record.cell.work = Work { bytes: 800.0, operations: 2.0, ..Work::default() };
    record.cell.headline = Quantity::Time;
    let there_and_back = Summary::of(&record, &method(Estimator::Median)).unwrap();
    assert_eq!(there_and_back.headline().value, 2.0, "a message there and one back: one takes half");
    assert_eq!(there_and_back.rate(Quantity::Bytes).unwrap().value, 200.0);
    assert_eq!(there_and_back.median_s, 4.0, "samples stay those of iterations");
}
