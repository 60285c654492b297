//! The caveats of a run, grouped and counted.

use std::collections::{HashMap, HashSet};

use paw_data::kernel::SUITE;
use paw_data::outcome::Ending;
use paw_data::trust::Reason;

use crate::reading::Reading;
use crate::reason::{action, code};

/// Caveats with the same identifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaveatGroup {
    pub id: String,
    /// The cause in the words of the first cell.
    pub cause: String,
    /// How many cells word the cause differently: with other numbers.
    pub causes: usize,
    /// The one thing to do, in the words of the first cell.
    pub action: String,
    /// How many cells carry it.
    pub cells: usize,
}

impl CaveatGroup {
    /// The cause; says so if other cells have other numbers.
    pub fn cause(&self) -> String {
        let cause = self.cause.trim_end_matches('.');
        if self.causes > 1 { format!("{cause}; elsewhere with other numbers") } else { cause.to_owned() }
    }
}

/// The caveats of `readings`, those of most cells first.
pub fn caveats<'s, 'r>(readings: impl Iterator<Item = &'s Reading<'r>>) -> Vec<CaveatGroup>
where
    'r: 's,
{
    let mut groups: Vec<(CaveatGroup, HashSet<String>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (id, cause, action) in readings.flat_map(caveats_of) {
        let place = *places.entry(id.clone()).or_insert(groups.len());
        if place == groups.len() {
            let group = CaveatGroup { id, cause: cause.clone(), causes: 0, action, cells: 0 };
            groups.push((group, HashSet::new()));
        }
        groups[place].0.cells += 1;
        groups[place].1.insert(cause);
    }
    let counted = groups.into_iter().map(|(group, causes)| CaveatGroup { causes: causes.len(), ..group });
    let mut all: Vec<CaveatGroup> = counted.collect();
    all.sort_by_key(|g| std::cmp::Reverse(g.cells));
    all
}

/// Identifier, cause and action of each caveat of the record, then of each reason from its samples that no caveat covers.
fn caveats_of(reading: &Reading<'_>) -> Vec<(String, String, String)> {
    let outcome = reading.record.outcome.iter();
    let recorded = outcome.clone().flat_map(|o| &o.caveats).map(|c| (c.id.clone(), c.cause.clone(), c.action.clone()));
    let is_told = |reason: &Reason| outcome.clone().flat_map(|o| &o.caveats).any(|c| c.id == code(reason));
    let is_seen = |r: &Reason| matches!(r, Reason::Caveat { .. }) || is_told(r) || is_in_its_column(reading, r);
    let seen = reading.reasons.iter().filter(|r| !is_seen(r));
    recorded.chain(seen.map(|r| (code(r).to_owned(), r.to_string(), action(r).to_owned()))).collect()
}

/// Whether a reason is the wide interval of a kernel's fixed number of samples: its column shows it already.
fn is_in_its_column(reading: &Reading<'_>, reason: &Reason) -> bool {
    let is_complete = reading.record.outcome.as_ref().is_some_and(|o| o.ending == Some(Ending::Complete));
    matches!(reason, Reason::WideInterval { .. }) && is_complete && reading.record.cell.suite == SUITE
}
