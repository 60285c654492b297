//! The details of one cell beneath its row: its samples in time order, and the reasons to trust it less.

use std::collections::{HashMap, HashSet};

use paw_data::cell::Combine;
use serde::Serialize;

use crate::html::budget::Budget;
use crate::number::{self, capitalised};
use crate::plot::{RowLinks, strip};
use crate::reading::Reading;

/// The details that open beneath a row.
#[derive(Debug, Serialize)]
pub struct DetailView {
    large: String,
    reasons: Vec<String>,
    facts: Vec<String>,
}

/// The details of the cells of a run; the page shows those of each cell once.
pub struct Details<'p> {
    /// Every cell by its number.
    pub cells: &'p HashMap<u32, &'p Reading<'p>>,
    /// Links to the cells that have a row.
    pub links: RowLinks,
    /// The rows and drawings that the page has left.
    pub budget: &'p mut Budget,
    seen: HashSet<u32>,
}

impl<'p> Details<'p> {
    /// The details of `cells`, whose rows have identifiers that begin with `prefix`.
    pub fn new(cells: &'p HashMap<u32, &'p Reading<'p>>, prefix: String, budget: &'p mut Budget) -> Self {
        Self { cells, links: RowLinks { prefix, ..RowLinks::default() }, budget, seen: HashSet::new() }
    }

    /// The identifier of the row of `cell`, its samples in small, and what opens beneath it; nothing where it had a row before.
    pub fn of(&mut self, cell: Option<u32>, has_samples: bool) -> (String, Option<String>, Option<DetailView>) {
        let Some(reading) = cell.filter(|cell| self.seen.insert(*cell)).and_then(|cell| self.cells.get(&cell)) else {
            return (String::new(), None, None);
        };
        self.links.present.insert(reading.record.cell.id);
        let id = format!("{}{}", self.links.prefix, reading.record.cell.id);
        if !has_samples {
            return (id, None, None);
        }
        let is_drawn = self.budget.strip();
        let drawn = |draw: fn(&Reading<'_>) -> Option<String>| if is_drawn { draw(reading) } else { None };
        let (small, large) = (drawn(strip::small), drawn(strip::large));
        // A wrong answer has samples and no value.
        let is_wrong = reading.value.is_none() && !reading.record.samples.is_empty();
        let reasons: Vec<String> =
            reading.reasons.iter().map(sentence).chain(reading.absence().filter(|_| is_wrong)).collect();
        let detail = DetailView { large: large.unwrap_or_default(), reasons, facts: facts(reading) };
        let is_empty = detail.large.is_empty() && detail.reasons.is_empty();
        (id, small, (!is_empty).then_some(detail))
    }
}

fn sentence(reason: &paw_data::trust::Reason) -> String {
    format!("{}.", capitalised(reason.to_string().trim_end_matches('.')))
}

/// Further facts of the cell: loops, ending, check, library.
fn facts(reading: &Reading<'_>) -> Vec<String> {
    let record = reading.record;
    let mut facts = Vec::new();
    if let (Some(least), Some(most)) = (record.samples.loops.iter().min(), record.samples.loops.iter().max()) {
        let loops = if least == most {
            number::count(*most as usize)
        } else {
            format!("up to {}", number::count(*most as usize))
        };
        facts.push(format!("{loops} iterations a sample"));
    }
    if let Some(check) = record.outcome.as_ref().and_then(|o| o.check.as_ref()) {
        facts.push(format!("answer checked by {}: error {:.2} of {} allowed", check.method, check.error, check.bound));
    }
    if record.cell.combine != Combine::Single {
        facts.push(record.cell.combine.words().to_owned());
    }
    if let Some(library) = &record.cell.library {
        let parts = [&library.path, &library.version, &library.core];
        facts.push(parts.into_iter().filter(|p| !p.is_empty()).cloned().collect::<Vec<_>>().join(" · "));
    }
    facts
}
