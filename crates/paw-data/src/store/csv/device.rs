//! Derived rows of a device's cells: the headline by the device's own clock, between event marks and behind a gate.

use super::derived::Derived;
use crate::headline::Family;
use crate::run::{Record, Run};
use crate::secondary::SecondaryMetric;
use crate::secondary_median::{SecondaryMedian, secondary_median};
use crate::store::statistics;

/// Secondary metrics in seconds, each with the suffix of the quantity's name.
const CLOCKS: [(SecondaryMetric, &str); 5] = [
    (SecondaryMetric::Event, "event"),
    (SecondaryMetric::Gated, "gated"),
    (SecondaryMetric::Host, "host"),
    (SecondaryMetric::TransferIn, "transfer_in"),
    (SecondaryMetric::TransferOut, "transfer_out"),
];
/// Metrics exported unchanged.
const PLAIN: [SecondaryMetric; 4] =
    [SecondaryMetric::Overlap, SecondaryMetric::DeviceClock, SecondaryMetric::Power, SecondaryMetric::Temperature];

/// Hands `add` the derived numbers of each record of a device.
pub(super) fn derive(run: &Run, add: &mut impl FnMut(&Record, Vec<Derived>)) {
    let is_launched = |record: &Record| record.cell.build.as_ref().is_some_and(|build| build.launched.is_some());
    let is_on_device = |record: &&Record| record.cell.family() == Some(Family::Devices) || is_launched(record);
    for record in run.records.iter().filter(is_on_device) {
        let clocks = CLOCKS.iter().filter_map(|(metric, clock)| by_clock(record, *metric, clock));
        let plain = PLAIN.iter().filter_map(|metric| {
            let found = secondary_median(&record.samples, *metric)?;
            Some(derived(metric.name().to_owned(), metric.unit(), found.median, found))
        });
        add(record, clocks.chain(plain).collect());
    }
}

fn by_clock(record: &Record, metric: SecondaryMetric, clock: &str) -> Option<Derived> {
    let iteration_s = secondary_median(&record.samples, metric)?;
    let cell = &record.cell;
    let value = cell.work.value(cell.headline, iteration_s.median);
    let quantity = format!("{}_{clock}", statistics::word(cell.headline));
    Some(derived(quantity, cell.headline.unit(), value, iteration_s))
}

fn derived(quantity: String, unit: &str, value: f64, from: SecondaryMedian) -> Derived {
    Derived { quantity, unit: unit.to_owned(), statistic: "median", value, ends: None, samples: from.samples }
}
