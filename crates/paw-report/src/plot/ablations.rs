//! Bars of two builds for each part that was taken away.

use crate::axis::{Axis, TickLabels};
use crate::plot::frame::SIZE;
use crate::svg::{Anchor, Drawing};
use crate::wrap::abridge;

/// Core cycles of both builds without one part; NaN where there is no figure.
#[derive(Debug, Clone, PartialEq)]
pub struct AblationBar {
    /// What was taken away.
    pub name: String,
    /// Of the first build.
    pub first: f64,
    /// Of the second build.
    pub second: f64,
}

const LEFT: f64 = 6.0;
/// Room right of the bars: a value.
const RIGHT: f64 = 56.0;
/// Room above the first name: a line for each build.
const TOP: f64 = 46.0;
/// Height of a change: its name and two bars.
const STEP: f64 = 46.0;
/// Height of a bar.
const HIGH: f64 = 10.0;
/// Letters of a build's name that fit beside its mark.
const NAME: usize = 50;

/// The bars of `changes` of the builds `names`; `None` where there is nothing to compare.
pub fn bars(names: &[String; 2], changes: &[AblationBar]) -> Option<String> {
    let longest = changes.iter().flat_map(|bar| [bar.first, bar.second]).filter(|c| c.is_finite()).fold(0.0, f64::max);
    if changes.len() < 2 || longest <= 0.0 {
        return None;
    }
    let x = Axis { low: 0.0, ..Axis::close([0.0, longest].into_iter(), TickLabels::Plain) };
    let across = |value: f64| LEFT + x.place(value).clamp(0.0, 1.0) * (SIZE.0 - RIGHT - LEFT);
    let height = TOP + STEP * changes.len() as f64 + 24.0;
    let bottom = height - 22.0;
    let mut drawing = Drawing::new();
    for (number, name) in names.iter().enumerate() {
        let y = 12.0 + 15.0 * number as f64;
        drawing.open(hue(number), "");
        drawing.rectangle("length", (LEFT, y - 9.0), (10.0, HIGH));
        drawing.text("build", (LEFT + 16.0, y), Anchor::Start, &abridge(name, NAME));
        drawing.close("");
    }
    for tick in x.ticks(5) {
        drawing.line("grid", (across(tick.value), TOP - 6.0), (across(tick.value), bottom));
        drawing.text("tick", (across(tick.value), bottom + 16.0), Anchor::Middle, &tick.label);
    }
    for (row, bar) in changes.iter().enumerate() {
        let top = TOP + STEP * row as f64;
        drawing.text("name", (LEFT, top + 10.0), Anchor::Start, &bar.name);
        for (number, cycles) in [bar.first, bar.second].into_iter().enumerate() {
            let upper = top + 15.0 + (HIGH + 2.0) * number as f64;
            drawing.open(hue(number), "");
            if cycles.is_finite() {
                drawing.rectangle("length", (LEFT, upper), (across(cycles) - LEFT, HIGH));
                let text = crate::number::significant(cycles, 3);
                drawing.text("build number", (across(cycles) + 5.0, upper + 9.0), Anchor::Start, &text);
            }
            drawing.close("");
        }
    }
    let label = format!("Two builds without {} parts of their loops", changes.len() - 1);
    Some(drawing.finish("plot bars", (SIZE.0, height), &label))
}

fn hue(number: usize) -> &'static str {
    if number == 0 { "hue0 leads" } else { "hue1 leads" }
}
