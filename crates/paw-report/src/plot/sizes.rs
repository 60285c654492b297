//! Plots of an application over its sizes: speed-up, and time, with a line for each program and thread count.

use paw_data::scaling::{BaseKind, Scaling, Sweep, Yardstick};
use paw_data::trust::Trust;
use paw_sort::OrderBy;

use crate::application::{figure, words};
use crate::axis::{Axis, TickLabels};
use crate::grade::Grade;
use crate::model::Picture;
use crate::number::Scale;
use crate::plot::RowLinks;
use crate::plot::lines::{DASHES, Dot, HUES, Line, LinePlot};
use crate::plot::scaling::{Up, dot, is_study, vertical};

/// Largest ratio of two times that a linear axis shows both of.
const NEAR: f64 = 4.0;

/// A line as it comes together: who, with how many threads, and its points.
struct Series {
    program: String,
    threads: Option<u32>,
    label: String,
    dots: Vec<Dot>,
}

/// Speed-up over sizes, a line for each program and thread count. `None` where there are no speed-ups, with fewer than two sizes, or
/// where the size is no number.
pub fn speedups(scaling: &Scaling<'_>, rows: &RowLinks) -> Option<Picture> {
    (Up::of(scaling) == Up::Speedup).then(|| over_sizes(scaling, rows, Up::Speedup)).flatten()
}

/// Best time over sizes, as [`speedups`], and with the base.
pub fn times(scaling: &Scaling<'_>, rows: &RowLinks) -> Option<Picture> {
    (Up::of(scaling) != Up::Efficiency).then(|| over_sizes(scaling, rows, Up::Time)).flatten()
}

fn over_sizes(scaling: &Scaling<'_>, rows: &RowLinks, up: Up) -> Option<Picture> {
    let axis = scaling.app.ladders().next()?;
    let mut all = series(scaling, rows, axis, up);
    if !all.iter().any(|series| series.dots.len() > 1) {
        return None;
    }
    all.splice(0..0, base(scaling, rows, axis, up));
    let lines = drawn(all, is_study(scaling));
    let y = match up {
        Up::Time => value_axis(scaling.yardstick, &lines),
        Up::Speedup | Up::Efficiency => vertical((up, scaling.yardstick), &lines, 1.0),
    };
    let x = size_axis(lines.iter().flat_map(Line::dots).map(|dot| dot.x).collect());
    let (title, y_name) = (up.title(scaling.yardstick, "sizes"), up.name(scaling.yardstick));
    let label = format!("{y_name}{} over {axis}, {} lines", words::by(scaling.yardstick), lines.len());
    let paper =
        LinePlot { x, x_name: axis, y, y_name: &y_name, ideal: Vec::new(), boundaries: &[], level: None, label };
    Some(up.picture(&lines, paper, &title))
}

fn series(scaling: &Scaling<'_>, rows: &RowLinks, axis: &str, up: Up) -> Vec<Series> {
    let mut found: Vec<Series> = Vec::new();
    for sweep in &scaling.sweeps {
        let Some(size) = sweep.size.float(axis) else { continue };
        let values = sweep.size.iter().filter(|(a, _)| *a != axis).map(|(a, v)| format!("{a}={v}"));
        let program = is_study(scaling).then(|| sweep.provider.to_owned());
        let named: Vec<String> = program.into_iter().chain(values).collect();
        for row in &sweep.rows {
            let Some(dot) = dot(up, sweep, row, size, rows) else { continue };
            let mark = if row.oversubscribed() { "*" } else { "" };
            let threads = figure::threads_words(row).replacen(' ', &format!("{mark} "), 1);
            let threads_last = Some(threads).filter(|words| !words.is_empty());
            let label = named.iter().cloned().chain(threads_last).collect::<Vec<_>>().join(", ");
            match found.iter_mut().find(|series| series.label == label) {
                Some(series) => series.dots.push(dot),
                None => found.push(Series { program: named.join(" "), threads: row.told(), label, dots: vec![dot] }),
            }
        }
    }
    if !is_study(scaling) {
        found.order_by_key(|series| series.threads);
    }
    found
}

