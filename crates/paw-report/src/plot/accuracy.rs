//! Error over speed-up of the builds of a level.

use paw_data::cell::Role;
use paw_data::kernel::Tolerance;
use paw_data::matrix::{MatrixRow, Panel, RowStatus};

use crate::axis::{Axis, TickLabels};
use crate::kernel::figure;
use crate::number::significant;
use crate::plot::RowLinks;
use crate::plot::frame::{Frame, SIZE};
use crate::plot::label::{LINE, apart};
use crate::svg::{Anchor, Drawing, polyline, rings};
use crate::wrap::abridge;

/// Pixels right of the data.
const RIGHT: f64 = 16.0;
/// Most letters of a name beside a point.
const NAME: usize = 26;
/// Width of a letter.
const LETTER: f64 = 7.0;
/// Fewest decades of the axis of errors: fewer would be labelled between powers of ten.
const DECADES: f64 = 4.0;

/// A build in the picture.
struct BuildPoint<'p, 'run> {
    row: &'p MatrixRow<'run>,
    speedup: f64,
    error: f64,
}

/// The builds of `panel` that have a time and an error; `None` where fewer than two do, or there is no reference.
pub fn accuracy(panel: &Panel<'_>, tolerance: &Tolerance, rows: &RowLinks) -> Option<String> {
    let base = panel.by.median(&panel.base()?.timing?)?.value;
    let place = |row: &'_ MatrixRow<'_>| {
        let speedup = base / panel.by.median(&row.timing?)?.value;
        let is_base = row.record.cell.role == Role::Base && row.check().is_none();
        let error = if is_base { 0.0 } else { row.accuracy()?.relative_max };
        (speedup > 0.0 && speedup.is_finite()).then_some((speedup, error))
    };
    let found =
        panel.rows.iter().filter_map(|row| place(row).map(|(speedup, error)| BuildPoint { row, speedup, error }));
    let found: Vec<BuildPoint<'_, '_>> = found.collect();
    if found.len() < 2 {
        return None;
    }
    let y = vertical(&found, tolerance);
    let x = Axis::quantity(found.iter().map(|p| p.speedup), TickLabels::Plain);
    let frame = Frame { x, y, right: RIGHT };
    let mut drawing = Drawing::new();
    let limit = frame.up(tolerance.relative);
    drawing.rectangle(
        "beyond",
        (frame.across(frame.x.low), frame.top()),
        (frame.edge() - frame.across(frame.x.low), limit - frame.top()),
    );
    frame.draw(&mut drawing, "speed-up, higher is better", "relative error, lower is better");
    drawing.line("limit", (frame.across(frame.x.low), limit), (frame.edge(), limit));
    let told = format!("tolerance {:e}", tolerance.relative);
    drawing.text("mark", (frame.edge() - 4.0, limit - 4.0), Anchor::End, &told);
    found.iter().for_each(|place| point(&mut drawing, &frame, place, rows));
    labels(&mut drawing, &frame, &found, panel);
    Some(drawing.finish(
        "plot",
        SIZE,
        &format!("relative error over speed-up of {} builds at {}", found.len(), panel.label()),
    ))
}

/// Decades from below the smallest error, whose lower end means no error, to above the largest.
fn vertical(found: &[BuildPoint<'_, '_>], tolerance: &Tolerance) -> Axis {
    let errors = || found.iter().map(|p| p.error).chain([tolerance.relative]).filter(|e| e.is_finite() && *e > 0.0);
    let (low, high) = errors().fold((1e-7_f64, 1e-6_f64), |(low, high), e| (low.min(e), high.max(e)));
    let low = 10f64.powf((low.log10() + 1e-9).floor() - 1.0);
    let high = 10f64.powf((high.log10() - 1e-9).ceil()).max(low * 10f64.powf(DECADES));
    // Infinite errors and NaN are drawn above all others.
    let strange = found.iter().any(|p| !p.error.is_finite());
    Axis { high: if strange { high * 10.0 } else { high }, low, ..Axis::decades(low, high, TickLabels::Error) }
}

fn spot(frame: &Frame, place: &BuildPoint<'_, '_>) -> (f64, f64) {
    let error = if place.error.is_finite() { place.error.max(frame.y.low) } else { frame.y.high };
    frame.place(place.speedup, error)
}

/// A disc where the answer is right, a cross where it is wrong.
fn point(drawing: &mut Drawing, frame: &Frame, place: &BuildPoint<'_, '_>, rows: &RowLinks) {
    let (x, y) = spot(frame, place);
    let href = rows.link(place.row.record.cell.id);
    let is_wrong = place.row.standing == RowStatus::Wrong;
    drawing.open(if is_wrong { "wrong" } else { "hue0" }, "");
    drawing.open("cell", &href);
    let answer = place.row.accuracy().map_or_else(|| "the reference".to_owned(), figure::off);
    drawing.title(&format!("{}: speed-up {}, {answer}", place.row.name(), significant(place.speedup, 3)));
    if is_wrong {
        let cross =
            polyline(&[(x - 4.5, y - 4.5), (x + 4.5, y + 4.5)]) + &polyline(&[(x - 4.5, y + 4.5), (x + 4.5, y - 4.5)]);
        drawing.path("cross", &cross);
    } else {
        drawing.path("point", &rings(&[(x, y)], 4.0));
    }
    drawing.close(&href);
    drawing.close("");
}

/// Names of the reference, the fastest and the wrong ones; a tooltip names the others.
fn labels(drawing: &mut Drawing, frame: &Frame, found: &[BuildPoint<'_, '_>], panel: &Panel<'_>) {
    let leader = panel.leaders().first().map(|row| row.record.cell.id);
    let told = |p: &&BuildPoint<'_, '_>| {
        let cell = &p.row.record.cell;
        p.row.standing == RowStatus::Wrong || cell.role == Role::Base || Some(cell.id) == leader
    };
    let told: Vec<&BuildPoint<'_, '_>> = found.iter().filter(told).collect();
    let beside = |y: f64| if y < frame.top() + 20.0 { y + 19.0 } else { y - 9.0 };
    let wanted: Vec<f64> = told.iter().map(|place| beside(spot(frame, place).1)).collect();
    let places = apart(&wanted, LINE, frame.top() + 10.0, frame.bottom() - 9.0);
    for (place, y) in told.iter().zip(places) {
        let (x, _) = spot(frame, place);
        let name = abridge(&place.row.name(), NAME);
        let half = name.chars().count() as f64 * LETTER / 2.0;
        let x = x.clamp(frame.across(frame.x.low) + half + 4.0, (frame.edge() - half).max(half));
        let class = if place.row.standing == RowStatus::Wrong { "direct wrong" } else { "direct hue0" };
        drawing.text(class, (x, y), Anchor::Middle, &name);
    }
}
