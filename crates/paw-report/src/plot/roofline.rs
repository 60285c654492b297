//! The roofline: points of operations per byte and operations per second, under the roofs that were measured with them.
//!
//! S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual performance model for multicore
//! architectures", Communications of the ACM 52 (2009).

use paw_data::quantity::Quantity;

use crate::axis::{Axis, TickLabels};
use crate::number::{self, Scale};
use crate::participants::Participants;
use crate::plot::RowLinks;
use crate::plot::frame::{Frame, SIZE};
use crate::plot::label::{LINE, apart};
use crate::plot::lines::{DASHES, HUES};
use crate::roofline::{MEMORY, Roofs};
use crate::series::short_label;
use crate::svg::{Anchor, Drawing, polyline, rings};

/// Width of a word beside a point.
const WORD: f64 = 30.0;
/// Most points that have labels beside them.
const LABELLED: usize = 24;

/// A point of the plane of intensity and rate.
#[derive(Debug, Clone, PartialEq)]
pub struct Dot {
    /// The series it belongs to: a benchmark, a build.
    pub series: String,
    /// Operations per byte.
    pub intensity: f64,
    /// Operations per second.
    pub rate: f64,
    /// A word beside it; may be empty.
    pub label: String,
    /// Its tooltip.
    pub title: String,
    /// The cell it shows.
    pub cell: u32,
}

/// `dots` under `roofs`; `None` where either is missing.
pub fn draw(roofs: &[Roofs], dots: &[Dot], rows: &RowLinks) -> Option<String> {
    let widest = roofs.iter().max_by(|a, b| a.peak().total_cmp(&b.peak()))?;
    dots.first()?;
    let steepest = widest.slopes.first().map_or(1.0, |slope| slope.rate);
    let (ridge, near) = (widest.peak() / widest.memory(), widest.peak() / steepest);
    let all = || dots.iter().map(|d| d.intensity).chain([near / 4.0, ridge * 4.0]);
    let (left, right) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    let x = Axis::decades(left * 0.8, right * 1.2, TickLabels::Plain);
    let at = |roofs: &Roofs| roofs.peak().min(roofs.memory() * x.low);
    let lowest = dots.iter().map(|d| d.rate).chain(roofs.iter().map(at)).fold(f64::INFINITY, f64::min);
    let scale = Scale::of(widest.peak(), Quantity::Flops);
    let unit = scale.unit.clone();
    let y = Axis::decades(lowest * 0.8, widest.peak() * 1.15, TickLabels::Scaled(scale));
    let frame = Frame { x, y, right: 82.0 };
    let mut drawing = Drawing::new();
    frame.draw(&mut drawing, "operations per byte", &unit);
    draw_roofs(&mut drawing, &frame, roofs);
    draw_dots(&mut drawing, &frame, dots, rows);
    let label = format!("Roofline: {} cells under {} roofs", dots.len(), roofs.len());
    Some(drawing.finish("plot", SIZE, &label))
}

/// All slopes and peaks of the most threads, and the outermost of others; one set has no name of its threads.
fn draw_roofs(drawing: &mut Drawing, frame: &Frame, roofs: &[Roofs]) {
    let mut marks: Vec<(f64, String)> = Vec::new();
    for (i, set) in roofs.iter().enumerate() {
        drawing.open(&format!("roof dash{}", i.min(DASHES - 1)), "");
        let inner = i + 1 == roofs.len();
        let name = match set.threads {
            Some(threads) if roofs.len() > 1 => short_label(&Participants::Threads.count(threads)) + " ",
            _ => String::new(),
        };
        let steepest = set.slopes.first().map_or(1.0, |slope| slope.rate);
        for (number, peak) in set.peaks.iter().enumerate().take(if inner { set.peaks.len() } else { 1 }) {
            let from = (peak.rate / steepest).clamp(frame.x.low, frame.x.high);
            drawing.path("curve", &polyline(&[frame.place(from, peak.rate), frame.place(frame.x.high, peak.rate)]));
            let figure = number::quantity(peak.rate, Quantity::Flops, None).replace("FLOP/s", "F/s");
            let label = if set.peaks.len() > 1 || number > 0 { format!("{name}{}", peak.name) } else { name.clone() };
            marks.push((frame.up(peak.rate), [label.trim_end(), &figure].join("\n").trim().to_owned()));
        }
        let drawn = set.slopes.iter().filter(|slope| inner || slope.name == MEMORY);
        for slope in drawn {
            let to = (set.peak() / slope.rate).clamp(frame.x.low, frame.x.high);
            let ends = [(frame.x.low, slope.rate * frame.x.low), (to, slope.rate * to)].map(|(x, y)| frame.place(x, y));
            drawing.path("curve", &polyline(&ends));
            let figure = number::quantity(slope.rate, Quantity::Bytes, None);
            slope_name(drawing, ends, &format!("{name}{} {figure}", slope.name));
        }
        drawing.close("");
    }
    name_peaks(drawing, frame, &marks);
}