/// The base program, where it is none of the commands: its times, or the speed-up 1 that all others refer to.
fn base(scaling: &Scaling<'_>, rows: &RowLinks, axis: &str, up: Up) -> Option<Series> {
    if !matches!(scaling.base.kind, BaseKind::Program(_)) {
        return None;
    }
    let mut dots: Vec<Dot> = Vec::new();
    for sweep in &scaling.sweeps {
        let Some(dot) = of_base(scaling, sweep, rows, axis, up) else { continue };
        if dots.iter().all(|known| known.x != dot.x) {
            dots.push(dot);
        }
    }
    (!dots.is_empty()).then(|| Series { program: String::new(), threads: None, label: "original".to_owned(), dots })
}

fn of_base(scaling: &Scaling<'_>, sweep: &Sweep<'_>, rows: &RowLinks, axis: &str, up: Up) -> Option<Dot> {
    let (record, timing) = sweep.base?;
    let (y, high) = match up {
        Up::Time => {
            (timing.value(), timing.yardstick.value(timing.best() * (1.0 + timing.cost.spread_k.unwrap_or(0.0))))
        }
        Up::Speedup | Up::Efficiency => (1.0, 1.0),
    };
    let trust = if timing.agreed().is_met() { Trust::Good } else { Trust::Fair };
    let words =
        format!("{}, {}: {} ({})", scaling.base.words(), sweep.label(), figure::best(&timing), timing.agreed().word());
    let (grade, href) = (Grade::Number(trust), rows.link(record.cell.id));
    sweep.size.float(axis).filter(|x| *x > 0.0 && y > 0.0).map(|x| Dot {
        x,
        y,
        ends: (y.min(high), y.max(high)),
        grade,
        words,
        href,
    })
}

/// The lines of `all`: of several programs the hue is the program's, and the dash that of its thread count.
fn drawn(all: Vec<Series>, is_study: bool) -> Vec<Line> {
    let (mut programs, mut widths) = (Vec::new(), Vec::new());
    let mut line = |(i, series): (usize, Series)| {
        let look = match is_study {
            true => (place(&mut programs, &series.program) % HUES, place(&mut widths, &series.threads) % DASHES),
            false => (i % HUES, i / HUES % DASHES),
        };
        Line { label: series.label, look, pieces: vec![series.dots], is_level: false }
    };
    all.into_iter().enumerate().map(&mut line).collect()
}

fn place<T: PartialEq + Clone>(known: &mut Vec<T>, key: &T) -> usize {
    known.iter().position(|own| own == key).unwrap_or_else(|| {
        known.push(key.clone());
        known.len() - 1
    })
}

/// The axis of times: logarithmic unless they are near each other, so that a power of the size is a straight line.
fn value_axis(yardstick: Yardstick<'_>, lines: &[Line]) -> Axis {
    let values = || lines.iter().flat_map(Line::dots).flat_map(|dot| [dot.y, dot.ends.1]);
    let (low, high) = values().fold((f64::INFINITY, 0.0f64), |(low, high), v| (low.min(v), high.max(v)));
    let labels = TickLabels::Scaled(Scale { factor: 1.0, unit: yardstick.unit().to_owned() });
    if high / low < NEAR { Axis::quantity(values(), labels) } else { Axis::decades(low, high, labels) }
}

/// The axis of sizes: powers of two where they are doublings of each other, else evenly spaced, or by decades where they are far apart.
fn size_axis(sizes: Vec<f64>) -> Axis {
    let low = sizes.iter().copied().fold(f64::INFINITY, f64::min);
    let is_power = |ratio: f64| (ratio.log2() - ratio.log2().round()).abs() < 1e-9;
    if sizes.iter().all(|size| is_power(size / low)) {
        return Axis::ladder(sizes.into_iter(), TickLabels::Plain);
    }
    Axis::quantity(sizes.into_iter(), TickLabels::Plain)
}
