//! Both builds under the roofs that were measured with them.

use paw_sort::OrderBy;

use crate::analysis::Analysis;
use crate::kernel::under_roofs;
use crate::model::{Part, Plots, Table};
use crate::plot::RowLinks;
use crate::side_by_side::{Pair, matrix};
use crate::under_roofs::{Spot, UnderRoofs};

/// One roofline with both builds; of two runs one for each, because each has roofs of its own.
pub fn parts<'a>(analyses: &[Analysis<'_>], pair: &Pair<'_>) -> Vec<Part<'a>> {
    let names = [pair.first.name.as_str(), pair.second.name.as_str()];
    if let [analysis] = analyses {
        let Some(mut roofline) = of(analysis, &names) else { return none(&analysis.run.header.id) };
        first_first(&mut roofline.spots, names[0]);
        let (table, notes) = (roofline.table(), roofline.notes());
        let plots = Plots::new(move |links| roofline.pictures(links));
        return shown(table, plots, notes);
    }
    let sides = analyses.iter().zip(names).zip(["first", "second"]);
    sides.flat_map(|((analysis, name), place)| alone(analysis, name, place)).collect()
}

/// Puts the first build before the second at each level, so that it has the first colour as everywhere on the page.
fn first_first(spots: &mut [Spot], first: &str) {
    let is_first = |spot: &Spot| first == spot.series || first.starts_with(&format!("{} [", spot.series));
    for level in spots.chunk_by_mut(|a, b| a.label == b.label) {
        level.order_by_key(|spot| !is_first(spot));
    }
}

/// The roofline of one build in a run of its own, whose cells have no rows on the page.
fn alone<'a>(analysis: &Analysis<'_>, name: &str, place: &str) -> Vec<Part<'a>> {
    let Some(roofline) = of(analysis, &[name]) else { return none(&analysis.run.header.id) };
    let mut table = roofline.table();
    table.title = format!("the {place} {}, of run {}", table.title, analysis.run.header.id);
    table.rows.iter_mut().for_each(|row| row.cell = None);
    let notes = roofline.notes();
    let plots = Plots::new(move |_| roofline.pictures(&RowLinks::default()));
    shown(table, plots, notes)
}

/// The table, where there is a point, and the notes.
fn shown<'a>(table: Table, plots: Plots<'a>, notes: Vec<String>) -> Vec<Part<'a>> {
    let table = (!table.is_empty()).then_some(Part::Table(table, Some(plots)));
    table.into_iter().chain([Part::Notes(notes)]).collect()
}

/// What is said in place of roofs.
fn none<'a>(id: &str) -> Vec<Part<'a>> {
    vec![Part::Notes(vec![format!("No roofs were measured in run {id}: `paw kernel matrix SPEC --why` adds them.")])]
}

fn of(analysis: &Analysis<'_>, names: &[&str]) -> Option<UnderRoofs> {
    let readings = analysis.sections.iter().flat_map(|section| &section.rows);
    let wanted = |row: &paw_data::matrix::MatrixRow<'_>| names.contains(&row.name().as_str());
    under_roofs(matrix(analysis)?, wanted, readings, &analysis.run.header.machine.identity)
}
