//! Secondary metrics of a cell, beside its headline: the time of one message beside a bandwidth, the fastest rank beside the slowest.

use paw_data::build::Launched;
use paw_data::headline::Family;
use paw_data::kernel;
use paw_data::quantity::Quantity;
use paw_data::sample::Samples;
use paw_data::secondary::SecondaryMetric;
use paw_data::secondary_median::secondary_median;
use paw_sort::SortNumbers;

use crate::number::{self, Scale};
use crate::reading::Reading;

/// Titles of a transfer's share of the link that was named; the first is that of runs that did not name it.
const OF_LINKS: [&str; 4] = ["of link", "of PCIe", "of NVLink", "of C2C"];
/// The largest share of a link that is shown: clocks are not exact, but no copy is faster than its link.
const LINK_MOST: f64 = 1.05;

/// The side of the headline on which a metric is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Before,
    Behind,
}

/// A column of a section that shows a secondary metric of every cell.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricColumn {
    /// Its name, printed above the unit; empty if the unit suffices.
    pub name: &'static str,
    /// The side of the headline on which it is shown.
    pub side: Side,
    /// The unit; empty if the name suffices.
    pub unit: String,
    scale: Scale,
    figure: Figure,
}

/// How a metric is computed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Figure {
    /// The same time in another quantity of the work.
    Of(Quantity),
    /// The bandwidth of a collective between devices, its bytes counted so.
    Bandwidth(Convention),
    /// Median over the samples of this secondary metric, for one operation.
    PerOperation(SecondaryMetric),
    /// Median over the samples of this secondary metric.
    PerSample(SecondaryMetric),
    /// This quantile of all operations that were stamped one by one.
    Stamped(f64),
    /// Median over the samples of this share.
    Share(SecondaryMetric),
    /// Sum over the samples of this count.
    Total(SecondaryMetric),
    /// Sum over the samples of one time ÷ that of another.
    ShareOfTotals(SecondaryMetric, SecondaryMetric),
    /// The largest of all samples of this time.
    Largest(SecondaryMetric),
    /// The headline by the clock of this secondary metric, median over the samples.
    Clock(SecondaryMetric),
    /// The headline, by the device's clock if there is one, as a share of the hardware limit in this secondary metric.
    Limit(SecondaryMetric),
    /// Median over the samples of this secondary metric ÷ the factor, the unit's size.
    Plain(SecondaryMetric, f64),
    /// A fact about how a kernel was compiled for a device, or launched.
    Launch(LaunchFact),
}

/// How bytes of a collective are counted (nccl-tests, PERFORMANCE.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Convention {
    /// As its caller counts them.
    Algorithm,
    /// Those that cross the busiest link.
    Bus,
}

/// The facts recorded of a launched kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LaunchFact {
    Threads,
    Registers,
    Shared,
    Local,
    Occupancy,
    BuildMs,
}

impl LaunchFact {
    fn of(self, launched: &Launched) -> Option<f64> {
        match self {
            LaunchFact::Threads => Some(launched.threads as f64),
            LaunchFact::Registers => launched.registers.map(f64::from),
            LaunchFact::Shared => launched.shared_bytes.map(|bytes| bytes as f64),
            LaunchFact::Local => launched.local_bytes.map(|bytes| bytes as f64),
            LaunchFact::Occupancy => launched.occupancy,
            LaunchFact::BuildMs => Some(1e3 * launched.build_s),
        }
    }
}

