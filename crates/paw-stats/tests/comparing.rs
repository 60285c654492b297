//! Ratios and what is said of them, on values made by hand.

use paw_stats::comparison::{bonferroni, paired, unpaired};
use paw_stats::verdict::Verdict;

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
    for (ratio, verdict) in [(1.05, Verdict::Slower), (0.95, Verdict::Faster), (1.002, Verdict::Same)] {
        let found = paired(&a, &other(&a, ratio, 0.001), 0.95).unwrap();
        assert_eq!(found.verdict(0.01), verdict, "{ratio}");
        assert!((found.value / ratio - 1.0).abs() < 2e-3, "{found:?}");
        assert_eq!(found.rounds_needed(0.01), Some(16));
    }
    let apart = unpaired(&a, &other(&a, 1.02, 0.001), 0.95).unwrap();
    assert_eq!(apart.verdict(0.01), Verdict::Inconclusive, "unpaired, the waver hides two percent");
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
    assert_eq!((found.value, found.interval, found.verdict(0.01)), (2.0, None, Verdict::Inconclusive));
    assert_eq!(found.rounds_needed(0.01), None);
    assert_eq!(unpaired(&[1.0; 3], &[2.0; 3], 0.95).unwrap().interval, None, "three a side do not reach 95 %");
    assert!(unpaired(&[1.0; 4], &[2.0; 4], 0.95).unwrap().interval.is_some());
}

#[test]
fn an_open_verdict_says_how_many_rounds_it_takes() {
    // Median ratio 1.02, interval (of 16: ranks 4 and 13) 1.00 … 1.0404: half width ln 1.02, distance ln 1.02 - ln 1.01.
    let a = vec![1.0; 16];
    let b: Vec<f64> = (0..16).map(|i| [1.0, 1.02, 1.0404][usize::from(i >= 4) + usize::from(i >= 12)]).collect();
    let found = paired(&a, &b, 0.95).unwrap();
    assert_eq!(found.verdict(0.01), Verdict::Inconclusive);
    let half = 1.02f64.ln();
    let expected = (16.0 * (half / (half - 1.01f64.ln())).powi(2)).ceil() as usize;
    assert_eq!(found.rounds_needed(0.01), Some(expected));
    assert!((64..70).contains(&expected), "twice as narrow takes four times the rounds: {expected}");
}

#[test]
fn a_ratio_that_stands_on_the_margin_cannot_be_waited_for() {
    let b: Vec<f64> = (0..16).map(|i| [0.9, 1.01, 1.1][usize::from(i >= 5) + usize::from(i >= 11)]).collect();
    assert_eq!(paired(&[1.0; 16], &b, 0.95).unwrap().rounds_needed(0.01), None);
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
