//! Speed-up, efficiency, and what keeps both down.

use crate::comparison;
use crate::interval::{self, Bounds};
use crate::quantile;
use crate::rank;

/// The statistic that makes one time of many samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Estimator {
    /// The smallest.
    Best,
    /// The median.
    Median,
}

impl Estimator {
    /// The time of these samples.
    pub fn of(self, samples: &[f64]) -> Option<f64> {
        match self {
            Self::Best => rank::min(samples),
            Self::Median => quantile::median(samples),
        }
    }
}

/// The order in which the samples of two series were taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sampling {
    /// In rounds: the samples at one index are of one round.
    Interleaved,
    /// One series after the other, or in different runs.
    Apart,
}

/// How many times as fast: the base's time ÷ this time. Both are positive, and made by the same estimator.
pub fn speedup(base: f64, time: f64) -> f64 {
    base / time
}

/// Speed-up per worker: S ÷ p. Above 1 it is superlinear.
pub fn efficiency(speedup: f64, p: f64) -> f64 {
    speedup / p
}

/// The serial part that a measured speed-up amounts to, (1/S - 1/p) ÷ (1 - 1/p). It stays the same over p where the work has
/// a serial part, rises with p where it is overhead, and is below 0 where the speed-up is superlinear.
///
/// A. H. Karp and H. P. Flatt, *Measuring parallel processor performance*, CACM 33 (1990). `None` where p is not above 1 or
/// the speed-up not above 0.
pub fn karp_flatt(speedup: f64, p: f64) -> Option<f64> {
    (p > 1.0 && speedup > 0.0).then(|| (1.0 / speedup - 1.0 / p) / (1.0 - 1.0 / p))
}

/// Efficiency where the work grows with the workers: T(1) ÷ T(p), 1 where all of the added work runs in parallel.
pub fn weak_efficiency(base: f64, time: f64) -> f64 {
    base / time
}

/// The interval of a speed-up, for samples of base and time.
///
/// For rounds: the interval of the median of the rounds' ratios ([`comparison::paired`]), which cancels what a round had in common.
/// For separate series: the ends of both medians' intervals divided crosswise, each with half of the error left (97.5 % for 95 %),
/// so that both hold together; it cannot see what changed between the series.
///
/// A minimum has no such interval: it is the end of its samples, resampling hardly moves it, and the next one may be lower by any
/// amount. With [`Estimator::Best`] the interval is that of the medians, widened where needed to hold the ratio of the bests: it
/// covers the ratio of typical times with at least the confidence asked for.
///
/// `None` with too few samples for the confidence (at 95 % six rounds, or seven samples apart), rounds of different lengths, or a time that
/// is not positive and finite.
pub fn interval(base: &[f64], time: &[f64], estimator: Estimator, taken: Sampling, confidence: f64) -> Option<Bounds> {
    if base.iter().chain(time).any(|t| !(*t > 0.0 && t.is_finite())) {
        return None;
    }
    let typical = match taken {
        Sampling::Interleaved => {
            let found = comparison::paired(time, base, confidence)?.interval?;
            Bounds { low: found.low, high: found.high }
        }
        Sampling::Apart => {
            let each = 1.0 - (1.0 - confidence) / 2.0;
            let (base, time) = (interval::median(base, each)?, interval::median(time, each)?);
            Bounds { low: base.low / time.high, high: base.high / time.low }
        }
    };
    let value = estimator.of(base)? / estimator.of(time)?;
    Some(typical.and(Bounds { low: value, high: value }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_textbook_numbers_come_out() {
        assert_eq!(speedup(12.0, 3.0), 4.0);
        assert_eq!(efficiency(4.0, 8.0), 0.5);
        assert_eq!(weak_efficiency(10.0, 12.5), 0.8);
        // A serial part of a tenth gives 1 ÷ (0.1 + 0.9 ÷ 4) at four workers.
        let serial = karp_flatt(1.0 / 0.325, 4.0).unwrap();
        assert!((serial - 0.1).abs() < 1e-12);
        assert!(karp_flatt(5.0, 4.0).unwrap() < 0.0, "superlinear");
        assert_eq!(karp_flatt(1.0, 1.0), None);
        assert_eq!(karp_flatt(0.0, 4.0), None);
    }

    #[test]
    fn apart_both_medians_ends_are_divided_crosswise() {
        // Of seven values the 97.5 % interval of the median goes from the first to the last.
        let base = [20.0, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0];
        let time = [5.0, 5.1, 5.2, 5.3, 5.4, 5.5, 6.5];
        let found = interval(&base, &time, Estimator::Median, Sampling::Apart, 0.95).unwrap();
        assert_eq!(found, Bounds { low: 20.0 / 6.5, high: 26.0 / 5.0 });
        assert_eq!(interval(&base[..6], &time, Estimator::Median, Sampling::Apart, 0.95), None);
    }

    #[test]
    fn what_a_round_has_in_common_cancels() {
        let time: Vec<f64> = (0..8).map(|i| 1.0 + f64::from(i % 3)).collect();
        let base: Vec<f64> = time.iter().map(|t| 4.0 * t).collect();
        let found = interval(&base, &time, Estimator::Best, Sampling::Interleaved, 0.95).unwrap();
        assert!((found.low - 4.0).abs() < 1e-12 && (found.high - 4.0).abs() < 1e-12);
        assert!(interval(&base, &time, Estimator::Best, Sampling::Apart, 0.95).unwrap().low < 4.0 / 2.0);
        assert_eq!(interval(&base[1..], &time, Estimator::Best, Sampling::Interleaved, 0.95), None);
    }

    #[test]
    fn the_ratio_of_the_bests_lies_inside() {
        let (base, mut time) = ([10.0; 16], [5.0; 16]);
        time[3] = 4.0;
        let best = interval(&base, &time, Estimator::Best, Sampling::Interleaved, 0.95).unwrap();
        let median = interval(&base, &time, Estimator::Median, Sampling::Interleaved, 0.95).unwrap();
        assert!((median.low - 2.0).abs() < 1e-12 && (median.high - 2.0).abs() < 1e-12);
        assert!((best.low - 2.0).abs() < 1e-12 && best.high == 2.5);
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(interval(&[wrong; 9], &[1.0; 9], Estimator::Best, Sampling::Apart, 0.95), None);
        }
        assert_eq!(interval(&[], &[], Estimator::Best, Sampling::Interleaved, 0.95), None);
        assert_eq!(interval(&[1.0; 9], &[1.0; 9], Estimator::Median, Sampling::Apart, 1.0), None);
    }
}
