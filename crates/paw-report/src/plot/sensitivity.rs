//! Curves of a sensitivity analysis: the time of an iteration over one factor, where it is level, and where caches end.

use paw_data::matrix::RowStatus;
use paw_data::sensitivity::{Curve, CurvePoint, Factor, Sensitivity};
use paw_data::trust::Trust;
use paw_stats::stability::Grade as Steady;

use crate::axis::{Axis, TickLabels};
use crate::grade::Grade;
use crate::kernel::curves::unit;
use crate::kernel::figure::{self, Unit};
use crate::plot::RowLinks;
use crate::plot::lines::{Boundary, Dot, Level, Line, LinePlot, plot};

/// The curve; `None` with fewer than two values.
pub fn curve(sensitivity: &Sensitivity<'_>, curve: &Curve<'_>, rows: &RowLinks) -> Option<String> {
    let unit = unit(curve);
    let dots: Vec<Option<Dot>> = curve.spots.iter().map(|spot| dot(curve, &unit, spot, rows)).collect();
    let pieces = dots.split(Option::is_none).map(|piece| piece.iter().flatten().cloned().collect::<Vec<Dot>>());
    let line = Line {
        label: String::new(),
        look: (0, 0),
        pieces: pieces.filter(|piece| !piece.is_empty()).collect(),
        is_level: false,
    };
    line.dots().nth(1)?;
    let values = || line.dots().flat_map(|dot| [dot.ends.0, dot.y, dot.ends.1]);
    let is_size = curve.factor == Factor::Size;
    let y =
        if is_size { Axis::quantity(values(), TickLabels::Plain) } else { Axis::close(values(), TickLabels::Plain) };
    let x = Axis::ladder(line.dots().map(|dot| dot.x), TickLabels::Plain);
    let ends = sensitivity.boundaries.iter().filter(|_| is_size);
    let boundaries: Vec<Boundary> = ends.map(|end| Boundary { name: end.name.to_owned(), at: end.n as f64 }).collect();
    let label = format!("{} an iteration over {}", unit.word(), curve.factor.words());
    let y_name = format!("{} an iteration, lower is better", unit.word());
    let level = level(curve, &unit);
    let paper = LinePlot {
        x,
        x_name: curve.factor.words(),
        y,
        y_name: &y_name,
        ideal: Vec::new(),
        boundaries: &boundaries,
        level,
        label,
    };
    Some(plot(&[line], paper))
}

/// One value; hollow if its samples are unsteady or its answer was not found right.
fn dot(curve: &Curve<'_>, unit: &Unit, spot: &CurvePoint<'_>, rows: &RowLinks) -> Option<Dot> {
    let timing = spot.timing?;
    let median = unit.median(&timing);
    let is_steady = figure::steadiness(&timing, curve.by).is_some_and(|s| s.grade == Steady::Good);
    let trust = if is_steady && spot.standing == RowStatus::Right { Trust::Good } else { Trust::Fair };
    Some(Dot {
        x: spot.x,
        y: median.value,
        ends: median.low.zip(median.high).unwrap_or((median.value, median.value)),
        grade: Grade::Number(trust),
        words: format!("{:.0} {}: {}", spot.x, curve.factor.words(), unit.words(&timing)),
        href: rows.link(spot.record.cell.id),
    })
}

/// The plateau with its tolerance on both sides.
fn level(curve: &Curve<'_>, unit: &Unit) -> Option<Level> {
    let found = curve.plateau?.ok()?;
    let timing = curve.spots.iter().find_map(|spot| spot.timing)?;
    let (level, tolerance) = (unit.value(&timing, found.level), found.tolerance);
    Some(Level { from: found.knee, between: (level * (1.0 - tolerance), level * (1.0 + tolerance)) })
}
