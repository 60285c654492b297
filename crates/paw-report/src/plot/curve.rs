//! Curves over a ladder: a line, its interval as a band, a point for each cell.

use paw_data::trust::Trust;

use crate::axis::{Axis, Labels};
use crate::number;
use crate::plot::Rows;
use crate::plot::frame::{Frame, SIZE};
use crate::plot::label::{LINE, apart};
use crate::reading::{Grade, Reading};
use crate::section::{Section, Spread, in_bytes};
use crate::series::{Series, short_label};
use crate::svg::{Anchor, Drawing, polyline, rings};

/// More curves than this cannot be told apart, and their labels do not fit beside the plot.
pub const DIRECT_LABELS: usize = 8;
/// Hues of the palette.
pub const HUES: usize = 7;
/// Ways to draw a line.
pub const DASHES: usize = 4;
/// More points on a curve than this are closer than a pixel.
const POINTS: usize = 400;

/// A boundary to mark on the horizontal axis: the size of a cache.
#[derive(Debug, Clone, PartialEq)]
pub struct Boundary {
    /// Its name.
    pub name: String,
    /// Where.
    pub at: f64,
}

/// Which hue and dash each of `all` has: the hue tells the provider, the dash the rest, where providers differ.
pub fn looks(section: &Section<'_>, all: &[Series<'_, '_>]) -> Vec<(usize, usize)> {
    if section.providers == Spread::Same {
        return (0..all.len()).map(|i| (i % HUES, i / HUES % DASHES)).collect();
    }
    let provider = |s: &Series<'_, '_>| s.rows.first().map(|r| r.record.cell.provider.clone());
    let rest = |s: &Series<'_, '_>| provider(s).map(|p| s.label.replacen(&p, "", 1));
    let place = |keys: &mut Vec<Option<String>>, key: Option<String>| {
        keys.iter().position(|k| *k == key).unwrap_or_else(|| {
            keys.push(key);
            keys.len() - 1
        })
    };
    let (mut providers, mut rests) = (Vec::new(), Vec::new());
    all.iter().map(|s| (place(&mut providers, provider(s)) % HUES, place(&mut rests, rest(s)) % DASHES)).collect()
}

/// The curves of `all` with their `looks`, over the ladder of `section`; points link to their cell's row.
pub fn curves(
    section: &Section<'_>,
    all: &[&Series<'_, '_>],
    looks: &[(usize, usize)],
    boundaries: &[Boundary],
    rows: &Rows,
) -> Option<String> {
    let ladder = section.ladder?;
    let scale = section.scale.clone()?;
    let valued = || all.iter().flat_map(|s| &s.rows).filter(|r| r.value.is_some());
    valued().nth(1)?;
    let labels = if in_bytes(ladder) { Labels::Bytes } else { Labels::Plain };
    let x = Axis::ladder(valued().filter_map(|r| r.record.cell.point.float(ladder)), labels);
    let ends = valued().filter_map(|r| r.value).flat_map(|v| {
        let (low, high) = v.interval.unwrap_or((v.middle, v.middle));
        [low, v.middle, high]
    });
    let y = Axis::quantity(ends, Labels::Scaled(scale));
    let direct = all.len() > 1 && all.len() <= DIRECT_LABELS;
    let widest = all.iter().map(|s| short_label(&s.label).chars().count()).max().unwrap_or(0);
    let frame = Frame { x, y, right: if direct { (18.0 + 7.4 * widest as f64).min(170.0) } else { 14.0 } };
    let mut drawing = Drawing::new();
    mark(&mut drawing, &frame, boundaries);
    frame.draw(&mut drawing, ladder, section.unit());
    for (series, look) in all.iter().zip(looks) {
        curve(&mut drawing, &frame, section, series, *look, rows);
    }
    if direct {
        direct_labels(&mut drawing, &frame, ladder, all, looks);
    }
    let label = format!("{} in {} over {ladder}, {} curves", section.title(), section.unit(), all.len());
    Some(drawing.finish("plot", SIZE, &label))
}

fn mark(drawing: &mut Drawing, frame: &Frame, boundaries: &[Boundary]) {
    for boundary in boundaries.iter().filter(|b| b.at > frame.x.low && b.at < frame.x.high) {
        let x = frame.across(boundary.at);
        drawing.line("boundary", (x, frame.top()), (x, frame.bottom()));
        drawing.text("mark", (x, frame.top() - 5.0), Anchor::Middle, &boundary.name);
    }
}

