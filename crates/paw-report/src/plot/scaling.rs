//! Plots of an application: speed-up over threads, and over sizes.

use paw_data::scaling::{Scaling, ScalingRow, Sweep, SweepKind, Yardstick};
use paw_data::trust::Trust;

use crate::application::{figure, words};
use crate::axis::{Axis, AxisScale as Spacing, TickLabels};
use crate::grade::Grade;
use crate::model::Picture;
use crate::number::Scale;
use crate::plot::RowLinks;
use crate::plot::lines::{Boundary, DASHES, DIRECT_LABELS, Dot, HUES, Line, LinePlot, plot};

/// The quantity of the vertical axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Up {
    Speedup,
    Efficiency,
    Time,
}

impl Up {
    /// Speed-ups where there are some, efficiency where the work grows, else times; of what is no pace its values.
    fn of(scaling: &Scaling<'_>) -> Self {
        let rows = || scaling.sweeps.iter().flat_map(|s| &s.rows);
        match () {
            () if !scaling.yardstick.is_pace() => Up::Time,
            () if scaling.sweeps.iter().any(|s| s.kind != SweepKind::Strong) => Up::Efficiency,
            () if rows().any(|r| r.speedup.is_some()) => Up::Speedup,
            () => Up::Time,
        }
    }

    fn at(self, row: &ScalingRow<'_>) -> Option<(f64, (f64, f64))> {
        let timing = row.timing?;
        match self {
            Up::Speedup => row.speedup.map(|s| (s.value, s.interval.map_or((s.value, s.value), |i| (i.low, i.high)))),
            Up::Efficiency => row.efficiency.map(|e| (e, (e, e))),
            Up::Time => {
                let best = timing.value();
                let last = timing.yardstick.value(timing.best() * (1.0 + timing.cost.spread_k.unwrap_or(0.0)));
                Some((best, (best.min(last), best.max(last))))
            }
        }
    }

    fn picture(self, lines: &[Line], paper: LinePlot<'_>, title: &str) -> Picture {
        let ideal = if paper.ideal.is_empty() { "" } else { "The dotted line is the ideal. " };
        let bands = match self {
            Up::Time => "Bands reach up to the last run that must agree with the best.",
            Up::Speedup | Up::Efficiency => "Bands are 95% intervals.",
        };
        let crowded = lines.len() > DIRECT_LABELS;
        let names = lines.iter().filter(|_| crowded).map(|l| (l.look.0, l.look.1, l.label.clone()));
        Picture {
            svg: plot(lines, paper),
            title: title.to_owned(),
            caption: format!("{ideal}{bands}"),
            legend: names.collect(),
        }
    }

    /// The name of the vertical axis.
    fn name(self, yardstick: Yardstick<'_>) -> String {
        match (self, yardstick.unit()) {
            (Up::Speedup, _) => "speed-up".to_owned(),
            (Up::Efficiency, _) => "weak efficiency".to_owned(),
            (Up::Time, "") => format!("best {}", words::noun(yardstick)),
            (Up::Time, unit) => format!("best {}, {unit}", words::noun(yardstick)),
        }
    }

    /// The title of a plot over `x`.
    fn title(self, yardstick: Yardstick<'_>, x: &str) -> String {
        match self {
            Up::Speedup => format!("Speed-up{} over {x}", words::by(yardstick)),
            Up::Efficiency => format!("Weak efficiency{} over {x}", words::by(yardstick)),
            Up::Time => format!("Best {} over {x}", words::noun(yardstick)),
        }
    }
}

/// One point; hollow where the k best do not agree, or more threads than processors took turns.
fn dot(up: Up, sweep: &Sweep<'_>, row: &ScalingRow<'_>, x: f64, rows: &RowLinks) -> Option<Dot> {
    let (y, ends) = up.at(row).filter(|(y, _)| *y > 0.0 && y.is_finite() && x > 0.0)?;
    let timing = row.timing?;
    let trusted = timing.agreed().is_met() && !row.oversubscribed();
    let grade = Grade::Number(if trusted { Trust::Good } else { Trust::Fair });
    let place: Vec<String> =
        [sweep.label(), figure::threads_words(row)].into_iter().filter(|p| !p.is_empty()).collect();
    let speedup = row.speedup.map_or(String::new(), |s| format!(", speed-up {}", figure::speedup(&s)));
    let crowded = if row.oversubscribed() { ", more threads than processors" } else { "" };
    let words =
        format!("{}: {} ({}){speedup}{crowded}", place.join(", "), figure::best(&timing), timing.agreed().word());
    Some(Dot { x, y, ends, grade, words, href: rows.link(row.record.cell.id) })
}

fn look(i: usize) -> (usize, usize) {
    (i % HUES, i / HUES % DASHES)
}

