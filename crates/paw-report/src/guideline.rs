//! Self-consistent performance guidelines: collectives that take longer than other collectives that, one after the other, do the same.
//!
//! They are those of Träff, Gropp and Thakur, "Self-consistent MPI performance guidelines", IEEE Transactions on Parallel and Distributed
//! Systems 21 (2010). They hold for single calls: calls back to back may overlap, and then last less than one after the other.

use std::collections::HashMap;

use paw_data::axis;
use paw_data::cell::Combine;
use paw_data::comparison::PROCESS_MARGIN;
use paw_data::headline::Family;
use paw_data::quantity::Quantity;
use paw_sort::OrderBy;

use crate::number;
use crate::reading::{Reading, Value};

/// A collective that breaks a guideline beyond doubt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Name of the collective.
    pub collective: String,
    /// Where it breaks it most clearly, with the figures.
    pub text: String,
    /// How many of its cells break one.
    pub cells: usize,
}

/// What to try.
const WAY_OUT: &str =
    "try another of the library's algorithms for this call, by the variables that its manual names, or another library";

/// Heading of the list of violations.
pub const TITLE: &str = "collectives that take longer than others that do their work";

impl Violation {
    /// The case, how many there are, and what to try, in one line.
    pub fn line(&self) -> String {
        let further = match self.cells {
            1 => String::new(),
            cells => format!(", and so in {} in all", number::plural(cells, "cell")),
        };
        format!("{}{further}. → {WAY_OUT}", self.text)
    }
}

/// A collective, and collectives that do its work one after the other.
struct Guideline {
    of: &'static str,
    by: &'static [(&'static str, Elements)],
}

/// Elements of a collective that takes part in the work of another one of n elements on P ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Elements {
    /// n.
    Same,
    /// n·P: all that the ranks have together.
    Whole,
    /// n/P: a rank's share, rounded up.
    Share,
    /// 1.
    One,
}

const GUIDELINES: &[Guideline] = &[
    Guideline { of: "allreduce", by: &[("reduce", Elements::Same), ("bcast", Elements::Same)] },
    Guideline { of: "allreduce", by: &[("reduce_scatter", Elements::Share), ("allgather", Elements::Share)] },
    Guideline { of: "allgather", by: &[("gather", Elements::Same), ("bcast", Elements::Whole)] },
    Guideline { of: "allgather", by: &[("alltoall", Elements::Same)] },
    Guideline { of: "gather", by: &[("allgather", Elements::Same)] },
    Guideline { of: "scatter", by: &[("bcast", Elements::Whole)] },
    Guideline { of: "bcast", by: &[("scatter", Elements::Share), ("allgather", Elements::Share)] },
    Guideline { of: "reduce", by: &[("allreduce", Elements::Same)] },
    Guideline { of: "reduce_scatter", by: &[("allreduce", Elements::Whole)] },
    Guideline { of: "reduce_scatter", by: &[("reduce", Elements::Whole), ("scatter", Elements::Same)] },
    Guideline { of: "barrier", by: &[("allreduce", Elements::One)] },
];

impl Elements {
    fn needed(self, n: i64, ranks: i64) -> i64 {
        match self {
            Self::Same => n,
            Self::Whole => n.saturating_mul(ranks),
            Self::Share => n.unsigned_abs().div_ceil(ranks.unsigned_abs().max(1)) as i64,
            Self::One => 1,
        }
    }
}

/// Where single calls were measured alike, in everything but their elements: provider, team, and the axes with their values.
type Place<'r> = (&'r str, Option<u32>, Vec<(&'r str, String)>);

/// Single calls of each collective in one place, by their elements.
type Calls<'s, 'r> = HashMap<&'r str, Vec<(i64, &'s Reading<'r>)>>;

/// The collectives among `readings` that break a guideline; for each the clearest case.
///
/// A collective of more elements stands for one of fewer, which it could send along. Only cells of a sound number with an interval are
/// compared, and only what lies apart by more than the intervals and what two processes of one program differ by is said.
pub fn violations<'s, 'r>(readings: impl Iterator<Item = &'s Reading<'r>>) -> Vec<Violation>
where
    'r: 's,
{
    let mut places: HashMap<Place<'r>, Calls<'s, 'r>> = HashMap::new();
    for reading in readings {
        if let Some((place, n)) = place(reading) {
            let calls = places.entry(place).or_default();
            calls.entry(&reading.record.cell.benchmark).or_default().push((n, reading));
        }
    }
    let mut found: Vec<Case<'_, '_>> = places.values().flat_map(cases).collect();
    found.order_by(|a, b| b.excess.total_cmp(&a.excess).then(a.of.record.cell.id.cmp(&b.of.record.cell.id)));
    let mut all: Vec<Violation> = Vec::new();
    let mut seen: Vec<u32> = Vec::new();
    for case in found {
        let cell = &case.of.record.cell;
        if seen.contains(&cell.id) {
            continue;
        }
        seen.push(cell.id);
        match all.iter_mut().find(|known| known.collective == cell.benchmark) {
            Some(known) => known.cells += 1,
            None => all.push(case.told()),
        }
    }
    all
}

/// Where a single call was measured, and its elements; nothing of other cells, and of those whose number decides nothing.
fn place<'r>(reading: &Reading<'r>) -> Option<(Place<'r>, i64)> {
    let cell = &reading.record.cell;
    let is_sound = reading.is_sound();
    let is_whole = cell.combine == Combine::Slowest && cell.headline == Quantity::Time;
    let is_single = cell.point.text(axis::CADENCE) == Some(axis::ISOLATED);
    let is_apart = cell.point.text(axis::PLACE).is_none_or(|place| place == axis::SEPARATE);
    let is_of_one_root = cell.point.text(axis::ROOT).is_none_or(|root| root == axis::FIXED);
    reading.value?.interval?;
    let family = cell.report_place().map(|place| place.family);
    if family != Some(Family::Collectives) || !(is_sound && is_whole && is_single && is_apart && is_of_one_root) {
        return None;
    }
    let axes = cell.point.iter().filter(|(name, _)| ![axis::N, axis::PLACE, axis::ROOT].contains(name));
    let mut axes: Vec<_> = axes.map(|(name, value)| (name, value.to_string())).collect();
    axes.sort();
    Some(((&cell.provider, cell.team, axes), cell.point.int(axis::N).unwrap_or(1)))
}

