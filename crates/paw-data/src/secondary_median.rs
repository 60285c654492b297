//! Medians of secondary metrics.

use paw_stats::quantile;

use crate::sample::Samples;
use crate::secondary::SecondaryMetric;
use crate::summary::basis;

/// The median of a secondary metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SecondaryMedian {
    /// The median in the metric's unit, for one iteration where the metric is a sum over iterations.
    pub median: f64,
    /// How many samples it comes from.
    pub samples: usize,
}

/// Median of `metric` over the samples of the headline: the undisturbed ones, or all where fewer than three are undisturbed. `None`
/// where no sample has the metric.
pub fn secondary_median(samples: &Samples, metric: SecondaryMetric) -> Option<SecondaryMedian> {
    let basis = basis(samples);
    let column = samples.secondary(metric)?.iter().zip(&samples.loops).zip(&samples.disturbed);
    let counted = column.filter(|((value, _), disturbed)| basis.counts(**disturbed) && value.is_finite());
    let values: Vec<f64> = counted.map(|((value, loops), _)| metric.per_iteration(*value, *loops)).collect();
    Some(SecondaryMedian { median: quantile::median(&values)?, samples: values.len() })
}
