//! The statistics of a table: those of the samples, or those of an imported row.

use paw_stats::{mean, rank, sigma};

use crate::between_runs::BetweenRuns;
use crate::machine::Machine;
use crate::quantity::Quantity;
use crate::run::{Imported, Record};
use crate::summary::{self, times_s};

/// One number with its name.
pub(super) struct Statistic {
    pub quantity: Quantity,
    pub name: &'static str,
    pub value: f64,
    /// The interval, where there is one.
    pub ends: Option<(f64, f64)>,
    /// Samples it comes from.
    pub samples: usize,
}

/// All statistics of a record; none where nothing was measured.
pub(super) fn of(record: &Record, machine: &Machine) -> Vec<Statistic> {
    let operations = record.cell.work.operations();
    if record.samples.is_empty() {
        let time = record.imported_time.iter().flat_map(|row| imported(row, Quantity::Time, operations));
        let rate = record.imported_rate.iter().flat_map(|row| imported(row, record.cell.headline, 1.0));
        return time.chain(rate).collect();
    }
    measured(record, BetweenRuns::of(machine))
}

fn measured(record: &Record, between_runs: BetweenRuns) -> Vec<Statistic> {
    let (times, _) = times_s(&record.samples);
    let mut found = Vec::with_capacity(9);
    let mut add = |quantity, name, value: Option<f64>, ends| {
        if let Some(value) = value {
            found.push(Statistic { quantity, name, value, ends, samples: times.len() });
        }
    };
    let estimate = summary::estimate(record);
    let interval = estimate.and_then(|e| Some(between_runs.widened(e.value, e.interval.map(|i| (i.low, i.high))?)));
    let median = estimate.map(|e| e.value);
    let [min, mean, max] = [rank::min(&times), mean::arithmetic(&times), rank::max(&times)];
    let one = |seconds: f64| record.cell.work.value(Quantity::Time, seconds);
    add(Quantity::Time, "min", min.map(one), None);
    add(Quantity::Time, "median", median.map(one), interval.map(|(low, high)| (one(low), one(high))));
    add(Quantity::Time, "mean", mean.map(one), None);
    add(Quantity::Time, "max", max.map(one), None);
    add(Quantity::Time, "sigma", sigma::sample(&times).map(one), None);
    let headline = record.cell.headline;
    if headline != Quantity::Time {
        // A rate is work over a statistic of the time: the largest time makes the smallest rate, and a spread has none.
        let rate = |seconds: f64| record.cell.work.value(headline, seconds);
        add(headline, "min", max.map(rate), None);
        add(headline, "median", median.map(rate), interval.map(|(low, high)| (rate(high), rate(low))));
        add(headline, "mean", mean.map(rate), None);
        add(headline, "max", min.map(rate), None);
    }
    let work = &record.cell.work;
    // Collectives: bandwidths by three conventions, each named, because they differ by factors of the number of ranks.
    if work.bytes_bus > 0.0 {
        let conventions =
            [("median_paw", work.bytes), ("median_algorithm", work.bytes_algorithm), ("median_bus", work.bytes_bus)];
        for (name, bytes) in conventions {
            let rate = |seconds: f64| bytes / seconds;
            add(Quantity::Bytes, name, median.map(rate), interval.map(|(low, high)| (rate(high), rate(low))));
        }
    }
    found
}

fn imported(row: &Imported, quantity: Quantity, share: f64) -> impl Iterator<Item = Statistic> {
    let samples = row.samples as usize;
    [("min", row.min), ("mean", row.mean), ("max", row.max), ("sigma_pop", row.sigma_pop)]
        .into_iter()
        .map(move |(name, value)| Statistic { quantity, name, value: value / share, ends: None, samples })
}

/// A quantity as files name it.
pub(super) fn word(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Time => "time",
        Quantity::Flops => "flops",
        Quantity::Bytes => "bytes",
        Quantity::Messages => "messages",
        Quantity::Updates => "updates",
        Quantity::Cycles => "cycles",
    }
}