/// A collective that takes longer than others together.
struct Case<'s, 'r> {
    of: &'s Reading<'r>,
    by: Vec<&'s Reading<'r>>,
    /// The least that it takes, divided by the most that the others take.
    excess: f64,
}

/// The cases of one place.
fn cases<'s, 'r>(calls: &Calls<'s, 'r>) -> Vec<Case<'s, 'r>> {
    let every = |guideline: &'static Guideline| {
        let subjects = calls.get(guideline.of).map(Vec::as_slice).unwrap_or_default();
        subjects.iter().filter_map(move |(n, of)| case(guideline, *n, of, calls))
    };
    GUIDELINES.iter().flat_map(every).collect()
}

fn case<'s, 'r>(guideline: &Guideline, n: i64, of: &'s Reading<'r>, calls: &Calls<'s, 'r>) -> Option<Case<'s, 'r>> {
    let ranks = of.record.cell.point.int(axis::RANKS)?;
    let fewest = |(name, elements): &(&'static str, Elements)| {
        let enough = calls.get(name)?.iter().filter(|(m, _)| *m >= elements.needed(n, ranks));
        enough.min_by_key(|(m, _)| *m).map(|(_, reading)| *reading)
    };
    let by: Vec<&Reading<'_>> = guideline.by.iter().map(fewest).collect::<Option<_>>()?;
    let most: f64 = by.iter().map(|reading| ends(reading).map(|(_, high)| high)).sum::<Option<f64>>()?;
    let excess = ends(of)?.0 / most;
    (excess > 1.0 + PROCESS_MARGIN).then_some(Case { of, by, excess })
}

fn ends(reading: &Reading<'_>) -> Option<(f64, f64)> {
    reading.value?.interval
}

impl Case<'_, '_> {
    fn told(&self) -> Violation {
        let cell = &self.of.record.cell;
        let together: f64 = self.by.iter().filter_map(|reading| reading.value).map(|value| value.middle).sum();
        let others: Vec<String> = self.by.iter().map(|reading| named(reading)).collect();
        let one_after_the_other = if others.len() > 1 { " one after the other" } else { "" };
        let text = format!(
            "{} takes {}, at least {:.2} times as long as {}{one_after_the_other}: {}",
            named(self.of),
            self.of.value.map(told).unwrap_or_default(),
            (self.excess * 100.0).floor() / 100.0,
            others.join(" and "),
            number::quantity(together, Quantity::Time, None),
        );
        Violation { collective: cell.benchmark.to_string(), text, cells: 1 }
    }
}

fn told(value: Value) -> String {
    number::quantity(value.middle, Quantity::Time, value.half_width())
}

/// `allreduce n=64`.
fn named(reading: &Reading<'_>) -> String {
    let cell = &reading.record.cell;
    cell.point.int(axis::N).map_or_else(|| cell.benchmark.to_string(), |n| format!("{} n={n}", cell.benchmark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_up() {
        let needed = [Elements::Same, Elements::Whole, Elements::Share, Elements::One].map(|of| of.needed(10, 4));
        assert_eq!(needed, [10, 40, 3, 1]);
        assert_eq!(Elements::Whole.needed(i64::MAX, 2), i64::MAX);
    }

    #[test]
    fn every_guideline_is_about_other_collectives() {
        for guideline in GUIDELINES {
            assert!(!guideline.by.is_empty() && guideline.by.iter().all(|(name, _)| *name != guideline.of));
        }
    }
}
