//! Both builds under the roofs that were measured with them.

use crate::analysis::Analysis;
use crate::kernel::Roofline;
use crate::model::{Part, Plots};
use crate::plot::RowLinks;
use crate::side_by_side::{Pair, matrix};

/// One roofline with both builds; of two runs one for each, because each has roofs of its own.
pub fn parts<'a>(analyses: &'a [Analysis<'_>], pair: &Pair<'_>) -> Vec<Part<'a>> {
    let names = [pair.first.name.as_str(), pair.second.name.as_str()];
    if let [analysis] = analyses {
        let Some(roofline) = of(analysis, &names) else { return Vec::new() };
        let (table, notes) = (roofline.table(), roofline.notes());
        let plots = Plots::new(move |links| roofline.pictures(links));
        return vec![Part::Table(table, Some(plots)), Part::Notes(notes)];
    }
    let sides = analyses.iter().zip(names).zip(["first", "second"]);
    sides.flat_map(|((analysis, name), place)| alone(analysis, name, place)).collect()
}

/// The roofline of one build in a run of its own, whose cells have no rows on the page.
fn alone<'a>(analysis: &'a Analysis<'_>, name: &str, place: &str) -> Vec<Part<'a>> {
    let Some(roofline) = of(analysis, &[name]) else { return Vec::new() };
    let mut table = roofline.table();
    table.title = format!("the {place} {}, of run {}", table.title, analysis.run.header.id);
    table.rows.iter_mut().for_each(|row| row.cell = None);
    let notes = roofline.notes();
    let plots = Plots::new(move |_| roofline.pictures(&RowLinks::default()));
    vec![Part::Table(table, Some(plots)), Part::Notes(notes)]
}

fn of<'a>(analysis: &'a Analysis<'_>, names: &[&str]) -> Option<Roofline<'a>> {
    let readings = analysis.sections.iter().flat_map(|section| &section.rows);
    Roofline::of(matrix(analysis)?, readings, &analysis.run.header.machine.identity)?.only(names)
}
