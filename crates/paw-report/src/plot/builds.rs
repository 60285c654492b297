//! Builds of a level as bars: time of an iteration, spread of its samples, grade of stability.

use paw_data::matrix::{BuildTiming, MatrixRow, Panel, RowStatus};
use paw_stats::stability::{Grade, Stability};

use crate::axis::{Axis, TickLabels};
use crate::kernel::builds::unit;
use crate::kernel::figure::{self, Unit};
use crate::number::significant;
use crate::plot::RowLinks;
use crate::plot::frame::SIZE;
use crate::svg::{Anchor, Drawing, polyline, rings};
use crate::wrap::abridge;

/// Room right of the bars: a value, a mark and its word.
const RIGHT: f64 = 112.0;
/// Room left of the bars.
const LEFT: f64 = 6.0;
/// Height of a build: its name, and its bar under it.
const STEP: f64 = 35.0;
/// Room above the first name: the unit.
const TOP: f64 = 26.0;
/// Height of a bar.
const HIGH: f64 = 11.0;
/// Letters of a name that fit over a bar.
const NAME: usize = 46;
/// Most bars drawn.
const MOST: usize = 40;

/// The bars of `panel`, in the order of its table; `None` where fewer than two builds have a time.
pub fn bars(panel: &Panel<'_>, rows: &RowLinks) -> Option<String> {
    let unit = unit(panel);
    let timed: Vec<(&MatrixRow<'_>, BuildTiming)> =
        panel.rows.iter().filter_map(|r| Some((r, r.timing?))).take(MOST).collect();
    if timed.len() < 2 {
        return None;
    }
    let most = timed.iter().flat_map(|(_, t)| [unit.extremes(t).1, unit.median(t).value]);
    let x = Axis { low: 0.0, ..Axis::close([0.0, most.fold(0.0, f64::max)].into_iter(), TickLabels::Plain) };
    let edge = SIZE.0 - RIGHT;
    let across = |value: f64| LEFT + x.place(value).clamp(0.0, 1.0) * (edge - LEFT);
    let height = TOP + STEP * timed.len() as f64 + 30.0;
    let bottom = height - 26.0;
    let mut drawing = Drawing::new();
    drawing.text("name", (LEFT, 13.0), Anchor::Start, &format!("{} an iteration, lower is better", unit.word()));
    for tick in x.ticks(5) {
        drawing.line("grid", (across(tick.value), TOP), (across(tick.value), bottom));
        drawing.text("tick", (across(tick.value), bottom + 16.0), Anchor::Middle, &tick.label);
    }
    if let Some(timing) = panel.base().and_then(|base| base.timing) {
        let place = across(unit.median(&timing).value);
        drawing.line("boundary", (place, TOP), (place, bottom));
    }
    let leaders: Vec<*const MatrixRow<'_>> = panel.leaders().into_iter().map(std::ptr::from_ref).collect();
    for (i, (row, timing)) in timed.iter().enumerate() {
        let top = TOP + STEP * i as f64;
        let leads = leaders.contains(&std::ptr::from_ref(*row));
        let href = rows.link(row.record.cell.id);
        // A link inherits the colour around it.
        drawing.open(class(row.standing, leads), "");
        drawing.open("cell", &href);
        drawing.title(&words(row, timing, &unit));
        one(&mut drawing, row, timing, &unit, top, &across);
        drawing.close(&href);
        drawing.close("");
        steadiness(&mut drawing, figure::steadiness(timing, unit.by()), (edge + 52.0, top + 24.5));
    }
    let label = format!("{} an iteration of {} builds at {}", unit.word(), timed.len(), panel.label());
    Some(drawing.finish("plot bars", (SIZE.0, height), &label))
}

/// The CSS class that colours a bar.
fn class(standing: RowStatus, leads: bool) -> &'static str {
    match standing {
        RowStatus::Right if leads => "hue0 leads",
        RowStatus::Right => "hue0",
        RowStatus::Wrong | RowStatus::Failed => "wrong",
        RowStatus::Unfinished | RowStatus::Skipped => "hue6",
    }
}

fn words(row: &MatrixRow<'_>, timing: &BuildTiming, unit: &Unit) -> String {
    let speedup = row.speedup.map(|s| format!("{} times as fast as the reference", significant(s.value, 3)));
    let parts = [Some(format!("{}: {}", row.name(), unit.words(timing))), speedup, Some(figure::answer(row).text)];
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// Name, bar, whisker from the minimum to the slow samples, and value.
fn one(
    drawing: &mut Drawing,
    row: &MatrixRow<'_>,
    timing: &BuildTiming,
    unit: &Unit,
    top: f64,
    across: &impl Fn(f64) -> f64,
) {
    let is_wrong = row.standing == RowStatus::Wrong;
    let name = abridge(&row.name(), if is_wrong { NAME - 8 } else { NAME });
    let mark = if is_wrong { "✗ wrong: " } else { "" };
    drawing.text("build", (LEFT, top + 14.0), Anchor::Start, &format!("{mark}{name}"));
    let upper = top + 19.0;
    let end = across(unit.median(timing).value);
    drawing.rectangle("length", (LEFT, upper), (end - LEFT, HIGH));
    let (low, high) = unit.extremes(timing);
    let (low, high) = (across(low), across(high));
    let middle = upper + HIGH / 2.0;
    drawing.line("whisker", (low, middle), (high, middle));
    for place in [low, high] {
        drawing.line("whisker", (place, middle - 3.5), (place, middle + 3.5));
    }
    drawing.text("build number", (SIZE.0 - RIGHT + 40.0, upper + 9.5), Anchor::End, &unit.digits(timing));
}

/// The grade of stability as a shape and a word, readable without colour.
fn steadiness(drawing: &mut Drawing, stability: Option<Stability>, (x, y): (f64, f64)) {
    let Some(found) = stability else { return };
    let (class, shape) = match found.grade {
        Grade::Good => ("good", rings(&[(x, y)], 3.6)),
        Grade::Average => ("fair", polyline(&[(x - 4.2, y + 3.6), (x, y - 4.0), (x + 4.2, y + 3.6)]) + "Z"),
        Grade::Bad => {
            ("poor", polyline(&[(x - 3.8, y - 3.8), (x + 3.8, y - 3.8), (x + 3.8, y + 3.8), (x - 3.8, y + 3.8)]) + "Z")
        }
    };
    drawing.open(&format!("grade {class}"), "");
    drawing.path("shape", &shape);
    drawing.text("word", (x + 8.0, y + 3.8), Anchor::Start, found.grade.word());
    drawing.close("");
}
