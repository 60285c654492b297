//! Plots of an application: speed-up over threads, and over sizes; with a line for each program where there are several.

use paw_data::scaling::{Scaling, ScalingRow, Sweep, SweepKind, Yardstick};
use paw_data::speedup::Speedup;
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
pub(super) enum Up {
    Speedup,
    Efficiency,
    Time,
}

impl Up {
    /// Speed-ups where there are some, efficiency where the work grows, else times; of what is no pace its values.
    pub(super) fn of(scaling: &Scaling<'_>) -> Self {
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

    pub(super) fn picture(self, lines: &[Line], paper: LinePlot<'_>, title: &str) -> Picture {
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
    pub(super) fn name(self, yardstick: Yardstick<'_>) -> String {
        match (self, yardstick.unit()) {
            (Up::Speedup, _) => "speed-up".to_owned(),
            (Up::Efficiency, _) => "weak efficiency".to_owned(),
            (Up::Time, "") => format!("best {}", words::noun(yardstick)),
            (Up::Time, unit) => format!("best {}, {unit}", words::noun(yardstick)),
        }
    }

    /// The title of a plot over `x`.
    pub(super) fn title(self, yardstick: Yardstick<'_>, x: &str) -> String {
        match self {
            Up::Speedup => format!("Speed-up{} over {x}", words::by(yardstick)),
            Up::Efficiency => format!("Weak efficiency{} over {x}", words::by(yardstick)),
            Up::Time => format!("Best {} over {x}", words::noun(yardstick)),
        }
    }
}

/// One point; hollow where the k best do not agree, or more threads than processors took turns.
pub(super) fn dot(up: Up, sweep: &Sweep<'_>, row: &ScalingRow<'_>, x: f64, rows: &RowLinks) -> Option<Dot> {
    let (y, ends) = up.at(row).filter(|(y, _)| *y > 0.0 && y.is_finite() && x > 0.0)?;
    let timing = row.timing?;
    let trusted = timing.agreed().is_met() && !row.oversubscribed();
    let grade = Grade::Number(if trusted { Trust::Good } else { Trust::Fair });
    let place: Vec<String> =
        [sweep.label(), figure::threads_words(row)].into_iter().filter(|p| !p.is_empty()).collect();
    let speedup = row.speedup.map_or(String::new(), |s| format!(", speed-up {}", gained(&s)));
    let crowded = if row.oversubscribed() { ", more threads than processors" } else { "" };
    let words =
        format!("{}: {} ({}){speedup}{crowded}", place.join(", "), figure::best(&timing), timing.agreed().word());
    Some(Dot { x, y, ends, grade, words, href: rows.link(row.record.cell.id) })
}

/// `2.00 (95%: 1.98…2.02)`.
fn gained(speedup: &Speedup) -> String {
    let ends = figure::ends(speedup);
    let ends = if ends.is_empty() { ends } else { format!(" (95%: {ends})") };
    figure::speedup(speedup) + &ends
}

fn look(i: usize) -> (usize, usize) {
    (i % HUES, i / HUES % DASHES)
}

/// Speed-up over threads, a line for each size; of several programs at the largest size, a line for each. No line leads to points with
/// more threads than processors, and what was told no number of threads is a line across. `None` with fewer than two thread counts.
pub fn over_threads(scaling: &Scaling<'_>, rows: &RowLinks) -> Option<Picture> {
    threads_plot(scaling, rows, Up::of(scaling))
}

/// Best time over threads of several programs whose speed-ups have no common base; `None` with one.
pub fn times_over_threads(scaling: &Scaling<'_>, rows: &RowLinks) -> Option<Picture> {
    let is_missing = Up::of(scaling) == Up::Speedup && is_study(scaling) && !scaling.base.is_common();
    is_missing.then(|| threads_plot(scaling, rows, Up::Time)).flatten()
}

/// Whether several programs were measured.
pub(super) fn is_study(scaling: &Scaling<'_>) -> bool {
    !scaling.app.others.is_empty()
}

fn threads_plot(scaling: &Scaling<'_>, rows: &RowLinks, up: Up) -> Option<Picture> {
    let is_one = !is_study(scaling);
    let largest = scaling.sweeps.last().map(|sweep| scaling.size(&sweep.size))?;
    let sizes = scaling.sweeps.iter().filter(|sweep| is_one || scaling.size(&sweep.size) == largest);
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
        let alternatives =
            || sweep.size.iter().filter(|(axis, _)| scaling.app.alternatives.iter().any(|own| own == axis));
        let values = || alternatives().map(|(axis, value)| format!("{axis}={value}"));
        let label = match is_one {
            true => sweep.label(),
            false => std::iter::once(sweep.provider.to_owned()).chain(values()).collect::<Vec<_>>().join(" "),
        };
        let is_level = !sweep.rows.iter().any(ScalingRow::is_told);
        (!pieces.is_empty()).then(|| Line { label, look: look(i), pieces, is_level })
    };
    let lines: Vec<Line> = sizes.enumerate().filter_map(line).collect();
    let counts = lines.iter().filter(|line| !line.is_level).flat_map(Line::dots).map(|d| d.x);
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
    let title = up.title(scaling.yardstick, "threads");
    let y_name = up.name(scaling.yardstick);
    let label = format!("{y_name}{} over threads, {} lines", words::by(scaling.yardstick), lines.len());
    let at = if is_one || largest.iter().next().is_none() { String::new() } else { format!(" at {largest}") };
    let paper =
        LinePlot { x, x_name: "threads", y, y_name: &y_name, ideal, boundaries: &boundaries, level: None, label };
    Some(up.picture(&lines, paper, &format!("{title}{at}")))
}

/// The vertical axis: doublings of a speed-up, at least up to `reach`.
pub(super) fn vertical((up, yardstick): (Up, Yardstick<'_>), lines: &[Line], reach: f64) -> Axis {
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
