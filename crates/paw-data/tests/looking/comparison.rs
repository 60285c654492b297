//! Two records against each other.

use paw_data::comparison::{CONFIDENCE, Comparison, MARGIN, Origin, Pairing};
use paw_data::quantity::Quantity;
use paw_data::run::Record;
use paw_data::work::Work;
use paw_stats::rng::Rng;
use paw_stats::verdict::{Doubt, Size, Verdict};

use crate::records::{disturbed, imported, record, sample, steady};

/// Rounds that waver by a third, and the same rounds of a program that takes `ratio` times as long.
fn wavering(ratio: f64) -> Vec<f64> {
    (0..16).map(|i| ratio * (1.0 + 0.1 * f64::from(i * 3 % 4))).collect()
}

/// The record with its samples taken in so many invocations, one after the other.
fn over(mut record: Record, invocations: u32) -> Record {
    let n = record.samples.len() as u32;
    record.samples.invocation = (0..n).map(|i| i * invocations / n).collect();
    record
}

fn doubt(found: Comparison) -> Doubt {
    assert!(!found.verdict.is_claim(), "{found:?}");
    found.verdict.doubt().unwrap_or_else(|| panic!("{found:?}"))
}

#[test]
fn rounds_of_one_group_are_paired_over_invocations() {
    for (ratio, verdict) in [
        (1.03, Verdict::Slower(Size::Beyond)),
        (0.97, Verdict::Faster(Size::Beyond)),
        (1.001, Verdict::Slower(Size::Within)),
        (1.0, Verdict::Same),
    ] {
        let (a, b) = (over(record(&wavering(1.0)), 4), over(record(&wavering(ratio)), 4));
        let found = Comparison::between(&a, &b, Origin::SameRun).unwrap();
        assert_eq!((found.verdict, found.pairing), (verdict, Pairing::Paired { rounds: 16, invocations: 4 }));
        assert!((found.ratio - ratio).abs() < 1e-12 && found.interval.is_some() && found.decides());
        assert_eq!((found.label().as_str(), found.needed), ("16 rounds of 4 invocations", None));
    }
}

#[test]
fn one_process_a_side_decides_only_what_processes_do_not_differ_by() {
    for (ratio, word) in [(1.0, "INCONCLUSIVE"), (1.04, "INCONCLUSIVE"), (1.06, "SLOWER"), (0.94, "FASTER")] {
        let (a, b) = (record(&wavering(1.0)), record(&wavering(ratio)));
        let found = Comparison::between(&a, &b, Origin::SameRun).unwrap();
        assert_eq!(found.verdict.word(), word, "{ratio}");
        assert_eq!(
            (found.pairing, found.label().as_str()),
            (Pairing::Paired { rounds: 16, invocations: 1 }, "16 rounds")
        );
    }
    let found = Comparison::between(&record(&wavering(1.0)), &record(&wavering(1.04)), Origin::SameRun).unwrap();
    assert_eq!(doubt(found), Doubt::OneInvocation { percent: 5 });
    let two = Comparison::between(&over(record(&wavering(1.0)), 2), &over(record(&wavering(9.0)), 2), Origin::SameRun);
    assert_eq!(doubt(two.unwrap()), Doubt::FewInvocations { found: 2, needed: 3 });
}

/// Half an interval shrinks with the root of the invocations: `(half ÷ distance to what decides)²` times as many are needed.
#[test]
fn a_wide_interval_says_how_many_invocations_would_decide() {
    let ratios = [1.0, 1.04, 0.97, 1.03];
    let times: Vec<f64> = (0..16).map(|i| ratios[i / 4] * (1.0 + 0.1 * (i * 3 % 4) as f64)).collect();
    let found =
        Comparison::between(&over(record(&wavering(1.0)), 4), &over(record(&times), 4), Origin::SameRun).unwrap();
    let interval = found.interval.unwrap();
    let (half, distance) = ((interval.high / interval.low).ln() / 2.0, found.ratio.ln().abs());
    assert!(distance > MARGIN / 2.0, "the nearer of 1 and the margin is 1 away: {found:?}");
    assert_eq!(doubt(found), Doubt::Wide);
    assert_eq!(found.needed, Some((4.0 * (half / distance).powi(2)).ceil() as usize));
}

