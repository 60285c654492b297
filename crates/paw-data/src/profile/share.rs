//! A share of samples, with the error of sampling.

use serde::Serialize;

/// The part of the processor time that some samples stand for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Share {
    /// The samples.
    pub samples: u64,
    /// Their share of all; 1 is all.
    pub share: f64,
    /// Half the 95 % interval of the share.
    pub half: f64,
    /// Seconds of processor time.
    pub seconds: f64,
    /// Half the 95 % interval of the seconds.
    pub half_s: f64,
}

/// Half width of a 95 % interval in standard deviations of a normal distribution.
const NORMAL_95: f64 = 1.96;

impl Share {
    /// The share of `samples` of `all` samples, which stand for `processor_s` seconds.
    ///
    /// The half width is 1.96·√(p(1−p)/N), that of a binomial proportion in the normal approximation (Wald). It vanishes for no samples and
    /// for all of them, where the rule of three (3/N) takes its place.
    pub fn new(samples: u64, all: u64, processor_s: f64) -> Self {
        let n = all.max(1) as f64;
        let share = samples as f64 / n;
        let wald = NORMAL_95 * (share * (1.0 - share) / n).max(0.0).sqrt();
        let half = if samples == 0 || samples >= all { (3.0 / n).min(1.0) } else { wald };
        Self { samples, share, half, seconds: share * processor_s, half_s: half * processor_s }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_that_of_a_proportion() {
        let share = Share::new(700, 1000, 2.0);
        assert!((share.half - 1.96 * (0.7_f64 * 0.3 / 1000.0).sqrt()).abs() < 1e-12);
        assert!((share.seconds - 1.4).abs() < 1e-12 && (share.half_s - 2.0 * share.half).abs() < 1e-12);
        assert!((Share::new(1000, 1000, 2.0).half - 0.003).abs() < 1e-12, "all samples are not all time");
        assert_eq!(Share::new(0, 0, 0.0).share, 0.0);
    }
}
