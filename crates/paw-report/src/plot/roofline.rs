//! The roofline: every cell under the peak and the bandwidth that were measured with it.
//!
//! S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual performance model for multicore
//! architectures", Communications of the ACM 52 (2009).

use paw_data::axis;
use paw_data::cell::{Cell, Role};
use paw_data::headline::Family;
use paw_data::machine::Identity;
use paw_data::precision::Precision;
use paw_data::quantity::Quantity;

use crate::axis::{Axis, TickLabels};
use crate::latency::data_caches;
use crate::number::{self, Scale};
use crate::participants::Participants;
use crate::plot::RowLinks;
use crate::plot::frame::{Frame, SIZE};
use crate::plot::label::{LINE, apart};
use crate::plot::lines::{DASHES, HUES};
use crate::reading::Reading;
use crate::section::Section;
use crate::series::short_label;
use crate::svg::{Anchor, Drawing, polyline, rings};

/// Most points drawn; beyond it each benchmark keeps its highest.
const POINTS: usize = 240;

/// Peak and bandwidth at one number of threads.
#[derive(Debug, Clone, PartialEq)]
struct Roof {
    threads: Option<i64>,
    /// Operations per second.
    peak: f64,
    /// Bytes per second.
    bandwidth: f64,
}

impl Roof {
    fn at(&self, intensity: f64) -> f64 {
        self.peak.min(self.bandwidth * intensity)
    }
}

/// One cell in the plane of intensity and rate.
#[derive(Debug, Clone)]
struct Dot<'s> {
    benchmark: &'s str,
    intensity: f64,
    rate: f64,
    title: String,
    cell: u32,
}

/// The roofline of all double-precision cells that state operations and bytes, on a machine of `identity`; `None` without
/// a roof or without a cell.
pub fn roofline(sections: &[&Section<'_>], identity: &Identity, rows: &RowLinks) -> Option<String> {
    let roofs = roofs(sections, cached(identity));
    let dots = points(sections);
    let widest = roofs.iter().max_by(|a, b| a.peak.total_cmp(&b.peak))?;
    dots.first()?;
    let ridge = widest.peak / widest.bandwidth;
    let all = || dots.iter().map(|d| d.intensity).chain([ridge / 4.0, ridge * 4.0]);
    let (left, right) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    let x = Axis::decades(left * 0.8, right * 1.2, TickLabels::Plain);
    let lowest = dots.iter().map(|d| d.rate).chain(roofs.iter().map(|r| r.at(x.low))).fold(f64::INFINITY, f64::min);
    let scale = Scale::of(widest.peak, Quantity::Flops);
    let unit = scale.unit.clone();
    let y = Axis::decades(lowest * 0.8, widest.peak * 1.15, TickLabels::Scaled(scale));
    let frame = Frame { x, y, right: 76.0 };
    let mut drawing = Drawing::new();
    frame.draw(&mut drawing, "operations per byte", &unit);
    draw_roofs(&mut drawing, &frame, &roofs);
    draw_dots(&mut drawing, &frame, &dots, rows);
    let label = format!("Roofline: {} cells under {} roofs", dots.len(), roofs.len());
    Some(drawing.finish("plot", SIZE, &label))
}

/// Total size of the last-level caches in bytes: smaller working sets show a cache's bandwidth, not the memory's.
fn cached(identity: &Identity) -> f64 {
    data_caches(identity).last().map_or(0.0, |c| c.size_bytes as f64 * f64::from(c.instances.max(1)))
}

/// A roof for each number of threads for which both peak and bandwidth were measured.
fn roofs(sections: &[&Section<'_>], cached: f64) -> Vec<Roof> {
    let mut roofs: Vec<Roof> = Vec::new();
    for reading in sections.iter().flat_map(|s| &s.rows) {
        let (cell, Some(value)) = (&reading.record.cell, reading.value) else { continue };
        let family = cell.family();
        // Single precision has a roof of its own; mixing both would raise the one for double.
        let peak = may_be_double(cell)
            && (cell.role == Role::Peak || family == Some(Family::Peak))
            && cell.headline == Quantity::Flops;
        let memory = cell.point.float(axis::BYTES).is_none_or(|bytes| bytes > cached);
        let bytes =
            cell.headline == Quantity::Bytes && (cell.role == Role::Bandwidth || family == Some(Family::Memory));
        let bandwidth = bytes && memory;
        if !peak && !bandwidth {
            continue;
        }
        let place = roofs.iter().position(|r| r.threads == reading.participants()).unwrap_or_else(|| {
            roofs.push(Roof { threads: reading.participants(), peak: 0.0, bandwidth: 0.0 });
            roofs.len() - 1
        });
        let slot = if peak { &mut roofs[place].peak } else { &mut roofs[place].bandwidth };
        *slot = slot.max(value.middle);
    }
    roofs.retain(|r| r.peak > 0.0 && r.bandwidth > 0.0);
    roofs.sort_by_key(|r| r.threads);
    roofs
}

fn points<'s>(sections: &[&'s Section<'_>]) -> Vec<Dot<'s>> {
    let subjects = sections.iter().filter(|s| s.role == Role::Subject && s.family != Some(Family::Peak));
    let mut dots: Vec<Dot<'s>> = subjects.flat_map(|s| s.rows.iter().filter_map(move |r| dot(s, r))).collect();
    dots.sort_by(|a, b| b.rate.total_cmp(&a.rate));
    dots.truncate(POINTS);
    dots
}

/// Whether a cell counts double-precision operations, or does not state its precision.
fn may_be_double(cell: &Cell) -> bool {
    cell.precision().is_none_or(|precision| precision == Precision::Double)
}

fn dot<'s>(section: &Section<'_>, reading: &'s Reading<'_>) -> Option<Dot<'s>> {
    let cell = &reading.record.cell;
    let (value, work) = (reading.value?, cell.work);
    if work.flops <= 0.0 || work.bytes <= 0.0 || !may_be_double(cell) {
        return None;
    }
    let seconds = match cell.headline {
        Quantity::Time => value.middle,
        quantity => work.amount(quantity) / value.middle,
    };
    let rate = work.flops / seconds;
    let place = crate::finding::place(section, reading);
    let intensity = work.flops / work.bytes;
    let figure = number::quantity(rate, Quantity::Flops, None);
    let title =
        format!("{}, {place}: {figure} at {} operations per byte", cell.benchmark, number::significant(intensity, 3));
    (rate.is_finite() && rate > 0.0).then_some(Dot {
        benchmark: &cell.benchmark,
        intensity,
        rate,
        title,
        cell: cell.id,
    })
}

