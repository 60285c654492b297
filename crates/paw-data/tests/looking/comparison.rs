//! Two records against each other.

use paw_data::comparison::{Comparison, MARGIN, Origin, Pairing};
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_stats::verdict::Verdict;

use crate::records::{disturbed, imported, record, steady};

/// Rounds that waver by a third, and the same rounds of a program that takes `ratio` times as long.
fn wavering(ratio: f64) -> Vec<f64> {
    (0..16).map(|i| ratio * (1.0 + 0.1 * f64::from(i * 3 % 4))).collect()
}

#[test]
fn rounds_of_one_group_are_paired() {
    for (ratio, verdict) in [(1.03, Verdict::Slower), (0.97, Verdict::Faster), (1.001, Verdict::Same)] {
        let (a, b) = (record(&wavering(1.0)), record(&wavering(ratio)));
        let found = Comparison::between(&a, &b, Origin::SameRun).unwrap();
        assert_eq!((found.verdict, found.pairing), (verdict, Pairing::Paired { rounds: 16 }));
        assert!((found.ratio - ratio).abs() < 1e-12 && found.interval.is_some() && !found.indicative());
        assert_eq!((found.label().as_str(), found.needed), ("paired, 16 rounds", None));
    }
}

#[test]
fn across_groups_and_runs_nothing_is_paired() {
    let (a, mut b) = (record(&wavering(1.0)), record(&wavering(1.03)));
    let other_run = Comparison::between(&a, &b, Origin::OtherRun).unwrap();
    b.cell.group = 2;
    let other_group = Comparison::between(&a, &b, Origin::SameRun).unwrap();
    assert_eq!(other_run, other_group);
    assert_eq!((other_run.pairing, other_run.verdict), (Pairing::Unpaired { runs: 1 }, Verdict::Inconclusive));
    assert_eq!(other_run.label(), "indicative: one run a side");
    assert!(other_run.indicative() && other_run.needed.is_some_and(|n| n > 16), "{other_run:?}");
}

#[test]
fn only_complete_clean_rounds_are_paired() {
    let a = disturbed(record(&[1.0, 1.0, 80.0, 1.0, 1.0, 1.0, 1.0, 1.0]), &[2]);
    let b = disturbed(record(&[2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 90.0]), &[6]);
    let found = Comparison::between(&a, &b, Origin::SameRun).unwrap();
    assert_eq!((found.pairing, found.ratio), (Pairing::Paired { rounds: 5 }, 2.0));
    assert_eq!((found.interval, found.verdict), (None, Verdict::Inconclusive), "five rounds have no interval");
}

#[test]
fn with_hardly_a_complete_round_all_times_are_compared() {
    let a = record(&steady(1.0));
    let mut b = record(&steady(1.2));
    for round in &mut b.samples.round[2..] {
        *round += 100;
    }
    let found = Comparison::between(&a, &b, Origin::SameRun).unwrap();
    assert_eq!((found.pairing, found.verdict), (Pairing::Unpaired { runs: 1 }, Verdict::Slower));
}

#[test]
fn several_runs_a_side_widen_the_margin_to_their_noise() {
    let side = |centers: [f64; 3]| centers.map(|c| record(&steady(c)));
    let (a, b) = (side([1.0, 1.05, 0.96]), side([1.03, 1.0, 1.06]));
    let found = Comparison::between_runs(&a.each_ref(), &b.each_ref(), 0.95, MARGIN).unwrap();
    assert!((found.margin - 0.05).abs() < 1e-3, "{found:?}");
    assert_eq!((found.label().as_str(), found.indicative()), ("3 runs a side", false));
    assert_ne!(found.verdict, Verdict::Slower, "three percent are within the noise between runs");
}

#[test]
fn another_margin_and_confidence_can_be_asked_for() {
    let (a, b) = (record(&wavering(1.0)), record(&wavering(1.03)));
    let found = Comparison::within(&a, &b, Origin::SameRun, 0.99, 0.05).unwrap();
    assert_eq!((found.verdict, found.margin), (Verdict::Same, 0.05));
    assert!(found.interval.unwrap().coverage >= 0.99);
}

#[test]
fn imported_rows_have_a_ratio_and_no_verdict() {
    let (mut a, mut b) = (record(&[]), record(&[]));
    assert_eq!(Comparison::between(&a, &b, Origin::OtherRun), None);
    a.imported_rate = Some(imported(500.0));
    b.imported_rate = Some(imported(1000.0));
    let found = Comparison::between(&a, &b, Origin::OtherRun).unwrap();
    assert_eq!((found.ratio, found.verdict, found.pairing), (0.5, Verdict::Inconclusive, Pairing::Numbers));
    assert_eq!((found.label().as_str(), found.indicative(), found.needed), ("indicative: no samples", true, None));

    // 1000 operations at 500 a second take two seconds; the samples take one.
    let found = Comparison::between(&a, &record(&steady(1.0)), Origin::OtherRun).unwrap();
    assert!((found.ratio - 0.5).abs() < 2e-3);
    a.imported_time = Some(imported(4.0));
    assert_eq!(Comparison::between(&a, &b, Origin::OtherRun).unwrap().ratio, 0.25);
}

#[test]
fn rates_without_known_work_are_compared_among_themselves_only() {
    let (mut a, mut b) = (record(&[]), record(&[]));
    for (row, rate) in [(&mut a, 100.0), (&mut b, 200.0)] {
        row.cell.work = Work::default();
        row.imported_rate = Some(imported(rate));
    }
    assert_eq!(Comparison::between(&a, &b, Origin::OtherRun).unwrap().ratio, 0.5);
    assert_eq!(Comparison::between(&a, &record(&steady(1.0)), Origin::OtherRun), None);
    a.cell.headline = Quantity::Time;
    assert_eq!(Comparison::between(&a, &b, Origin::OtherRun), None, "a rate of a time is nothing");
}
