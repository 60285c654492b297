//! A run as hyperfine's JSON: one result a cell that has times.

use std::io::{self, Write};

use paw_stats::{mean, quantile, sigma};

use super::{Document, Measured};
use crate::outcome::Status;
use crate::run::{Record, Run};
use crate::secondary::SecondaryMetric;
use crate::store::json::layout::{Arrays, JsonLayout};

/// Writes `run` as hyperfine writes its results; the format has no place for cells without times.
pub fn write(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let records = run.records.iter().filter(|record| has_times(record));
    let document = Document { results: records.map(|record| measured(run, record)).collect() };
    let mut layout = JsonLayout::new(out, Arrays::Lines);
    layout.write(&serde_json::to_vec(&document)?)?;
    layout.end()
}

/// The number of cells that [`write()`] leaves out.
pub fn left_out(run: &Run) -> usize {
    run.records.iter().filter(|record| !has_times(record)).count()
}

fn has_times(record: &Record) -> bool {
    let is_measured = record.outcome.as_ref().is_none_or(|outcome| outcome.status == Status::Measured);
    is_measured && !record.samples.is_empty()
}

fn measured(run: &Run, record: &Record) -> Measured {
    let times = record.samples.per_loop_s();
    let column = |metric: SecondaryMetric| record.samples.secondary(metric).map(<[f64]>::to_vec);
    let mean_of = |metric: SecondaryMetric| mean_of_numbers(&column(metric)?);
    let rss = column(SecondaryMetric::ResidentMemory).filter(|all| all.iter().all(|bytes| bytes.is_finite()));
    let codes = column(SecondaryMetric::ExitCode).unwrap_or_default();
    let expected = expected_code(run);
    let code = |at: usize| codes.get(at).filter(|code| code.is_finite()).map_or(expected, |code| *code as i32);
    let command = match &run.header.app {
        Some(app) => app.label_of(&record.cell),
        None => format!("{} {}", record.cell.benchmark, record.cell.provider),
    };
    let parameter = |(axis, value): (&str, &crate::point::AxisValue)| (axis.to_owned(), value.to_string().into());
    Measured {
        command,
        mean: mean_of_numbers(&times),
        stddev: sigma::sample(&times),
        median: quantile::median(&times),
        user: mean_of(SecondaryMetric::UserTime),
        system: mean_of(SecondaryMetric::SystemTime),
        min: times.iter().copied().reduce(f64::min),
        max: times.iter().copied().reduce(f64::max),
        memory_usage_byte: rss,
        exit_codes: (0..times.len()).map(|at| Some(code(at))).collect(),
        times: Some(times),
        parameters: record.cell.point.iter().map(parameter).collect(),
    }
}

/// The exit code that every run of a program had to have.
fn expected_code(run: &Run) -> i32 {
    let typed = run.header.app.iter().flat_map(|app| &app.verify);
    typed.filter_map(|text| text.trim().strip_prefix("exit ")?.trim().parse().ok()).next().unwrap_or(0)
}

/// The mean of the values that are numbers.
fn mean_of_numbers(values: &[f64]) -> Option<f64> {
    let known: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    mean::arithmetic(&known)
}
