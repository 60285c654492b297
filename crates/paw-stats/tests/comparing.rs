//! Ratios and what is said of them, on values made by hand.

use paw_stats::comparison::{between_runs, bonferroni, paired, paired_invocations, rounds_needed, unpaired};
use paw_stats::hierarchical::Scope;
use paw_stats::interval::{Bounds, fewest};
use paw_stats::verdict::{Doubt, Size, Verdict};

/// Times of `n` rounds that waver by a fifth.
fn rounds(n: u32) -> Vec<f64> {
    (0..n).map(|i| 1.0 + 0.2 * f64::from(i * 7 % 5) / 4.0).collect()
}

/// The same rounds of a program whose time is `ratio` times as long, ± `own` noise of its own.
fn other(a: &[f64], ratio: f64, own: f64) -> Vec<f64> {
    a.iter().enumerate().map(|(i, t)| t * ratio * (1.0 + own * (i % 3) as f64 - own)).collect()
}

#[test]
fn pairing_sees_through_what_rounds_share() {
    let a = rounds(16);
    for (ratio, verdict) in [
        (1.05, Verdict::Slower(Size::Beyond)),
        (0.95, Verdict::Faster(Size::Beyond)),
        (1.005, Verdict::Slower(Size::Within)),
        (1.0, Verdict::Same),
    ] {
        let found = paired(&a, &other(&a, ratio, 0.001), 0.95).unwrap();
        assert_eq!(found.verdict(0.01), verdict, "{ratio}");
        assert!((found.value / ratio - 1.0).abs() < 2e-3, "{found:?}");
    }
    let apart = unpaired(&a, &other(&a, 1.02, 0.001), 0.95).unwrap();
    assert_eq!(apart.verdict(0.01), Verdict::Inconclusive(Doubt::Wide), "unpaired, the waver hides two percent");
}

#[test]
fn exchanging_both_inverts_the_ratio() {
    let a = rounds(20);
    let b = other(&a, 1.07, 0.01);
    for compare in [paired, unpaired] {
        let (forth, back) = (compare(&a, &b, 0.95).unwrap(), compare(&b, &a, 0.95).unwrap());
        assert!((forth.value * back.value - 1.0).abs() < 1e-12);
        let (forth, back) = (forth.interval.unwrap(), back.interval.unwrap());
        assert!((forth.low * back.high - 1.0).abs() < 1e-12 && (forth.high * back.low - 1.0).abs() < 1e-12);
    }
}

#[test]
fn too_few_rounds_have_a_ratio_but_no_verdict() {
    let found = paired(&[1.0, 1.0, 1.0], &[2.0, 2.0, 2.0], 0.95).unwrap();
    let verdict = Verdict::Inconclusive(Doubt::NoInterval);
    assert_eq!((found.value, found.interval, found.verdict(0.01)), (2.0, None, verdict));
    assert_eq!((fewest(0.95), fewest(0.99), fewest(0.995)), (6, 8, 9));
    assert_eq!(unpaired(&[1.0; 3], &[2.0; 3], 0.95).unwrap().interval, None, "three a side do not reach 95 %");
    assert!(unpaired(&[1.0; 4], &[2.0; 4], 0.95).unwrap().interval.is_some());
}

#[test]
fn an_open_verdict_says_how_many_rounds_it_takes() {
    // Half width ln 1.02: as much again from 1.02 to 1, so that one round more would do.
    let interval = Bounds { low: 1.0, high: 1.0404 };
    assert_eq!(rounds_needed(1.02, interval, 16, 0.01), Some(17));
    // From 1.005 it is ln 1.005 down to 1, or a little less up to the margin: 3.97 times as narrow.
    let half = (1.04f64.ln() / 2.0 / 1.005f64.ln()).powi(2);
    let interval = Bounds { low: 1.0, high: 1.04 };
    assert_eq!(rounds_needed(1.005, interval, 16, 0.01), Some((16.0 * half).ceil() as usize));
    assert_eq!(
        rounds_needed(1.0, Bounds { low: 1e-3, high: 1e3 }, 16, 1e-4),
        None,
        "nobody waits for ten million rounds"
    );
}

