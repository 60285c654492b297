//! Bars of one build or two for each part that was taken away.

use crate::axis::{Axis, TickLabels};
use crate::plot::frame::SIZE;
use crate::svg::{Anchor, Drawing};
use crate::wrap::abridge;

/// Core cycles of the builds without one part; NaN where there is no figure.
#[derive(Debug, Clone, PartialEq)]
pub struct AblationBar {
    /// What was taken away.
    pub name: String,
    /// Of each build.
    pub cycles: Vec<f64>,
}

const LEFT: f64 = 6.0;
/// Room right of the bars: a value.
const RIGHT: f64 = 56.0;
/// Room above the first name, and that of a line for each build.
const TOP: f64 = 16.0;
const LINE: f64 = 15.0;
/// Height of a change's name with the gap below its bars, and that of a bar with the gap below it.
const NAMED: f64 = 22.0;
const BARRED: f64 = 12.0;
/// Height of a bar.
const HIGH: f64 = 10.0;
/// Letters of a build's name that fit beside its mark.
const NAME: usize = 50;

/// The bars of `changes`, the first of which is none, of the builds `names`; `None` where there is nothing to compare.
pub fn bars(names: &[String], changes: &[AblationBar]) -> Option<String> {
    let longest =
        changes.iter().flat_map(|bar| bar.cycles.iter().copied()).filter(|c| c.is_finite()).fold(0.0, f64::max);
    if changes.len() < 2 || longest <= 0.0 {
        return None;
    }
    let x = Axis { low: 0.0, ..Axis::close([0.0, longest].into_iter(), TickLabels::Plain) };
    let across = |value: f64| LEFT + x.place(value).clamp(0.0, 1.0) * (SIZE.0 - RIGHT - LEFT);
    // One build needs no key.
    let lines = if names.len() > 1 { names } else { &[] };
    let first = TOP + LINE * lines.len() as f64;
    let step = NAMED + BARRED * names.len() as f64;
    let height = first + step * changes.len() as f64 + 24.0;
    let bottom = height - 22.0;
    let mut drawing = Drawing::new();
    for (number, name) in lines.iter().enumerate() {
        let y = 12.0 + LINE * number as f64;
        drawing.open(hue(number), "");
        drawing.rectangle("length", (LEFT, y - 9.0), (10.0, HIGH));
        drawing.text("build", (LEFT + 16.0, y), Anchor::Start, &abridge(name, NAME));
        drawing.close("");
    }
    for tick in x.ticks(5) {
        drawing.line("grid", (across(tick.value), first - 6.0), (across(tick.value), bottom));
        drawing.text("tick", (across(tick.value), bottom + 16.0), Anchor::Middle, &tick.label);
    }
    if let (1, Some(own)) = (names.len(), changes[0].cycles.first().filter(|own| own.is_finite())) {
        drawing.line("boundary", (across(*own), first - 6.0), (across(*own), bottom));
    }
    for (row, bar) in changes.iter().enumerate() {
        let top = first + step * row as f64;
        drawing.text("name", (LEFT, top + 10.0), Anchor::Start, &bar.name);
        for (number, cycles) in bar.cycles.iter().copied().enumerate() {
            let upper = top + 15.0 + BARRED * number as f64;
            drawing.open(hue(number), "");
            if cycles.is_finite() {
                drawing.rectangle("length", (LEFT, upper), (across(cycles) - LEFT, HIGH));
                let text = crate::number::significant(cycles, 3);
                drawing.text("build number", (across(cycles) + 5.0, upper + 9.0), Anchor::Start, &text);
            }
            drawing.close("");
        }
    }
    let of = if names.len() > 1 { "Two builds" } else { "The kernel" };
    let label = format!("{of} without {} parts of the hot loop", changes.len() - 1);
    Some(drawing.finish("plot bars", (SIZE.0, height), &label))
}

fn hue(number: usize) -> &'static str {
    if number == 0 { "hue0 leads" } else { "hue1 leads" }
}
