//! The figures of one cell over the runs of a machine, in the order of time.

use std::collections::BTreeMap;

use paw_sort::OrderBy;

use super::{CellFigure, Measure, RunDigest};
use crate::point::Point;

/// The figures of one cell over runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Series<'e> {
    /// Name of the benchmark.
    pub benchmark: &'e str,
    /// The provider.
    pub provider: &'e str,
    /// The command line that was measured; empty where no program was.
    pub program: &'e str,
    /// Whether another series has the same names and another command line.
    pub is_ambiguous: bool,
    /// The point on the axes.
    pub point: &'e Point,
    /// What the values count.
    pub measure: &'e Measure,
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

impl<'e> Series<'e> {
    /// What was measured, as a title: the benchmark, or the command line where others have the same name; of a number that the program prints with
    /// its name.
    pub fn title(&self) -> String {
        let title = if self.is_ambiguous && !self.program.is_empty() { self.program } else { self.benchmark };
        format!("{title} {}", self.measure.metric()).trim_end().to_owned()
    }

    /// The values, the oldest first.
    pub fn values(&self) -> Vec<f64> {
        self.items.iter().map(|item| item.figure.value).collect()
    }
}

/// What makes figures those of one cell: its names (benchmark, provider, point, metric, unit), and the command line.
type Key<'e> = ((&'e str, &'e str, String, [&'e str; 2]), &'e str);

/// The series in `entries`, which are of one machine: benchmarks in the order in which the latest runs have them. Of equal cells in one run
/// the first counts.
pub fn series<'e>(entries: impl IntoIterator<Item = &'e RunDigest>) -> Vec<Series<'e>> {
    let mut entries: Vec<&RunDigest> = entries.into_iter().collect();
    entries.order_by(|a, b| (&a.utc, &a.run).cmp(&(&b.utc, &b.run)));
    let mut by_name: BTreeMap<Key<'e>, usize> = BTreeMap::new();
    let mut found: Vec<Series<'e>> = Vec::new();
    for entry in entries.into_iter().rev() {
        for figure in &entry.figures {
            let (benchmark, provider) = (figure.benchmark.as_str(), figure.provider.as_str());
            let (point, measure, program) = (&figure.point, &figure.measure, figure.program.as_str());
            let names = (benchmark, provider, point.to_string(), [measure.metric(), measure.unit()]);
            let at = *by_name.entry((names, program)).or_insert_with(|| {
                let (is_ambiguous, items) = (false, Vec::new());
                found.push(Series { benchmark, provider, program, is_ambiguous, point, measure, items });
                found.len() - 1
            });
            let items = &mut found[at].items;
            if items.last().is_none_or(|last| !std::ptr::eq(last.entry, entry)) {
                items.push(Item { entry, figure });
            }
        }
    }
    // Equal but for the command line, they are neighbours.
    for ((one, at), (other, next)) in by_name.iter().zip(by_name.iter().skip(1)) {
        if one.0 == other.0 {
            [at, next].into_iter().for_each(|series| found[*series].is_ambiguous = true);
        }
    }
    found.iter_mut().for_each(|series| series.items.reverse());
    found
}
