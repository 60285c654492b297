//! The figures of one cell over the runs of a machine, in the order of time.

use std::collections::BTreeMap;

use paw_sort::OrderBy;

use super::{CellFigure, RunDigest};
use crate::point::Point;
use crate::quantity::Quantity;

/// The figures of one cell over runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Series<'e> {
    /// Name of the benchmark.
    pub benchmark: &'e str,
    /// The provider.
    pub provider: &'e str,
    /// The point on the axes.
    pub point: &'e Point,
    /// What the values count.
    pub quantity: Quantity,
    /// The figures, the oldest first.
    pub items: Vec<Item<'e>>,
}

/// The figure of one run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Item<'e> {
    /// The run.
    pub entry: &'e RunDigest,
    /// Its figure.
    pub figure: &'e CellFigure,
}

impl Series<'_> {
    /// The values, the oldest first.
    pub fn values(&self) -> Vec<f64> {
        self.items.iter().map(|item| item.figure.value).collect()
    }
}

/// The series in `entries`, which are of one machine: benchmarks in the order in which the latest runs have them. Of equal cells in one run
/// the first counts.
pub fn series<'e>(entries: impl IntoIterator<Item = &'e RunDigest>) -> Vec<Series<'e>> {
    let mut entries: Vec<&RunDigest> = entries.into_iter().collect();
    entries.order_by(|a, b| (&a.utc, &a.run).cmp(&(&b.utc, &b.run)));
    let mut by_name: BTreeMap<(&str, &str, String, &str), usize> = BTreeMap::new();
    let mut found: Vec<Series<'e>> = Vec::new();
    for entry in entries.into_iter().rev() {
        for figure in &entry.figures {
            let (benchmark, provider) = (figure.benchmark.as_str(), figure.provider.as_str());
            let name = (benchmark, provider, figure.point.to_string(), figure.quantity.unit());
            let at = *by_name.entry(name).or_insert_with(|| {
                let (point, quantity) = (&figure.point, figure.quantity);
                found.push(Series { benchmark, provider, point, quantity, items: Vec::new() });
                found.len() - 1
            });
            let items = &mut found[at].items;
            if items.last().is_none_or(|last| !std::ptr::eq(last.entry, entry)) {
                items.push(Item { entry, figure });
            }
        }
    }
    found.iter_mut().for_each(|series| series.items.reverse());
    found
}