#[test]
fn a_program_is_a_new_process_in_every_round() {
    let program = |ratio| {
        let mut record = record(&wavering(ratio));
        record.cell.suite = "app".into();
        record
    };
    let found = Comparison::between(&program(1.0), &program(1.02), Origin::SameRun).unwrap();
    assert_eq!((found.verdict, found.label().as_str()), (Verdict::Slower(Size::Beyond), "16 rounds"));
    let found = Comparison::between(&program(1.0), &program(1.0), Origin::SameRun).unwrap();
    assert_eq!(found.verdict, Verdict::Same);
}

#[test]
fn across_groups_nothing_is_decided_and_one_run_a_side_has_no_verdict() {
    let (a, mut b) = (record(&wavering(1.0)), record(&wavering(3.0)));
    let found = Comparison::between(&a, &b, Origin::OtherRun).unwrap();
    assert_eq!((found.pairing, found.interval), (Pairing::Runs { a: 1, b: 1 }, None));
    assert_eq!((doubt(found), found.decides()), (Doubt::FewRuns { runs: 1, needed: 3 }, false));
    assert!((found.ratio - 3.0).abs() < 1e-12 && found.label() == "one run a side");
    b.cell.group = 2;
    assert_eq!(doubt(Comparison::between(&a, &b, Origin::SameRun).unwrap()), Doubt::Apart);
}

#[test]
fn only_complete_clean_rounds_are_paired_and_too_few_decide_nothing() {
    let a = disturbed(record(&[1.0, 1.0, 80.0, 1.0, 1.0, 1.0, 1.0, 1.0]), &[2]);
    let b = disturbed(record(&[2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 90.0]), &[6]);
    let found = Comparison::between(&a, &b, Origin::SameRun).unwrap();
    assert_eq!((found.pairing, found.ratio), (Pairing::Paired { rounds: 5, invocations: 1 }, 2.0));
    assert_eq!((found.interval, doubt(found)), (None, Doubt::FewRounds { clean: 5, of: 7, needed: 8 }));
    assert_eq!(found.needed, Some(8));
}

#[test]
fn without_a_clean_round_in_common_there_is_a_ratio_and_no_verdict() {
    let (a, mut b) = (record(&steady(1.0)), record(&steady(3.0)));
    b = disturbed(b, &(0..16).collect::<Vec<_>>());
    let found = Comparison::between(&a, &b, Origin::SameRun).unwrap();
    assert_eq!(doubt(found), Doubt::FewRounds { clean: 0, of: 16, needed: 8 });
    for round in &mut b.samples.round {
        *round += 100;
    }
    let found = Comparison::between(&a, &b, Origin::SameRun).unwrap();
    assert_eq!((doubt(found), found.interval), (Doubt::FewRounds { clean: 0, of: 0, needed: 8 }, None));
    assert!((found.ratio - 3.0).abs() < 1e-9);
}

#[test]
fn a_sample_taken_again_counts_in_place_of_the_disturbed_one() {
    let a = record(&steady(1.0));
    let mut b = disturbed(record(&steady(2.0)), &[15]);
    b.samples.push(sample(15, 2.0));
    b = disturbed(b, &[3]);
    assert_eq!(Comparison::between(&a, &b, Origin::SameRun).unwrap().label(), "15 rounds");
}

#[test]
fn rounds_of_one_invocation_are_not_paired_with_those_of_another() {
    let (a, mut b) = (record(&steady(1.0)), record(&steady(3.0)));
    b.samples.invocation = vec![1; 16];
    let found = Comparison::between(&a, &b, Origin::SameRun).unwrap();
    assert_eq!(doubt(found), Doubt::FewRounds { clean: 0, of: 0, needed: 8 });
}

#[test]
fn samples_of_different_lengths_decide_nothing() {
    let (a, mut b) = (record(&steady(1.0)), record(&steady(3.0)));
    b.samples.loops = vec![8; 16];
    let found = Comparison::between(&a, &b, Origin::SameRun).unwrap();
    assert_eq!((doubt(found), found.label().as_str()), (Doubt::UnequalLoops, "0 rounds"));
    b.samples.loops[..8].fill(4);
    let found = Comparison::between(&a, &b, Origin::SameRun).unwrap();
    assert_eq!((found.verdict.word(), found.label().as_str()), ("SLOWER", "8 rounds"), "the others count");
}

