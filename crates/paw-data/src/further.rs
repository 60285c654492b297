//! Further readings of the samples of a record (`event_s`, `overlap`, `power_w` …), by the samples that its headline comes from.

use paw_stats::quantile;

use crate::sample::Samples;
use crate::summary::basis;

/// The median of a further reading.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Further {
    /// The median, in the reading's unit ÷ what its samples were divided by.
    pub median: f64,
    /// Samples it comes from.
    pub samples: usize,
}

/// The median of the reading called `name`, each ÷ what `parts` makes of its sample's loops. Its samples are those of the
/// headline that have the reading: the clean ones, or all where fewer than three are clean. `None` where none has it.
pub fn further(samples: &Samples, name: &str, parts: impl Fn(u64) -> f64) -> Option<Further> {
    let basis = basis(samples);
    let column = samples.extra.get(name)?.iter().zip(&samples.loops).zip(&samples.disturbed);
    let counted = column.filter(|((value, _), disturbed)| basis.counts(**disturbed) && value.is_finite());
    let values: Vec<f64> = counted.map(|((value, loops), _)| value / parts(*loops)).collect();
    Some(Further { median: quantile::median(&values)?, samples: values.len() })
}
