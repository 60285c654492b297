//! The cells that a baseline is about.

use crate::application;
use crate::baseline::Baseline;
use crate::cell::{Cell, Role};
use crate::point::AxisValue;
use crate::run::{Record, Run};

/// The records of `run` that `baseline` describes, of subjects alone.
pub fn subjects<'r>(baseline: &Baseline, run: &'r Run) -> Vec<&'r Record> {
    run.records.iter().filter(|record| is_subject(&record.cell) && describes(baseline, run, &record.cell)).collect()
}

/// Whether the user asked for the cell: a peak measured beside it is none of a baseline's.
pub fn is_subject(cell: &Cell) -> bool {
    cell.role == Role::Subject
}

/// The command line of a program's cell.
pub fn command(run: &Run, cell: &Cell) -> Option<String> {
    let app = run.header.app.as_ref().filter(|_| cell.suite == application::SUITE);
    app.map(|app| app.command_of(cell))
}

fn describes(baseline: &Baseline, run: &Run, cell: &Cell) -> bool {
    let is_named = baseline.benchmark.is_empty() || baseline.benchmark == cell.benchmark;
    let is_provided = baseline.provider.as_ref().is_none_or(|provider| *provider == cell.provider);
    let has = |(axis, value): (&str, &AxisValue)| cell.point.value(axis).is_some_and(|own| is_same(own, value));
    let is_commanded = || {
        let pattern = baseline.command.as_ref();
        pattern.is_none_or(|pattern| command(run, cell).is_some_and(|own| pattern.0 == own || pattern.fits(&own)))
    };
    is_named && is_provided && baseline.point.iter().all(has) && is_commanded()
}

/// Whether two values are the same number, or the same word.
pub fn is_same(a: &AxisValue, b: &AxisValue) -> bool {
    let number = |value: &AxisValue| match value {
        AxisValue::Int(number) => Some(*number as f64),
        AxisValue::Float(number) => Some(*number),
        AxisValue::Text(_) => None,
    };
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a.to_string() == b.to_string(),
    }
}
