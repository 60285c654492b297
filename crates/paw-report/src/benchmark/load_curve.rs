//! Latency over the load that others put on memory: the curve, the idle latency, and the knee.

use paw_data::secondary::SecondaryMetric;
use paw_data::secondary_median::secondary_median;

use crate::axis::{Axis, TickLabels};
use crate::model::{Picture, Sentence};
use crate::number;
use crate::plot::RowLinks;
use crate::plot::curve::{dot, looks, values};
use crate::plot::lines::{self, DIRECT_LABELS, Line, LinePlot};
use crate::reading::Reading;
use crate::section::Section;
use crate::series::{Series, series};

/// The latency at the knee ÷ the idle latency.
const KNEE: f64 = 2.0;
/// Share of the largest load up to which memory counts as idle.
const IDLE: f64 = 0.05;
/// Bytes in a gigabyte.
const GB: f64 = 1e9;

/// A cell: the load in bytes a second, its latency in seconds.
struct Point<'s, 'r> {
    load: f64,
    latency_s: f64,
    reading: &'s Reading<'r>,
}

/// Whether the cells of `section` have a load.
pub fn is_loaded(section: &Section<'_>) -> bool {
    section.rows.iter().any(|reading| load(reading).is_some())
}

/// Bytes a second that others moved.
fn load(reading: &Reading<'_>) -> Option<f64> {
    secondary_median(&reading.record.samples, SecondaryMetric::LoadRate).map(|found| found.median)
}

/// The cells of `series` with a number, from the longest pause to none: where memory is saturated, the load itself may stand still or
/// fall while the latency rises.
fn points<'s, 'r>(series: &Series<'s, 'r>) -> Vec<Point<'s, 'r>> {
    let point =
        |reading: &&'s Reading<'r>| Some(Point { load: load(reading)?, latency_s: reading.value?.middle, reading });
    series.rows.iter().rev().filter_map(point).collect()
}

/// The curve of every series.
pub fn pictures(section: &Section<'_>, links: &RowLinks) -> Vec<Picture> {
    let (all, Some(scale)) = (series(section), section.scale.clone()) else { return Vec::new() };
    let all_looks = looks(section, &all);
    let line = |(own, look): (&Series<'_, '_>, &(usize, usize))| {
        let at = |point: &Point<'_, '_>| {
            let mut dot = dot(section, own, point.reading, section.quantity, links)?;
            dot.x = point.load / GB;
            dot.words += &format!(" at {} GB/s", number::significant(dot.x, 3));
            Some(dot)
        };
        let pieces = vec![points(own).iter().filter_map(at).collect()];
        Line { label: own.label.clone(), look: *look, pieces, is_level: false }
    };
    let lines: Vec<Line> = all.iter().zip(&all_looks).map(line).collect();
    if lines.iter().flat_map(Line::dots).nth(1).is_none() {
        return Vec::new();
    }
    let x = Axis::quantity(lines.iter().flat_map(Line::dots).map(|dot| dot.x), TickLabels::Plain);
    let y = Axis::quantity(values(&lines), TickLabels::Scaled(scale));
    let label = format!("{} in {} over the load, {} curves", section.title(), section.unit(), lines.len());
    let svg = lines::plot(
        &lines,
        LinePlot {
            x,
            x_name: "GB/s",
            y,
            y_name: section.unit(),
            ideal: Vec::new(),
            boundaries: &[],
            level: None,
            label,
        },
    );
    let legend = all.iter().zip(&all_looks).filter(|_| all.len() > DIRECT_LABELS);
    let legend = legend.map(|(own, look)| (look.0, look.1, own.label.clone())).collect();
    let caption = "Time of a load over what the other threads read and write (lower is better). Bands are 95 % intervals; hollow \
                   points are to be doubted.";
    vec![Picture { svg, title: String::new(), caption: caption.to_owned(), legend }]
}

/// The idle latency and the knee of every series, as sentences.
pub fn sentences(section: &Section<'_>) -> Vec<Sentence> {
    let all = series(section);
    let is_one = all.len() == 1;
    let told = |own: &Series<'_, '_>| {
        let name = if is_one { String::new() } else { format!("{}: ", own.label) };
        Some(Sentence::from(name + &sentence(&points(own))?))
    };
    all.iter().filter_map(told).collect()
}

/// What is known of one curve; `None` with fewer than two points.
fn sentence(points: &[Point<'_, '_>]) -> Option<String> {
    let (idle, most) = (points.first()?, points.iter().max_by(|a, b| a.load.total_cmp(&b.load))?);
    if points.len() < 2 {
        return None;
    }
    // Neither a latency nor a load of nothing has a multiple.
    if most.load <= 0.0 || idle.latency_s <= 0.0 {
        return Some("no knee: there is no time or no load to tell it by.".to_owned());
    }
    let gigabytes = |load: f64| format!("{} GB/s", number::significant(load / GB, 3));
    let time = |seconds: f64| number::quantity(seconds, paw_data::quantity::Quantity::Time, None);
    if idle.load > IDLE * most.load {
        let (least, most) = (gigabytes(idle.load), gigabytes(most.load));
        return Some(format!(
            "no idle latency, and so no knee: the others moved {least} at least, of {most} at most. A longer delay leaves memory idle."
        ));
    }
    let doubtful = |point: &Point<'_, '_>| if point.reading.grade.doubtful() { " (doubtful)" } else { "" };
    let start = format!("idle {}{}", time(idle.latency_s), doubtful(idle));
    let limit = KNEE * idle.latency_s;
    let Some(after) = points.iter().position(|point| point.latency_s >= limit) else {
        let end = format!("{}, the most they moved ({} there)", gigabytes(most.load), time(most.latency_s));
        let doubtful = points.iter().filter(|point| point.reading.grade.doubtful()).count();
        let doubt = match doubtful {
            0 => String::new(),
            some => format!("; {some} of {} are doubtful", number::plural(points.len(), "point")),
        };
        return Some(format!("{start}; no knee: below twice that up to {end}{doubt}."));
    };
    let (before, behind) = (&points[after - 1], &points[after]);
    let share = (limit - before.latency_s) / (behind.latency_s - before.latency_s);
    let knee = before.load + share * (behind.load - before.load);
    let doubt = if before.reading.grade.doubtful() || behind.reading.grade.doubtful() { " (doubtful)" } else { "" };
    let (knee, from, to) = (gigabytes(knee), gigabytes(before.load), gigabytes(behind.load));
    Some(format!(
        "{start}; knee, where a load takes twice as long, at {knee}{doubt}, between {from} and {to} as measured."
    ))
}