fn draw_roofs(drawing: &mut Drawing, frame: &Frame, roofs: &[Roof]) {
    let wanted: Vec<f64> = roofs.iter().map(|r| frame.up(r.peak)).collect();
    let places = apart(&wanted, 2.0 * LINE, frame.top(), frame.bottom());
    for (i, (roof, y)) in roofs.iter().zip(places).enumerate() {
        let ridge = (roof.peak / roof.bandwidth).clamp(frame.x.low, frame.x.high);
        let corners = [frame.x.low, ridge, frame.x.high].map(|x| frame.place(x, roof.at(x)));
        drawing.open(&format!("roof dash{}", i.min(DASHES - 1)), "");
        drawing.path("curve", &polyline(&corners));
        drawing.close("");
        let name = roof.threads.map_or(String::new(), |n| short_label(&Participants::Threads.count(n)) + " ");
        let x = frame.edge() + 5.0;
        let peak = number::quantity(roof.peak, Quantity::Flops, None);
        drawing.text("mark", (x, y + 2.0), Anchor::Start, &format!("{name}{}", peak.replace("FLOP/s", "F/s")));
        drawing.text("mark", (x, y + 15.0), Anchor::Start, &number::quantity(roof.bandwidth, Quantity::Bytes, None));
    }
}

fn draw_dots(drawing: &mut Drawing, frame: &Frame, dots: &[Dot<'_>], rows: &RowLinks) {
    let mut benchmarks: Vec<&str> = Vec::new();
    for dot in dots {
        if !benchmarks.contains(&dot.benchmark) {
            benchmarks.push(dot.benchmark);
        }
    }
    for (hue, benchmark) in benchmarks.iter().enumerate() {
        drawing.open(&format!("hue{}", hue % HUES), "");
        for dot in dots.iter().filter(|d| d.benchmark == *benchmark) {
            let at = frame.place(dot.intensity, dot.rate);
            let href = rows.link(dot.cell);
            drawing.open("cell", &href);
            drawing.title(&dot.title);
            drawing.path("point", &rings(&[at], 3.0));
            drawing.close(&href);
        }
        // Names go under the flat part of the lowest roof, where points are rare: cells of high intensity are rarely slow.
        let y = frame.bottom() - 10.0 - 15.0 * (benchmarks.len() - 1 - hue) as f64;
        drawing.path("point", &rings(&[(frame.edge() - 66.0, y - 4.0)], 3.0));
        drawing.text("direct", (frame.edge() - 58.0, y), Anchor::Start, benchmark);
        drawing.close("");
    }
}
