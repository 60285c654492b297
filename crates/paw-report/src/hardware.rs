//! The parts of a machine: what holds what as boxes, and one table for each kind of part.

mod block;
mod boxes;
mod cpus;
mod memory;
mod picture;
mod recorded;
mod tables;

use paw_data::machine::Machine;
use paw_data::machine::hardware::Hardware;

use crate::colour::{Colour, STRONG};
use crate::latency::AS_TOLD;
use crate::markdown::table::table_markdown;
use crate::model::Table;
use crate::text::NARROWEST;
use crate::text::table::{split, table_text};
use crate::wrap::hang;
use block::Plan;

/// What holds what, as boxes for a terminal of `width` columns.
pub fn hardware_boxes(hardware: &Hardware, width: usize) -> String {
    let width = width.max(NARROWEST);
    let plan = Plan::of(hardware);
    let drawn = boxes::drawn(&plan.root, width);
    let notes: String = notes(hardware, &plan).iter().map(|note| hang("", note, 2, width)).collect();
    drawn + &notes
}

/// What holds what, as an SVG document of its own.
pub fn hardware_svg(hardware: &Hardware, title: &str) -> String {
    let plan = Plan::of(hardware);
    picture::drawn(&plan.root, title, &notes(hardware, &plan))
}

/// What holds what as a run recorded it, as a picture for a page: its markup, its width in pixels, and notes. `None` where the run does not
/// say where processors lie.
pub fn recorded_picture(machine: &Machine, label: &str) -> Option<(String, f64, Vec<String>)> {
    let hardware = recorded::recorded(machine)?;
    let plan = Plan::of(&hardware);
    let (svg, width) = picture::inside(&plan.root, label);
    let told = format!("caches {AS_TOLD}");
    let told = (!machine.identity.hypervisor.is_empty()).then_some(told);
    Some((svg, width, notes(&hardware, &plan).into_iter().chain(told).collect()))
}

/// The tables of all parts for a terminal of `width` columns.
pub fn hardware_text(hardware: &Hardware, width: usize, colour: Colour) -> String {
    let width = width.max(NARROWEST);
    let one = |table: &Table| {
        let mut parts = if table.title == memory::DISTANCES { split(table, 1, width) } else { vec![table.clone()] };
        let last = parts.len().saturating_sub(1);
        parts.iter_mut().take(last).for_each(|part| part.note.clear());
        let text: String = parts.iter().map(|part| table_text(part, width, colour)).collect();
        format!("\n{}\n{text}", colour.paint(&table.title, STRONG))
    };
    all(hardware).iter().map(one).collect()
}

/// The tables of all parts as Markdown.
pub fn hardware_markdown(hardware: &Hardware) -> String {
    all(hardware).iter().map(table_markdown).collect()
}

fn all(hardware: &Hardware) -> Vec<Table> {
    let tables = [
        tables::threads(hardware),
        tables::caches(hardware),
        memory::nodes(hardware),
        memory::distances(hardware),
        memory::access(hardware),
        tables::adapters(hardware),
    ];
    tables.into_iter().filter(|table| !table.is_empty()).collect()
}

/// What the boxes need for being understood.
fn notes(hardware: &Hardware, plan: &Plan) -> Vec<String> {
    let mut notes = Vec::new();
    if hardware.threads.iter().any(|thread| !thread.available) {
        notes.push("in parentheses: processors that are not available".to_owned());
    }
    if !hardware.offline.is_empty() {
        notes.push(format!("switched off: cpu {}", cpus::ranges(&hardware.offline)));
    }
    notes.extend(plan.left_out.iter().map(|what| format!("not drawn, because others hold a part of it: {what}")));
    notes
}