/// One curve: broken where a cell has no number.
fn curve(
    drawing: &mut Drawing,
    frame: &Frame,
    section: &Section<'_>,
    series: &Series<'_, '_>,
    look: (usize, usize),
    rows: &Rows,
) {
    let ladder = section.ladder.unwrap_or_default();
    let stride = series.rows.len().div_ceil(POINTS).max(1);
    let cells: Vec<&Reading<'_>> = series.rows.iter().step_by(stride).copied().collect();
    drawing.open(&format!("hue{} dash{}", look.0, look.1), "");
    for piece in cells.split(|r| r.value.is_none()) {
        let place = |r: &&Reading<'_>, pick: fn((f64, f64)) -> f64| {
            let value = r.value.expect("pieces hold readings with a value only");
            let x = r.record.cell.point.float(ladder).unwrap_or(0.0);
            frame.place(x, pick(value.interval.unwrap_or((value.middle, value.middle))))
        };
        let upper: Vec<(f64, f64)> = piece.iter().map(|r| place(r, |i| i.1)).collect();
        let lower: Vec<(f64, f64)> = piece.iter().rev().map(|r| place(r, |i| i.0)).collect();
        if piece.len() > 1 {
            drawing.path("band", &(polyline(&[upper, lower].concat()) + "Z"));
        }
        let middle: Vec<(f64, f64)> = piece.iter().filter_map(|r| point(frame, ladder, r)).collect();
        drawing.path("curve", if middle.len() > 1 { polyline(&middle) } else { String::new() }.as_str());
    }
    for reading in cells.iter().filter(|r| r.value.is_some()) {
        marker(drawing, frame, section, series, reading, rows);
    }
    drawing.close("");
}

fn point(frame: &Frame, ladder: &str, reading: &Reading<'_>) -> Option<(f64, f64)> {
    Some(frame.place(reading.record.cell.point.float(ladder)?, reading.value?.middle))
}

/// The point of one cell: filled where it can be trusted, hollow where not; it says its number and leads to its row.
fn marker(
    drawing: &mut Drawing,
    frame: &Frame,
    section: &Section<'_>,
    series: &Series<'_, '_>,
    reading: &Reading<'_>,
    rows: &Rows,
) {
    let (Some(ladder), Some(value)) = (section.ladder, reading.value) else { return };
    let Some(at) = point(frame, ladder, reading) else { return };
    let href = rows.link(reading.record.cell.id);
    let half = value.relative().map_or(String::new(), |r| format!(" ±{}", number::half_width(r)));
    let figure = number::quantity(value.middle, section.quantity, value.half_width());
    drawing.open("cell", &href);
    let grade = if reading.grade.doubtful() { format!(", {}", reading.grade.word()) } else { String::new() };
    drawing.title(&format!("{}, {ladder}={}: {figure}{half}{grade}", series.label, section.at(reading, ladder)));
    let class = if reading.grade == Grade::Number(Trust::Good) { "point" } else { "point hollow" };
    drawing.path(class, &rings(&[at], 3.0));
    drawing.close(&href);
}

fn direct_labels(
    drawing: &mut Drawing,
    frame: &Frame,
    ladder: &str,
    all: &[&Series<'_, '_>],
    looks: &[(usize, usize)],
) {
    let ends: Vec<_> = all
        .iter()
        .zip(looks)
        .filter_map(|(s, look)| s.rows.iter().rev().find_map(|r| point(frame, ladder, r)).map(|end| (s, look, end)))
        .collect();
    let places =
        apart(&ends.iter().map(|(_, _, end)| end.1).collect::<Vec<_>>(), LINE, frame.top(), frame.bottom() - 4.0);
    for ((series, (hue, dash), end), y) in ends.iter().zip(places) {
        drawing.open(&format!("hue{hue} dash{dash}"), "");
        drawing.path("leader", &polyline(&[(end.0 + 5.0, end.1), (frame.edge() + 10.0, y)]));
        drawing.text("direct", (frame.edge() + 13.0, y + 4.0), Anchor::Start, &short_label(&series.label));
        drawing.close("");
    }
}