/// Metrics of a family by headline; `None` is any headline.
type Figures = [(Option<Quantity>, &'static str, Side, Figure)];

/// Metrics of benchmarks of ranks.
const OF_RANKS: &Figures = &[
    (Some(Quantity::Bytes), "", Side::Before, Figure::Of(Quantity::Time)),
    (Some(Quantity::Bytes), "from storage", Side::Behind, Figure::Share(SecondaryMetric::FromStorage)),
    (Some(Quantity::Messages), "", Side::Behind, Figure::Of(Quantity::Bytes)),
    (Some(Quantity::Time), "algbw", Side::Behind, Figure::Bandwidth(Convention::Algorithm)),
    (Some(Quantity::Time), "busbw", Side::Behind, Figure::Bandwidth(Convention::Bus)),
    (Some(Quantity::Time), "overlap", Side::Behind, Figure::Share(SecondaryMetric::Overlap)),
    (Some(Quantity::Time), "fastest", Side::Behind, Figure::PerOperation(SecondaryMetric::RankMin)),
    (Some(Quantity::Time), "p99", Side::Behind, Figure::Stamped(0.99)),
    (Some(Quantity::Time), "p99.9", Side::Behind, Figure::Stamped(0.999)),
    (Some(Quantity::Time), "longest", Side::Behind, Figure::Stamped(1.0)),
    (Some(Quantity::Time), "skew", Side::Behind, Figure::PerSample(SecondaryMetric::Skew)),
    (Some(Quantity::Time), "clocks ±", Side::Behind, Figure::PerSample(SecondaryMetric::ClockBound)),
    (None, "late", Side::Behind, Figure::Total(SecondaryMetric::Late)),
];

/// Metrics of benchmarks of devices.
const OF_DEVICES: &Figures = &[
    (Some(Quantity::Bytes), "", Side::Before, Figure::Of(Quantity::Time)),
    (Some(Quantity::Flops), "", Side::Before, Figure::Of(Quantity::Time)),
    (None, "events", Side::Behind, Figure::Clock(SecondaryMetric::Event)),
    (None, "gated", Side::Behind, Figure::Clock(SecondaryMetric::Gated)),
    (Some(Quantity::Bytes), OF_LINKS[0], Side::Behind, Figure::Limit(SecondaryMetric::Limit)),
    (Some(Quantity::Bytes), OF_LINKS[1], Side::Behind, Figure::Limit(SecondaryMetric::PcieLimit)),
    (Some(Quantity::Bytes), OF_LINKS[2], Side::Behind, Figure::Limit(SecondaryMetric::NvLinkLimit)),
    (Some(Quantity::Bytes), OF_LINKS[3], Side::Behind, Figure::Limit(SecondaryMetric::C2cLimit)),
    (Some(Quantity::Flops), "of peak", Side::Behind, Figure::Limit(SecondaryMetric::Limit)),
    (None, "overlap", Side::Behind, Figure::Share(SecondaryMetric::Overlap)),
    (Some(Quantity::Flops), "clock GHz", Side::Behind, Figure::Plain(SecondaryMetric::DeviceClock, 1e-9)),
    (Some(Quantity::Flops), "power W", Side::Behind, Figure::Plain(SecondaryMetric::Power, 1.0)),
];

/// Metrics of benchmarks of memory.
const OF_MEMORY: &Figures = &[(None, "load GB/s", Side::Behind, Figure::Plain(SecondaryMetric::LoadRate, 1e-9))];

/// Metrics of the small services of the system: what threads lose to it, and in detours of which length.
const OF_SYSTEM: &Figures = &[
    (None, "lost", Side::Behind, Figure::ShareOfTotals(SecondaryMetric::DetourTime, SecondaryMetric::QuantaTime)),
    (None, "median", Side::Behind, Figure::PerSample(SecondaryMetric::MedianDetour)),
    (None, "longest", Side::Behind, Figure::Largest(SecondaryMetric::LongestDetour)),
];

/// Metrics of kernels that a device runs.
const OF_LAUNCHES: &Figures = &[
    (Some(Quantity::Time), "", Side::Behind, Figure::Of(Quantity::Flops)),
    (Some(Quantity::Time), "", Side::Behind, Figure::Of(Quantity::Bytes)),
    (None, "host", Side::Behind, Figure::Clock(SecondaryMetric::Host)),
    (None, "in", Side::Behind, Figure::Clock(SecondaryMetric::TransferIn)),
    (None, "out", Side::Behind, Figure::Clock(SecondaryMetric::TransferOut)),
    (None, "threads", Side::Behind, Figure::Launch(LaunchFact::Threads)),
    (None, "regs", Side::Behind, Figure::Launch(LaunchFact::Registers)),
    (None, "shared", Side::Behind, Figure::Launch(LaunchFact::Shared)),
    (None, "local", Side::Behind, Figure::Launch(LaunchFact::Local)),
    (None, "occupied", Side::Behind, Figure::Launch(LaunchFact::Occupancy)),
    (None, "build ms", Side::Behind, Figure::Launch(LaunchFact::BuildMs)),
    (None, "clock GHz", Side::Behind, Figure::Plain(SecondaryMetric::DeviceClock, 1e-9)),
];

/// The secondary metrics that at least one of `rows` has.
pub fn secondary_metrics(rows: &[Reading<'_>]) -> Vec<MetricColumn> {
    let Some(first) = rows.first() else { return Vec::new() };
    let figures = match first.record.cell.family() {
        Some(family) if family.is_of_ranks() => OF_RANKS,
        Some(Family::Devices) => OF_DEVICES,
        Some(Family::Memory) => OF_MEMORY,
        Some(Family::System) => OF_SYSTEM,
        None if first.record.cell.suite == kernel::SUITE => OF_LAUNCHES,
        _ => return Vec::new(),
    };
    let asked = figures.iter().filter(|(headline, ..)| headline.is_none_or(|h| h == first.quantity()));
    asked
        .filter_map(|(_, name, side, figure)| {
            let values = rows.iter().filter_map(|r| figure.of(r));
            let scale = figure.scale(values, rows)?;
            Some(MetricColumn { name, side: *side, unit: scale.unit.clone(), scale, figure: *figure })
        })
        .collect()
}

impl MetricColumn {
    /// The metric of `reading` in the column's unit; empty if it has none.
    pub fn text(&self, reading: &Reading<'_>) -> String {
        let Some(value) = self.figure.of(reading) else { return String::new() };
        match self.figure {
            // What is measured went another way than over the link that was named: no share of it says anything.
            Figure::Limit(_) if OF_LINKS.contains(&self.name) && value > LINK_MOST => "other way".to_owned(),
            Figure::Share(_) | Figure::Limit(_) | Figure::ShareOfTotals(..) => number::percent(value),
            Figure::Total(_) => format!("{value:.0}"),
            Figure::Launch(LaunchFact::Occupancy) => number::percent(value),
            Figure::Launch(LaunchFact::BuildMs) | Figure::Plain(..) => number::significant(value, 3),
            Figure::Launch(LaunchFact::Shared | LaunchFact::Local) => number::size(value),
            Figure::Launch(_) => format!("{value:.0}"),
            Figure::Of(_)
            | Figure::Bandwidth(_)
            | Figure::PerOperation(_)
            | Figure::PerSample(_)
            | Figure::Stamped(_)
            | Figure::Clock(_)
            | Figure::Largest(_) => self.scale.digits(value, self.half_width(reading, value)),
        }
    }

    /// Whether its column is among the first to leave a narrow terminal.
    pub fn is_minor(&self) -> bool {
        matches!(
            self.figure,
            Figure::Total(_)
                | Figure::Plain(..)
                | Figure::Launch(_)
                | Figure::Stamped(_)
                | Figure::PerSample(SecondaryMetric::ClockBound)
        )
    }

    /// The title of its column in one line: `fastest µs`.
    pub fn title(&self) -> String {
        format!("{} {}", self.name, self.unit).trim().to_owned()
    }

    /// The half width of `value`, if the headline's time is its only source: both then have the same relative error.
    fn half_width(&self, reading: &Reading<'_>, value: f64) -> Option<f64> {
        let relative = reading
            .value
            .and_then(|v| v.relative())
            .filter(|_| matches!(self.figure, Figure::Of(_) | Figure::Bandwidth(_)));
        relative.map(|relative| relative * value)
    }
}

impl Figure {
    /// The scale of a column of `values`; `None` where there are none.
    fn scale(self, mut values: impl Iterator<Item = f64>, rows: &[Reading<'_>]) -> Option<Scale> {
        let plain = Scale { factor: 1.0, unit: String::new() };
        match self {
            Figure::Of(quantity) => Scale::between(values, quantity),
            Figure::Bandwidth(_) => Scale::between(values, Quantity::Bytes),
            Figure::PerOperation(_) | Figure::PerSample(_) | Figure::Largest(_) | Figure::Stamped(_) => {
                Scale::between(values, Quantity::Time)
            }
            // Readers compare the two clocks: both get the headline's unit.
            Figure::Clock(_) => {
                values.next()?;
                Scale::between(rows.iter().filter_map(|r| r.value).map(|v| v.middle), rows[0].quantity())
            }
            Figure::Share(_) | Figure::Limit(_) | Figure::Plain(..) | Figure::Launch(_) | Figure::ShareOfTotals(..) => {
                values.next().map(|_| plain)
            }
            Figure::Total(_) => values.any(|count| count > 0.0).then_some(plain),
        }
    }

    fn of(self, reading: &Reading<'_>) -> Option<f64> {
        match self {
            Figure::Of(quantity) => in_quantity(reading, quantity).map(|(middle, _)| middle),
            Figure::Bandwidth(convention) => bandwidth(reading, convention),
            Figure::PerSample(metric) | Figure::Share(metric) => median(reading, metric),
            Figure::Total(metric) => total(reading, metric),
            Figure::Stamped(quantile) => {
                reading.value?;
                stamped(&reading.record.samples, quantile).map(|op_s| op_s / reading.record.cell.work.operations())
            }
            // Every sample counts, the disturbed ones above all: what disturbs them is what is asked for.
            Figure::ShareOfTotals(part, all) => {
                Some(total(reading, part)? / total(reading, all).filter(|all| *all > 0.0)?)
            }
            Figure::Largest(metric) => {
                reading.value?;
                reading.record.samples.secondary(metric)?.iter().copied().reduce(f64::max)
            }
            Figure::Clock(metric) => by_clock(reading, metric),
            Figure::Limit(metric) => {
                let limit = median(reading, metric).filter(|limit| *limit > 0.0)?;
                let by_device =
                    by_clock(reading, SecondaryMetric::Gated).or_else(|| by_clock(reading, SecondaryMetric::Event));
                Some(by_device.or(reading.value.map(|v| v.middle))? / limit)
            }
            Figure::Launch(made) => made.of(reading.record.cell.build.as_ref()?.launched.as_ref()?),
            Figure::Plain(metric, factor) => Some(factor * median(reading, metric)?),
            Figure::PerOperation(metric) => Some(median(reading, metric)? / reading.record.cell.work.operations()),
        }
    }
}

/// A quantile of the operations of undisturbed samples (of all where every sample was disturbed), or the longest; `None` where there are too
/// few for one of them to lie beyond it.
fn stamped(samples: &Samples, quantile: f64) -> Option<f64> {
    let mut ops_s = samples.clean_ops_s();
    if ops_s.is_empty() {
        ops_s = samples.ops_s.iter().flatten().copied().collect();
    }
    ops_s.sort_numbers();
    if quantile >= 1.0 {
        return ops_s.last().copied();
    }
    // The smallest of which this part of all is at most as long.
    let place = (quantile * ops_s.len() as f64).ceil() as usize;
    (place < ops_s.len()).then(|| ops_s[place.saturating_sub(1)])
}

/// The bandwidth of a collective between devices; `None` for other cells.
fn bandwidth(reading: &Reading<'_>, convention: Convention) -> Option<f64> {
    let (cell, seconds) = (&reading.record.cell, reading.value?.middle);
    let bytes = match convention {
        Convention::Algorithm => cell.work.bytes_algorithm,
        Convention::Bus => cell.work.bytes_bus,
    };
    (cell.family() == Some(Family::DeviceCollectives) && bytes > 0.0).then(|| bytes / seconds)
}

/// The headline computed from a metric that holds the time of all loops by another clock.
fn by_clock(reading: &Reading<'_>, metric: SecondaryMetric) -> Option<f64> {
    let iteration_s = median(reading, metric).filter(|seconds| *seconds > 0.0)?;
    Some(reading.record.cell.work.value(reading.quantity(), iteration_s))
}

/// Sum of `metric` over all samples; `None` if the cell has no headline value.
pub fn total(reading: &Reading<'_>, metric: SecondaryMetric) -> Option<f64> {
    reading.value?;
    let column = reading.record.samples.secondary(metric)?;
    Some(column.iter().filter(|count| count.is_finite()).sum())
}

/// The value of `reading` and the ends of its interval in another quantity of the same work: the time behind a rate, or
/// the rate of a time. `None` where an iteration does no such work.
pub fn in_quantity(reading: &Reading<'_>, quantity: Quantity) -> Option<(f64, Option<(f64, f64)>)> {
    let value = reading.value?;
    let (work, headline) = (&reading.record.cell.work, reading.quantity());
    if quantity == headline {
        return Some((value.middle, value.interval));
    }
    if work.amount(quantity) <= 0.0 || work.amount(headline) <= 0.0 {
        return None;
    }
    let turned = |v: f64| {
        let iteration_s = if headline == Quantity::Time { v * work.operations() } else { work.amount(headline) / v };
        work.value(quantity, iteration_s)
    };
    let ends = value.interval.map(|(low, high)| (turned(low), turned(high))).map(|(a, b)| (a.min(b), a.max(b)));
    Some((turned(value.middle), ends))
}

/// Median of `metric` over the samples, for one iteration; `None` if the cell has no headline value.
fn median(reading: &Reading<'_>, metric: SecondaryMetric) -> Option<f64> {
    reading.value?;
    secondary_median(&reading.record.samples, metric).map(|found| found.median)
}

#[cfg(test)]
mod tests {
    use paw_data::sample::{Sample, Samples};

    use super::stamped;

    #[test]
    fn quantiles_are_those_of_single_operations_that_nothing_disturbed() {
        let mut samples = Samples::default();
        for round in 0..10 {
            let ops_s: Vec<f64> = (0..100).map(|op| f64::from(100 * round + op + 1)).collect();
            samples.push(Sample { loops: 100, ops_s, ..Sample::default() });
        }
        samples.push(Sample { loops: 1, ops_s: vec![1e6], disturbed: true, ..Sample::default() });
        assert_eq!([0.99, 0.999, 1.0].map(|quantile| stamped(&samples, quantile)), [990.0, 999.0, 1000.0].map(Some));
        let mut few = Samples::default();
        few.push(Sample { loops: 50, ops_s: vec![1.0; 50], ..Sample::default() });
        assert_eq!([0.99, 1.0].map(|quantile| stamped(&few, quantile)), [None, Some(1.0)]);
    }
}
