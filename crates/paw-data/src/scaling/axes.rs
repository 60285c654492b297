//! The axes of an application's cell: size, threads, copies.

use crate::application::{Application, SUITE, ThreadPoint};
use crate::axis::{COPIES, THREADS};
use crate::cell::{Cell, Role};
use crate::point::{AxisValue, Point};
use crate::run::{Record, Run};

/// The cells of the commands, in the run's order, without the base's.
pub(super) fn subjects(run: &Run) -> impl Iterator<Item = &Record> {
    of_role(run, |role| role != Role::Base)
}

/// The cells of the base program.
pub(super) fn bases(run: &Run) -> impl Iterator<Item = &Record> {
    of_role(run, |role| role == Role::Base)
}

fn of_role(run: &Run, wanted: impl Fn(Role) -> bool) -> impl Iterator<Item = &Record> {
    run.records.iter().filter(move |r| is_of_program(r) && wanted(r.cell.role))
}

/// Whether a cell is of an application.
pub(super) fn is_of_program(record: &Record) -> bool {
    record.cell.suite == SUITE
}

/// The point of `cell` without threads, copies and the axis `but`.
pub(super) fn size(cell: &Cell, but: Option<&str>) -> Point {
    let mut size = Point::new();
    let axes = cell.point.iter().filter(|(axis, _)| *axis != THREADS && *axis != COPIES && Some(*axis) != but);
    axes.for_each(|(axis, value)| size.set(axis, value.clone()));
    size
}

/// Threads of a cell; 1 without such an axis.
pub(super) fn threads(cell: &Cell) -> u32 {
    count(cell, THREADS)
}

/// Instances of a cell that run at once; 1 without such an axis.
pub(super) fn copies(cell: &Cell) -> u32 {
    count(cell, COPIES)
}

fn count(cell: &Cell, axis: &str) -> u32 {
    cell.point.int(axis).and_then(|n| u32::try_from(n).ok()).unwrap_or(1).max(1)
}

/// The place of a command among all, by its name; one that the run does not name comes first, as the base does.
pub(super) fn place(provider: &str, app: &Application) -> Option<usize> {
    app.commands().position(|(name, _)| name == provider)
}

/// The entry of the sweep for `threads` threads.
pub(super) fn thread_point(app: &Application, threads: u32) -> Option<&ThreadPoint> {
    app.threads.iter().find(|point| point.threads == threads)
}

/// Compares two sizes axis by axis, in the order of `axes`: numbers by value, words alphabetically.
pub(super) fn order(a: &Point, b: &Point, axes: &[String]) -> std::cmp::Ordering {
    let one = |axis: &String| match (a.value(axis), b.value(axis)) {
        (Some(AxisValue::Text(a)), Some(AxisValue::Text(b))) => a.cmp(b),
        (Some(_), Some(_)) => a.float(axis).unwrap_or(0.0).total_cmp(&b.float(axis).unwrap_or(0.0)),
        (a, b) => a.is_some().cmp(&b.is_some()),
    };
    axes.iter().map(one).find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
}
