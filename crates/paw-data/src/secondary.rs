//! Secondary metrics of a record's samples: `event_s`, `overlap`, `power_w` …

use paw_stats::quantile;

use crate::sample::Samples;
use crate::summary::basis;

/// The median of a secondary metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SecondaryMedian {
    /// The median, in the metric's unit ÷ the divisor's.
    pub median: f64,
    /// How many samples it comes from.
    pub samples: usize,
}

/// Median over samples of `extra[name] / divisor(loops)`; `None` where no sample has the metric. It uses the samples of the
/// headline: the undisturbed ones, or all where fewer than three are undisturbed.
pub fn secondary_median(samples: &Samples, name: &str, divisor: impl Fn(u64) -> f64) -> Option<SecondaryMedian> {
    let basis = basis(samples);
    let column = samples.extra.get(name)?.iter().zip(&samples.loops).zip(&samples.disturbed);
    let counted = column.filter(|((value, _), disturbed)| basis.counts(**disturbed) && value.is_finite());
    let values: Vec<f64> = counted.map(|((value, loops), _)| value / divisor(*loops)).collect();
    Some(SecondaryMedian { median: quantile::median(&values)?, samples: values.len() })
}
