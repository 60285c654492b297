//! Two runs against each other as the page's templates read it.

use paw_data::run::Run;
use serde::Serialize;

use crate::benchmark::comparison::comparison;
use crate::html::budget::Budget;
use crate::html::detail::Details;
use crate::html::table::{TableView, table_view};
use crate::number::capitalised;
use crate::pairs::pairs;

#[derive(Debug, Serialize)]
pub struct ComparisonView {
    anchor: String,
    a: String,
    b: String,
    identity: Vec<String>,
    circumstances: Vec<String>,
    counts: Vec<(&'static str, usize)>,
    headline: String,
    notes: Vec<String>,
    sections: Vec<PairedSection>,
}

/// Pairs of cells of one section.
#[derive(Debug, Serialize)]
struct PairedSection {
    title: String,
    note: String,
    table: TableView,
}

/// Run `b` against run `a`.
pub fn comparison_view(a: &Run, b: &Run, place: usize, budget: &mut Budget) -> ComparisonView {
    let pairs = pairs(std::slice::from_ref(a), std::slice::from_ref(b));
    let mut notes: Vec<String> = pairs.notes().into_iter().map(|note| capitalised(&note) + ".").collect();
    let cells = Default::default();
    let mut details = Details::new(&cells, String::new(), budget);
    let sections = pairs.sections.iter().map(|(section, rows)| {
        let table = comparison(section, rows, ["A", "B", "B÷A"]);
        PairedSection {
            title: section.title(),
            note: section.note(),
            table: table_view(&table, &table.title, &mut details),
        }
    });
    let sections = sections.collect();
    notes.extend(budget.notes());
    ComparisonView {
        anchor: format!("against{place}"),
        a: a.header.id.clone(),
        b: b.header.id.clone(),
        counts: pairs.counts(),
        headline: capitalised(&pairs.headline()),
        identity: pairs.identity,
        circumstances: pairs.circumstances,
        notes,
        sections,
    }
}