#[test]
fn three_runs_a_side_decide_by_what_differs_from_run_to_run() {
    let side = |centers: [f64; 3]| centers.map(|c| record(&steady(c)));
    let compare = |a: &[Record; 3], b: &[Record; 3]| {
        Comparison::between_runs(&a.each_ref(), &b.each_ref(), CONFIDENCE, MARGIN).unwrap()
    };
    let (a, b) = (side([1.0, 1.05, 0.96]), side([1.03, 1.0, 1.06]));
    let found = compare(&a, &b);
    assert_eq!((found.verdict, found.label().as_str()), (Verdict::Inconclusive(Doubt::Wide), "3 runs a side"));
    assert!(found.needed.is_some_and(|n| n > 3));
    assert_eq!(compare(&a, &side([2.0, 2.1, 1.92])).verdict, Verdict::Slower(Size::Beyond));
    assert_eq!(compare(&side([1.0; 3]), &side([1.002; 3])).verdict, Verdict::Slower(Size::Within));
    let found = Comparison::between_runs(&a.each_ref(), &b.each_ref()[..2], CONFIDENCE, MARGIN).unwrap();
    assert_eq!(
        (found.verdict, found.label().as_str()),
        (Verdict::Inconclusive(Doubt::FewRuns { runs: 2, needed: 3 }), "3 runs against 2")
    );
}

#[test]
fn another_margin_and_confidence_can_be_asked_for() {
    let (a, b) = (over(record(&wavering(1.0)), 4), over(record(&wavering(1.03)), 4));
    let found = Comparison::within(&a, &b, Origin::SameRun, 0.999, 0.05).unwrap();
    assert_eq!((found.verdict, found.margin), (Verdict::Slower(Size::Within), 0.05));
}

/// Processes with a deviation of 1 % between them, alternating in the rounds of a busy machine: equal programs.
#[test]
fn equal_programs_are_called_different_once_in_a_hundred_comparisons() {
    for invocations in [1, 3, 5] {
        let mut claims = 0;
        let trials = 1000;
        for seed in 0..trials {
            let mut rng = Rng::new(seed);
            let side = |rng: &mut Rng| {
                let effects: Vec<f64> = (0..invocations).map(|_| (0.01 * rng.normal()).exp()).collect();
                let times: Vec<f64> =
                    (0..30).map(|i| effects[i * invocations / 30] * (1.0 + 0.01 * rng.normal().exp())).collect();
                let busy: Vec<usize> = (0..30).filter(|_| rng.uniform() < 0.5).collect();
                over(disturbed(record(&times), &busy), invocations as u32)
            };
            let (a, b) = (side(&mut rng), side(&mut rng));
            claims += u32::from(Comparison::between(&a, &b, Origin::SameRun).unwrap().verdict.is_claim());
        }
        assert!(f64::from(claims) <= 0.015 * trials as f64, "{invocations}: {claims} of {trials}");
    }
}

#[test]
fn imported_rows_have_a_ratio_and_no_verdict() {
    let (mut a, mut b) = (record(&[]), record(&[]));
    assert_eq!(Comparison::between(&a, &b, Origin::OtherRun), None);
    a.imported_rate = Some(Box::new(imported(500.0)));
    b.imported_rate = Some(Box::new(imported(1000.0)));
    let found = Comparison::between(&a, &b, Origin::OtherRun).unwrap();
    assert_eq!((found.ratio, found.pairing, found.decides()), (0.5, Pairing::Runs { a: 1, b: 1 }, false));
    assert_eq!((found.label().as_str(), found.interval, found.needed), ("one run a side", None, None));

    // 1000 operations at 500 a second take two seconds; the samples take one.
    let found = Comparison::between(&a, &record(&steady(1.0)), Origin::OtherRun).unwrap();
    assert!((found.ratio - 0.5).abs() < 2e-3);
    a.imported_time = Some(Box::new(imported(4.0)));
    assert_eq!(Comparison::between(&a, &b, Origin::OtherRun).unwrap().ratio, 0.25);
}

#[test]
fn rates_without_known_work_are_compared_among_themselves_only() {
    let (mut a, mut b) = (record(&[]), record(&[]));
    for (row, rate) in [(&mut a, 100.0), (&mut b, 200.0)] {
        row.cell.work = Work::default();
        row.imported_rate = Some(Box::new(imported(rate)));
    }
    assert!((Comparison::between(&a, &b, Origin::OtherRun).unwrap().ratio - 0.5).abs() < 1e-12);
    assert_eq!(Comparison::between(&a, &record(&steady(1.0)), Origin::OtherRun), None);
    a.cell.headline = Quantity::Time;
    assert_eq!(Comparison::between(&a, &b, Origin::OtherRun), None, "a rate of a time is nothing");
}
