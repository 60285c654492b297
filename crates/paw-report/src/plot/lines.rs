//! Lines through points: each with its interval as a band, and its name at its end.

use crate::axis::Axis;
use crate::grade::Grade;
use crate::plot::frame::{Frame, SIZE};
use crate::plot::label::{LINE, apart};
use crate::series::short_label;
use crate::svg::{Anchor, Drawing, polyline, rings};
use paw_data::trust::Trust;

/// More lines than this cannot be distinguished, and their labels do not fit beside the plot.
pub const DIRECT_LABELS: usize = 8;
/// Number of hues in the palette.
pub const HUES: usize = 7;
/// Number of dash patterns.
pub const DASHES: usize = 4;

/// A boundary to mark on the horizontal axis: the size of a cache.
#[derive(Debug, Clone, PartialEq)]
pub struct Boundary {
    pub name: String,
    /// Its place on the axis.
    pub at: f64,
}

/// One point, filled if its number can be trusted, with a tooltip and a link to its row.
#[derive(Debug, Clone, PartialEq)]
pub struct Dot {
    /// Horizontal value.
    pub x: f64,
    /// Vertical value.
    pub y: f64,
    /// The ends of its interval; twice the value without one.
    pub ends: (f64, f64),
    pub grade: Grade,
    pub words: String,
    /// The row it leads to; empty where there is none.
    pub href: String,
}

/// A shaded part of the plot where lines are level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Its left end, a horizontal value.
    pub from: f64,
    /// Its lower and upper edge.
    pub between: (f64, f64),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub label: String,
    /// Hue and dash.
    pub look: (usize, usize),
    /// Its points, split where a cell has no number.
    pub pieces: Vec<Vec<Dot>>,
    /// Whether its only number has no place on the horizontal axis: it is drawn across the plot.
    pub is_level: bool,
}

impl Line {
    pub fn dots(&self) -> impl Iterator<Item = &Dot> {
        self.pieces.iter().flatten()
    }
}

/// Axes and marks of a plot of lines.
#[derive(Debug)]
pub struct LinePlot<'p> {
    /// The horizontal axis.
    pub x: Axis,
    pub x_name: &'p str,
    /// The vertical axis.
    pub y: Axis,
    /// Its name: the unit.
    pub y_name: &'p str,
    /// The line of ideal values; may be empty.
    pub ideal: Vec<(f64, f64)>,
    /// Marks on the horizontal axis.
    pub boundaries: &'p [Boundary],
    /// The shaded part where the lines are level.
    pub level: Option<Level>,
    /// Description for screen readers.
    pub label: String,
}

/// The plot of `lines`.
pub fn plot(lines: &[Line], paper: LinePlot<'_>) -> String {
    let direct = lines.len() > 1 && lines.len() <= DIRECT_LABELS;
    let widest = lines.iter().map(|line| short_label(&line.label).chars().count()).max().unwrap_or(0);
    let right = if direct { (18.0 + 7.4 * widest as f64).min(170.0) } else { 14.0 };
    let frame = Frame { x: paper.x, y: paper.y, right };
    let mut drawing = Drawing::new();
    shade(&mut drawing, &frame, paper.level);
    mark(&mut drawing, &frame, paper.boundaries);
    frame.draw(&mut drawing, paper.x_name, paper.y_name);
    let ideal: Vec<(f64, f64)> = paper.ideal.iter().map(|(x, y)| frame.place(*x, *y)).collect();
    drawing.path("ideal", &polyline(&ideal));
    lines.iter().for_each(|line| draw(&mut drawing, &frame, line));
    if direct {
        direct_labels(&mut drawing, &frame, lines);
    }
    drawing.finish("plot", SIZE, &paper.label)
}

fn shade(drawing: &mut Drawing, frame: &Frame, level: Option<Level>) {
    let Some(Level { from, between: (low, high) }) = level else { return };
    let (left, top) = frame.place(from, high);
    drawing.rectangle("level", (left, top), ((frame.edge() - left).max(0.0), (frame.up(low) - top).max(1.0)));
    drawing.line("knee", (left, frame.top()), (left, frame.bottom()));
}

fn mark(drawing: &mut Drawing, frame: &Frame, boundaries: &[Boundary]) {
    for boundary in boundaries.iter().filter(|b| b.at > frame.x.low && b.at < frame.x.high) {
        let x = frame.across(boundary.at);
        drawing.line("boundary", (x, frame.top()), (x, frame.bottom()));
        drawing.text("mark", (x, frame.top() - 5.0), Anchor::Middle, &boundary.name);
    }
}

fn draw(drawing: &mut Drawing, frame: &Frame, line: &Line) {
    drawing.open(&format!("hue{} dash{}", line.look.0, line.look.1), "");
    if line.is_level {
        line.dots().for_each(|dot| across(drawing, frame, dot));
        return drawing.close("");
    }
    for piece in &line.pieces {
        let upper: Vec<(f64, f64)> = piece.iter().map(|dot| frame.place(dot.x, dot.ends.1)).collect();
        let lower: Vec<(f64, f64)> = piece.iter().rev().map(|dot| frame.place(dot.x, dot.ends.0)).collect();
        if piece.len() > 1 {
            drawing.path("band", &(polyline(&[upper, lower].concat()) + "Z"));
            drawing.path("curve", &polyline(&piece.iter().map(|dot| frame.place(dot.x, dot.y)).collect::<Vec<_>>()));
        }
    }
    for dot in line.dots() {
        drawing.open("cell", &dot.href);
        drawing.title(&dot.words);
        let class = if dot.grade == Grade::Number(Trust::Good) { "point" } else { "point hollow" };
        drawing.path(class, &rings(&[frame.place(dot.x, dot.y)], 3.0));
        drawing.close(&dot.href);
    }
    drawing.close("");
}

/// A number that holds wherever one looks: a line from edge to edge in the band of its interval.
fn across(drawing: &mut Drawing, frame: &Frame, dot: &Dot) {
    let (from, to) = (frame.x.low, frame.x.high);
    let line = |y: f64| [frame.place(from, y), frame.place(to, y)];
    let [below, above] = [line(dot.ends.0), line(dot.ends.1)];
    drawing.open("cell", &dot.href);
    drawing.title(&dot.words);
    drawing.path("band", &(polyline(&[above[0], above[1], below[1], below[0]]) + "Z"));
    drawing.path("curve", &polyline(&line(dot.y)));
    let class = if dot.grade == Grade::Number(Trust::Good) { "point" } else { "point hollow" };
    drawing.path(class, &rings(&[frame.place(to, dot.y)], 3.0));
    drawing.close(&dot.href);
}

fn direct_labels(drawing: &mut Drawing, frame: &Frame, lines: &[Line]) {
    let end = |line: &Line| {
        line.dots().last().map(|dot| frame.place(if line.is_level { frame.x.high } else { dot.x }, dot.y))
    };
    let ends: Vec<_> = lines.iter().filter_map(|line| end(line).map(|end| (line, end))).collect();
    let wanted: Vec<f64> = ends.iter().map(|(_, end)| end.1).collect();
    let places = apart(&wanted, LINE, frame.top(), frame.bottom() - 4.0);
    for ((line, end), y) in ends.iter().zip(places) {
        drawing.open(&format!("hue{} dash{}", line.look.0, line.look.1), "");
        drawing.path("leader", &polyline(&[(end.0 + 5.0, end.1), (frame.edge() + 10.0, y)]));
        drawing.text("direct", (frame.edge() + 13.0, y + 4.0), Anchor::Start, &short_label(&line.label));
        drawing.close("");
    }
}
