//! All series of a machine, a line each, and their changes below.

use std::collections::HashMap;

use paw_data::point::{AxisValue, Point};

use super::sparkline::sparkline;
use super::words::{basis, day, percent, poor, sentence, together};
use super::{History, Track};
use crate::colour::{Colour, DOUBT, FAINT, STRONG};
use crate::model::{Align, Column, Field, Row, Table, Tone};
use crate::number;
use crate::step::in_bytes;
use crate::text::table::table_text;
use crate::wrap::{hang, wrap};

/// Columns of a sparkline.
const SPARK: usize = 24;

/// The series of `history`, for a terminal of `width` columns.
pub fn list_text(history: &History<'_>, width: usize, colour: Colour) -> String {
    let mut out = String::new();
    for line in wrap(&history.title, width) {
        out.push_str(&format!("{}\n", colour.paint(&line, STRONG)));
    }
    out.push('\n');
    out.push_str(&table_text(&table(&history.tracks, width), width, colour));
    let changed = history.tracks.iter().filter(|track| !track.levels.changes.is_empty());
    for track in changed {
        out.push_str(&format!("\n{}\n", wrap(&track.name(), width).join("\n")));
        out.push_str(&changes(track, width, colour));
    }
    out.push('\n');
    out.push_str(&colour.faint(&wrap(&basis(history), width).join("\n")));
    out
}

/// Every change of a track, with what changed at the same time.
pub fn changes(track: &Track<'_>, width: usize, colour: Colour) -> String {
    let mut out = String::new();
    for (change, beside) in track.levels.changes.iter().zip(&track.together) {
        for line in hang("", &sentence(track, change), 2, width).lines() {
            out.push_str(&format!("{}\n", colour.paint(line, DOUBT)));
        }
        for line in hang("", &together(beside.as_deref()), 4, width).lines() {
            out.push_str(&format!("{}\n", colour.paint(line, FAINT)));
        }
    }
    for line in poor(track).iter().flat_map(|said| wrap(said, width)) {
        out.push_str(&format!("{}\n", colour.paint(&line, DOUBT)));
    }
    out
}

fn table(tracks: &[Track<'_>], width: usize) -> Table {
    let points = points(tracks);
    // Points tell rows apart: they are cut only where two fifths of the width do not hold them.
    let longest = points.iter().map(|point| point.chars().count()).max().unwrap_or(0);
    let columns = vec![
        Column::new("benchmark", Align::Left, Column::ALWAYS).shrinking(10),
        Column::new("point", Align::Left, 200).shrinking(longest.min(width * 2 / 5)),
        Column::new("provider", Align::Left, 120).shrinking(8),
        Column::new("latest", Align::Right, Column::ALWAYS),
        Column::new("±", Align::Right, 90),
        Column::new("trust", Align::Left, 135),
        Column::new("runs", Align::Right, 110),
        Column::new("since", Align::Left, 80),
        Column::new("trend", Align::Left, 130),
        Column::new("history", Align::Left, 140),
        Column::new("change", Align::Right, 210),
    ];
    let rows = tracks.iter().zip(points).map(|(track, point)| row(track, point)).collect();
    Table::dense("", columns, rows)
}

/// The point of each track without what all tracks of its benchmark have in common; whole where it is the only one.
fn points(tracks: &[Track<'_>]) -> Vec<String> {
    let mut alike: HashMap<String, Vec<&Point>> = HashMap::new();
    for track in tracks {
        alike.entry(track.series.title()).or_default().push(track.series.point);
    }
    let common: HashMap<String, Point> = alike.into_iter().map(|(title, points)| (title, common(&points))).collect();
    let telling = |track: &Track<'_>| {
        let common = &common[&track.series.title()];
        let told = track.series.point.iter().filter(|(axis, value)| common.value(axis) != Some(value));
        told.map(|(axis, value)| format!("{axis}={}", size(axis, value))).collect::<Vec<_>>().join(" ")
    };
    tracks.iter().map(telling).collect()
}

/// The axes on which several points have the same value.
fn common(points: &[&Point]) -> Point {
    let [first, others @ ..] = points else { return Point::new() };
    let is_common = |axis: &str, value: &AxisValue| others.iter().all(|point| point.value(axis) == Some(value));
    let mut common = Point::new();
    for (axis, value) in first.iter().filter(|(axis, value)| !others.is_empty() && is_common(axis, value)) {
        common.set(axis, value.clone());
    }
    common
}

/// The value of an axis; bytes with their unit.
fn size(axis: &str, value: &AxisValue) -> String {
    match value {
        AxisValue::Int(bytes) if in_bytes(axis) => number::size(bytes.unsigned_abs() as f64),
        value => value.to_string(),
    }
}

fn row(track: &Track<'_>, point: String) -> Row {
    let series = &track.series;
    let Some(last) = series.items.last() else { return Row::default() };
    let half = last.figure.low.zip(last.figure.high).map(|(low, high)| (high - low) / 2.0);
    let change = track.levels.changes.last();
    let ratio = change.and_then(|change| change.ratio);
    let tone = match ratio {
        Some(ratio) if (ratio > 1.0) == series.measure.more_is_better() => Tone::Good,
        Some(_) => Tone::Bad,
        None => Tone::Plain,
    };
    let fields = vec![
        Field::from(series.title()),
        Field::from(point),
        Field::from(series.provider),
        Field::new(number::measure(last.figure.value, series.measure, half), Tone::Strong),
        Field::maybe(half.map(|half| number::half_width(half / last.figure.value.abs()))),
        Field::from(last.figure.trust.as_str()),
        Field::from(series.items.len().to_string()),
        Field::from(day(&series.items[0].entry.utc)),
        Field::from(track.levels.trend.word()),
        Field::from(sparkline(&series.values(), SPARK)),
        Field::new(ratio.map_or(String::new(), percent), tone),
    ];
    Row { fields, ..Row::default() }
}
