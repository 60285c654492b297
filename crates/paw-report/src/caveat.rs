//! The caveats of a run, grouped and counted.

use std::collections::{HashMap, HashSet};

use paw_data::cell::Cell;
use paw_data::trust::Process;
use paw_sort::OrderBy;

use crate::reading::Reading;

/// Caveats with the same identifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaveatGroup {
    pub id: String,
    /// The cause in the words of the first cell, which is named where other cells have other numbers.
    pub cause: String,
    /// The one thing to do, in the words of the first cell.
    pub action: String,
    /// How many cells carry it.
    pub cells: usize,
}

/// The caveats of `readings`, those of most cells first.
pub fn caveats<'s, 'r>(readings: impl Iterator<Item = &'s Reading<'r>>) -> Vec<CaveatGroup>
where
    'r: 's,
{
    let mut groups: Vec<(CaveatGroup, &Cell, HashSet<String>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (reading, reason) in readings.flat_map(|reading| reading.reasons.iter().map(move |reason| (reading, reason))) {
        let id = reason.code().to_owned();
        let cause = reason.to_string();
        let place = *places.entry(id.clone()).or_insert(groups.len());
        if place == groups.len() {
            let action = reason.action(Process::of(&reading.record.cell)).to_owned();
            let group = CaveatGroup { id, cause: cause.trim_end_matches('.').to_owned(), action, cells: 0 };
            groups.push((group, &reading.record.cell, HashSet::new()));
        }
        groups[place].0.cells += 1;
        groups[place].2.insert(cause);
    }
    let mut all: Vec<CaveatGroup> =
        groups.into_iter().map(|(group, first, causes)| named(group, first, causes.len())).collect();
    all.order_by_key(|g| std::cmp::Reverse(g.cells));
    all
}

/// `group` with the name of its first cell, if cells have several causes.
fn named(group: CaveatGroup, first: &Cell, causes: usize) -> CaveatGroup {
    if causes < 2 {
        return group;
    }
    let axes: String = first.point.iter().map(|(axis, value)| format!(" {axis}={value}")).collect();
    CaveatGroup { cause: format!("{} ({} {}{axes})", group.cause, first.benchmark, first.provider), ..group }
}
