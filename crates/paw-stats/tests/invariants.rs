//! What holds for all values.

use paw_stats::comparison::{paired, unpaired};
use paw_stats::kbest::{Best, k_best};
use paw_stats::{
    autocorrelation, drift, interval, mann_whitney, mean, modes, outliers, precision, quantile, rank, sigma, stability,
    ties, warmup,
};
use proptest::collection::vec;
use proptest::prelude::*;

fn times() -> impl Strategy<Value = Vec<f64>> {
    // Few different values as well as many: ties are where ranks go wrong.
    prop_oneof![vec(1e-9..1e3f64, 1..80), vec((1..6u32).prop_map(f64::from), 1..80)]
}

fn anything() -> impl Strategy<Value = Vec<f64>> {
    let odd = prop_oneof![
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        Just(0.0),
        Just(-0.0),
        Just(f64::MIN_POSITIVE),
        Just(f64::MAX),
        any::<f64>(),
    ];
    vec(odd, 0..24)
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

proptest! {
    #[test]
    fn the_interval_holds_the_median(values in times(), confidence in 0.5..0.999f64) {
        let median = quantile::median(&values).unwrap();
        if let Some(found) = interval::median(&values, confidence) {
            prop_assert!(found.low <= median && median <= found.high);
            prop_assert!(found.coverage >= confidence - 1e-9 && found.coverage <= 1.0);
            prop_assert!(found.ranks.0 < found.ranks.1 && found.ranks.1 <= values.len());
        }
    }

    #[test]
    fn more_confidence_never_narrows(values in times(), p in 0.05..0.95f64) {
        if let (Some(narrow), Some(wide)) = (interval::quantile(&values, p, 0.8), interval::quantile(&values, p, 0.95)) {
            prop_assert!(wide.low <= narrow.low && narrow.high <= wide.high);
        }
    }

    #[test]
    fn fewer_effective_values_never_narrow(values in times(), share in 0.0..1.0f64) {
        let effective = share * values.len() as f64;
        if let (Some(plain), Some(wide)) = (interval::median(&values, 0.95), interval::widened(&values, effective, 0.95)) {
            prop_assert!(wide.low <= plain.low && plain.high <= wide.high);
        }
    }

    #[test]
    fn order_does_not_matter_where_it_is_not_asked_for(values in times(), seed in any::<u64>()) {
        let mut shuffled = values.clone();
        let mut rng = paw_stats::rng::Rng::new(seed);
        for i in (1..shuffled.len()).rev() {
            shuffled.swap(i, rng.below(i + 1));
        }
        prop_assert_eq!(interval::median(&values, 0.95), interval::median(&shuffled, 0.95));
        prop_assert_eq!(k_best(&values, 4, 0.05, Best::Counts), k_best(&shuffled, 4, 0.05, Best::Counts));
        prop_assert_eq!(outliers::outliers(&values), outliers::outliers(&shuffled));
        prop_assert_eq!(modes::split(&values), modes::split(&shuffled));
        prop_assert_eq!(unpaired(&values, &[1.0, 2.0], 0.9), unpaired(&shuffled, &[1.0, 2.0], 0.9));
    }

    #[test]
    fn another_unit_scales_times_and_leaves_ratios(values in times(), power in -20..20i32) {
        // A power of two scales without rounding.
        let scale = 2f64.powi(power);
        let scaled: Vec<f64> = values.iter().map(|v| v * scale).collect();
        let both = |f: fn(&[f64]) -> Option<f64>| (f(&values).map(|v| v * scale), f(&scaled));
        for f in [quantile::median, rank::min, rank::max, mean::arithmetic, sigma::population] {
            let (a, b) = both(f);
            prop_assert_eq!(a, b);
        }
        let (plain, other) = (interval::median(&values, 0.95), interval::median(&scaled, 0.95));
        prop_assert_eq!(plain.map(|i| (i.low * scale, i.high * scale)), other.map(|i| (i.low, i.high)));
        prop_assert_eq!(stability::stability(&values), stability::stability(&scaled));
        prop_assert_eq!(precision::half_width(&values, 0.95), precision::half_width(&scaled, 0.95));
        prop_assert_eq!(drift::drift(&values), drift::drift(&scaled));
        prop_assert_eq!(autocorrelation::autocorrelation(&values), autocorrelation::autocorrelation(&scaled));
        prop_assert_eq!(warmup::leading(&values), warmup::leading(&scaled));
        let k = |v: &[f64]| k_best(v, 4, 0.05, Best::Counts).map(|k| (k.spread_k, k.agreement, k.lone_minimum));
        prop_assert_eq!(k(&values), k(&scaled));
    }

    #[test]
    fn means_stand_in_their_order(values in times()) {
        let (h, a) = (mean::harmonic(&values).unwrap(), mean::arithmetic(&values).unwrap());
        let (min, max) = (rank::min(&values).unwrap(), rank::max(&values).unwrap());
        let slack = 1.0 + 1e-12;
        prop_assert!(min <= h * slack && h <= a * slack && a <= max * slack);
    }

    #[test]
    fn a_common_factor_of_rounds_cancels(a in vec(0.1..10.0f64, 8..40), factor in 0.1..10.0f64, ratio in 0.5..2.0f64) {
        let b: Vec<f64> = a.iter().map(|t| t * ratio).collect();
        let c: Vec<f64> = b.iter().map(|t| t * factor).collect();
        prop_assert!(close(paired(&a, &b, 0.95).unwrap().value, ratio));
        prop_assert!(close(paired(&a, &c, 0.95).unwrap().value, ratio * factor));
        let own = unpaired(&a, &c, 0.95).unwrap();
        let mut quotients: Vec<f64> = c.iter().flat_map(|c| a.iter().map(move |a| c / a)).collect();
        quotients.sort_by(f64::total_cmp);
        prop_assert!(close(own.value.ln().exp(), own.value));
        prop_assert!(quotients[0] <= own.value * 1.000001 && own.value <= quotients[quotients.len() - 1] * 1.000001);
    }

    #[test]
    fn mann_whitney_turns_with_its_sides(a in times(), b in times()) {
        let (forth, back) = (mann_whitney::mann_whitney(&a, &b).unwrap(), mann_whitney::mann_whitney(&b, &a).unwrap());
        prop_assert!(close(forth.u + back.u, (a.len() * b.len()) as f64));
        prop_assert!((forth.p - back.p).abs() < 1e-9 && (0.0..=1.0).contains(&forth.p));
    }

    #[test]
    fn both_modes_hold_all_values(values in times()) {
        if let Some(split) = modes::split(&values) {
            prop_assert_eq!(split.low.count + split.high.count, values.len());
            prop_assert!(split.low.center <= split.high.center && split.separation >= 0.0);
        }
    }

    #[test]
    fn the_effective_number_lies_between_one_and_all(values in times()) {
        if let Some(found) = autocorrelation::autocorrelation(&values) {
            prop_assert!((1.0..=values.len() as f64).contains(&found.effective_n));
        }
    }

    #[test]
    fn nothing_panics_and_no_answer_is_nan(a in anything(), b in anything()) {
        let numbers = [
            rank::min(&a), rank::max(&a), mean::arithmetic(&a), mean::harmonic(&a),
            sigma::sample(&a), sigma::population(&a), quantile::median(&a),
            quantile::quantile(&a, 0.9), precision::half_width(&a, 0.95),
            stability::stability(&a).map(|s| s.spread), drift::drift(&a).map(|d| d.z),
            autocorrelation::autocorrelation(&a).map(|c| c.z), modes::split(&a).map(|m| m.separation),
            k_best(&a, 3, 0.01, Best::Excluded).map(|k| k.mean_of_k),
            mann_whitney::mann_whitney(&a, &b).map(|m| m.p), paired(&a, &b, 0.95).map(|r| r.value),
            unpaired(&a, &b, 0.95).map(|r| r.value), interval::median(&a, 0.95).map(|i| i.low),
        ];
        for (i, number) in numbers.into_iter().enumerate() {
            prop_assert!(number.is_none_or(|n| !n.is_nan()), "number {} is NaN", i);
        }
        outliers::outliers(&a);
        warmup::leading(&a);
        ties::ranking(&[&a, &b], 0.95, 0.01);
    }
}