#[test]
fn a_ratio_over_invocations_is_that_of_their_medians() {
    let a: [&[f64]; 3] = [&[1.0, 2.0, 4.0], &[1.0], &[3.0, 3.0]];
    let b: [&[f64]; 3] = [&[1.1, 2.2, 40.0], &[1.1], &[3.3, 3.3]];
    let found = paired_invocations(&a, &b, 0.99).unwrap();
    assert_eq!(found.scope, Scope::Invocations(3));
    assert!((found.value / 1.1 - 1.0).abs() < 1e-12);
    let interval = found.interval.unwrap();
    assert!((interval.low / 1.1 - 1.0).abs() < 1e-9 && (interval.high / 1.1 - 1.0).abs() < 1e-9);
    assert_eq!(paired_invocations(&a[..2], &b[..2], 0.99).unwrap().interval, None);
    assert_eq!(paired_invocations(&a, &b[..2], 0.99), None);
    assert_eq!(paired_invocations(&[&[1.0]], &[&[1.0, 2.0]], 0.99), None);
}

#[test]
fn runs_decide_from_three_a_side_on() {
    assert_eq!(between_runs(&[1.0, 1.0], &[2.0, 2.0, 2.0], 0.99), Some((2.0, None)));
    // Logarithms 0, ±0.01 and 0.05 more: Welch's t with four degrees of freedom, 4.604 · 0.01 · √(2/3).
    let side = |center: f64| [-0.01f64, 0.0, 0.01].map(|d| (center + d).exp());
    let (value, interval) = between_runs(&side(0.0), &side(0.05), 0.99).unwrap();
    let reach = 4.604_095 * 0.01 * (2.0f64 / 3.0).sqrt();
    assert!((value.ln() - 0.05).abs() < 1e-12);
    assert!((interval.unwrap().low.ln() - (0.05 - reach)).abs() < 1e-6);
    // Five a side have ranks: 99 % is the range of all quotients.
    let (a, b) = ([1.0, 1.01, 1.02, 1.03, 1.04], [1.1, 1.11, 1.12, 1.13, 1.14]);
    let interval = between_runs(&a, &b, 0.99).unwrap().1.unwrap();
    assert!((interval.low - 1.1 / 1.04).abs() < 1e-12 && (interval.high - 1.14).abs() < 1e-12);
    assert_eq!(between_runs(&[1.0; 3], &[1.0; 3], 0.99), Some((1.0, Some(Bounds { low: 1.0, high: 1.0 }))));
    assert_eq!(between_runs(&[1.0; 3], &[0.0; 3], 0.99), None);
}

#[test]
fn unpaired_sides_may_differ_in_length_and_be_long() {
    let a: Vec<f64> = (0..5000).map(|i| 1.0 + f64::from(i * 7919 % 5000) / 5000.0).collect();
    let b: Vec<f64> = a[..3000].iter().map(|t| t * 1.1).collect();
    let found = unpaired(&a, &b, 0.95).unwrap();
    let interval = found.interval.unwrap();
    assert!((found.value / 1.1 - 1.0).abs() < 0.01, "{found:?}");
    assert!(interval.low < found.value && found.value < interval.high);
    // The shift of two uniform samples of 5000 and 3000 is known to about a percent.
    assert!(interval.high / interval.low < 1.05, "{interval:?}");
    assert_eq!(found.n, 3000);
}

#[test]
fn what_has_no_logarithm_is_refused() {
    for odd in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(paired(&[1.0, odd], &[1.0, 1.0], 0.95), None);
        assert_eq!(unpaired(&[1.0, 1.0], &[odd], 0.95), None);
    }
    assert_eq!(paired(&[], &[], 0.95), None);
    assert_eq!(unpaired(&[], &[1.0], 0.95), None);
    assert_eq!(paired(&[1.0], &[1.0, 2.0], 0.95), None);
}

#[test]
fn each_of_several_comparisons_needs_more_confidence() {
    assert_eq!(bonferroni(0.95, 2), 0.95);
    assert!((bonferroni(0.95, 6) - 0.99).abs() < 1e-12);
    assert_eq!((bonferroni(0.95, 1), bonferroni(0.95, 0)), (0.95, 0.95));
}
