//! Where a benchmark appears in a report: its family, and the lines of the headline that it can give.

mod legacy;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::precision::Precision;

/// A group of benchmarks that a report shows together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Peak arithmetic rates of the cores.
    Peak,
    /// Bandwidth and latency of caches and memory.
    Memory,
    /// Dense linear algebra.
    Blas,
    /// Messages between two ranks.
    Pairs,
    /// Many messages in flight.
    MessageRate,
    /// Memory of another rank, read or changed.
    OneSided,
    /// Start-up of a job, until all ranks are ready.
    Startup,
    /// Calls that all ranks make together.
    Collectives,
    /// Calls that the devices of all ranks take part in together.
    DeviceCollectives,
    /// Files that all ranks write and read.
    Files,
    /// Transfers and computations of accelerators.
    Devices,
    /// Small services of the system.
    System,
}

impl Family {
    /// Whether ranks measure it together.
    pub fn is_of_ranks(self) -> bool {
        use Family::{Collectives, DeviceCollectives, Files, MessageRate, OneSided, Pairs, Startup};
        matches!(self, Pairs | MessageRate | OneSided | Startup | Collectives | DeviceCollectives | Files)
    }
}

/// Which cell of a benchmark a figure of the headline is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Pick {
    /// The cell with the best value.
    Best,
    /// The time of the fastest cell at the smallest size with the most participants; calls issued one by one where that was
    /// measured.
    Smallest,
    /// One figure for each level of the memory hierarchy.
    Levels,
}

/// A line of the headline that a benchmark can give.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HeadlineFigure {
    /// Number of the line: lines are shown in ascending order.
    pub line: u32,
    /// Of several benchmarks that can give the line, the one with the lowest number does.
    #[serde(default)]
    pub preference: u32,
    /// The name of the figure; `{size}` is replaced by the size at which it was reached.
    pub label: String,
    /// Which cell it is read from.
    pub pick: Pick,
}

/// Where a benchmark appears in a report, as it states itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReportPlace {
    /// Its part of the report.
    pub family: Family,
    /// The lines of the headline that it can give.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<HeadlineFigure>,
    /// The axis whose values do the same work, so that reports compare them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alternatives: Option<AlternativesAxis>,
    /// The precision of the operations it counts, where it counts them in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<Precision>,
}

/// An axis whose values do the same work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AlternativesAxis {
    /// Name of the axis.
    pub axis: String,
    /// The value that the others are compared with.
    pub base: String,
}

/// A place that this version knows; one of a newer version is passed over.
pub(crate) fn known<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<ReportPlace>, D::Error> {
    let place = Box::<RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_slice(place.get().as_bytes()).ok())
}