/// Speed-up over threads, a line for each size; no line leads to points with more threads than processors. `None` with
/// fewer than two thread counts.
pub fn over_threads(scaling: &Scaling<'_>, rows: &RowLinks) -> Option<Picture> {
    let up = Up::of(scaling);
    let is_one = scaling.app.others.is_empty();
    let line = |(i, sweep): (usize, &Sweep<'_>)| {
        let mut pieces: Vec<Vec<Dot>> = vec![Vec::new()];
        for row in &sweep.rows {
            match dot(up, sweep, row, f64::from(row.threads), rows) {
                Some(dot) if !row.oversubscribed() => pieces.last_mut()?.push(dot),
                Some(dot) => pieces.extend([vec![dot], Vec::new()]),
                None => pieces.push(Vec::new()),
            }
        }
        pieces.retain(|piece| !piece.is_empty());
        let program = if is_one { "" } else { sweep.provider };
        let label = [sweep.label().as_str(), program].join(" ").trim().to_owned();
        (!pieces.is_empty()).then(|| Line { label, look: look(i), pieces })
    };
    let lines: Vec<Line> = scaling.sweeps.iter().enumerate().filter_map(line).collect();
    let counts = lines.iter().flat_map(Line::dots).map(|d| d.x);
    let (low, high) = counts.fold((f64::INFINITY, 0.0), |(low, high), x: f64| (x.min(low), x.max(high)));
    if low >= high {
        return None;
    }
    let available = hardware_threads(scaling).filter(|n| *n < high);
    let y = vertical((up, scaling.yardstick), &lines, available.unwrap_or(high));
    let ideal = if up == Up::Speedup { ideal(low, high, available, &y) } else { Vec::new() };
    let boundary = available.map(|at| Boundary { name: "hardware threads".to_owned(), at });
    let boundaries: Vec<Boundary> = boundary.into_iter().collect();
    let x = Axis { kind: Spacing::Doublings, low, high, labels: TickLabels::Plain };
    let (title, y_name) = (up.title(scaling.yardstick, "threads"), up.name(scaling.yardstick));
    let label = format!("{y_name}{} over threads, {} lines", words::by(scaling.yardstick), lines.len());
    let paper =
        LinePlot { x, x_name: "threads", y, y_name: &y_name, ideal, boundaries: &boundaries, level: None, label };
    Some(up.picture(&lines, paper, &title))
}

/// Speed-up over sizes, a line for each thread count. `None` with fewer than two sizes, or where the size is no number.
pub fn over_sizes(scaling: &Scaling<'_>, rows: &RowLinks) -> Option<Picture> {
    let axis = scaling.app.ladders().next()?;
    let up = Up::of(scaling);
    if up == Up::Efficiency {
        return None;
    }
    let mut lines: Vec<(u32, String, Vec<Dot>)> = Vec::new();
    for sweep in &scaling.sweeps {
        let Some(size) = sweep.size.float(axis) else { continue };
        let values = sweep.size.iter().filter(|(a, _)| *a != axis).map(|(a, v)| format!("{a}={v}"));
        let program = (!scaling.app.others.is_empty()).then(|| sweep.provider.to_owned());
        let rest: Vec<String> = values.chain(program).collect();
        for row in &sweep.rows {
            let Some(dot) = dot(up, sweep, row, size, rows) else { continue };
            let mark = if row.oversubscribed() { "*" } else { "" };
            let threads = figure::threads_words(row).replacen(' ', &format!("{mark} "), 1);
            let threads = Some(threads).filter(|words| !words.is_empty());
            let label = threads.into_iter().chain(rest.clone()).collect::<Vec<_>>().join(", ");
            match lines.iter_mut().find(|l| (l.0, &l.1) == (row.threads, &label)) {
                Some(line) => line.2.push(dot),
                None => lines.push((row.threads, label, vec![dot])),
            }
        }
    }
    lines.sort_by_key(|line| line.0);
    let line =
        |(i, (_, label, dots)): (usize, (u32, String, Vec<Dot>))| Line { label, look: look(i), pieces: vec![dots] };
    let lines: Vec<Line> = lines.into_iter().enumerate().map(line).collect();
    let x = Axis::ladder(lines.iter().flat_map(Line::dots).map(|d| d.x), TickLabels::Plain);
    if !lines.iter().any(|line| line.dots().nth(1).is_some()) {
        return None;
    }
    let y = vertical((up, scaling.yardstick), &lines, 1.0);
    let (title, y_name) = (up.title(scaling.yardstick, "sizes"), up.name(scaling.yardstick));
    let label = format!("{y_name}{} over {axis}, {} lines", words::by(scaling.yardstick), lines.len());
    let paper =
        LinePlot { x, x_name: axis, y, y_name: &y_name, ideal: Vec::new(), boundaries: &[], level: None, label };
    Some(up.picture(&lines, paper, &title))
}

/// The vertical axis: doublings of a speed-up, at least up to `reach`.
fn vertical((up, yardstick): (Up, Yardstick<'_>), lines: &[Line], reach: f64) -> Axis {
    let values = || lines.iter().flat_map(Line::dots).flat_map(|d| [d.ends.0, d.y, d.ends.1]);
    match up {
        Up::Speedup => {
            let (low, high) = values().fold((1.0, reach), |(low, high): (f64, f64), v| (v.min(low), v.max(high)));
            let (low, high) = (low.max(1e-6).log2().floor(), high.log2().ceil());
            let high = if high > low { high } else { low + 1.0 };
            Axis { kind: Spacing::Doublings, low: low.exp2(), high: high.exp2(), labels: TickLabels::Plain }
        }
        Up::Efficiency => Axis::quantity(values().chain([1.0]), TickLabels::Plain),
        Up::Time => {
            let scale = Scale { factor: 1.0, unit: yardstick.unit().to_owned() };
            Axis::quantity(values(), TickLabels::Scaled(scale))
        }
    }
}

/// The ideal line, speed-up = threads, up to the number of hardware threads and the end of the axis.
fn ideal(low: f64, high: f64, available: Option<f64>, y: &Axis) -> Vec<(f64, f64)> {
    let bend = available.unwrap_or(high).min(y.high).max(low);
    let mut points = vec![(low, low), (bend, bend)];
    if bend < high && available.is_some_and(|n| n <= y.high) {
        points.push((high, bend));
    }
    points
}

/// The most hardware threads that a thread count was given; `None` where the run does not say.
fn hardware_threads(scaling: &Scaling<'_>) -> Option<f64> {
    scaling.app.threads.iter().map(|p| p.hardware_threads).max().filter(|n| *n > 0).map(f64::from)
}