/// Writes the name of a slope along it, near its lower end.
fn slope_name(drawing: &mut Drawing, [from, to]: [(f64, f64); 2], name: &str) {
    let angle = (to.1 - from.1).atan2(to.0 - from.0).to_degrees();
    // Off the line by its own height of half a letter.
    let at = (from.0 + 8.0 - 4.0 * angle.to_radians().sin().abs(), from.1 + 8.0 * angle.to_radians().tan() - 5.0);
    drawing.text_along("mark", at, angle, name);
}

/// Names of peaks right of the frame: two lines each, moved apart.
fn name_peaks(drawing: &mut Drawing, frame: &Frame, marks: &[(f64, String)]) {
    let wanted: Vec<f64> = marks.iter().map(|(y, _)| *y).collect();
    let places = apart(&wanted, 2.0 * LINE - 2.0, frame.top(), frame.bottom());
    for ((_, text), y) in marks.iter().zip(places) {
        for (line, words) in text.lines().enumerate() {
            let at = (frame.edge() + 5.0, y + 1.0 + 12.0 * line as f64);
            drawing.text("mark", at, Anchor::Start, words);
        }
    }
}

fn draw_dots(drawing: &mut Drawing, frame: &Frame, dots: &[Dot], rows: &RowLinks) {
    let mut series: Vec<&str> = Vec::new();
    for dot in dots {
        if !series.contains(&dot.series.as_str()) {
            series.push(&dot.series);
        }
    }
    for (hue, name) in series.iter().enumerate() {
        drawing.open(&format!("hue{}", hue % HUES), "");
        let own: Vec<&Dot> = dots.iter().filter(|d| d.series == *name).collect();
        let places: Vec<(f64, f64)> = own.iter().map(|dot| frame.place(dot.intensity, dot.rate)).collect();
        // Points of one intensity are one above the other, and those of two series often in one place: every other series has its words left.
        let (aside, anchor) = if hue % 2 == 0 { (6.0, Anchor::Start) } else { (-6.0, Anchor::End) };
        for ((dot, at), word_y) in own.iter().zip(&places).zip(beside(&places, frame)) {
            let href = rows.link(dot.cell);
            drawing.open("cell", &href);
            drawing.title(&dot.title);
            drawing.path("point", &rings(&[*at], 3.0));
            if !dot.label.is_empty() && dots.len() <= LABELLED {
                drawing.text("direct", (at.0 + aside, word_y + 4.0), anchor, &dot.label);
            }
            drawing.close(&href);
        }
        // Names go under the flat part of the lowest roof, where points are rare: cells of high intensity are rarely slow.
        let y = frame.bottom() - 10.0 - 15.0 * (series.len() - 1 - hue) as f64;
        drawing.path("point", &rings(&[(frame.edge() - 8.0, y - 4.0)], 3.0));
        drawing.text("direct", (frame.edge() - 16.0, y), Anchor::End, name);
        drawing.close("");
    }
}

/// The heights of the words beside points: their own, moved apart where the points are one above the other.
fn beside(places: &[(f64, f64)], frame: &Frame) -> Vec<f64> {
    let wanted: Vec<f64> = places.iter().map(|(_, y)| *y).collect();
    let (left, right) = places.iter().fold((f64::INFINITY, 0.0_f64), |(l, r), (x, _)| (l.min(*x), r.max(*x)));
    if right - left < WORD { apart(&wanted, LINE, frame.top(), frame.bottom()) } else { wanted }
}
