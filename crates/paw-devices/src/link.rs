//! What links carry, as secondary metrics.

use paw_data::secondary::{MetricName, SecondaryMetric};
use paw_foreign::device::{LinkKind, LinkLimit};

/// A link's limit under the name of its kind.
pub fn metric(link: LinkLimit) -> (MetricName, f64) {
    let metric = match link.kind {
        LinkKind::Pcie => SecondaryMetric::PcieLimit,
        LinkKind::NvLink => SecondaryMetric::NvLinkLimit,
        LinkKind::C2c => SecondaryMetric::C2cLimit,
    };
    (metric.into(), link.bytes_s)
}
