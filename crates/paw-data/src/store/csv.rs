//! CSV in long form, for spreadsheets and data frames: one row a statistic, or one row a sample.

mod application;
mod code;
mod counters;
mod derived;
mod derived_rows;
mod device;
mod explanation;
mod kernel;
mod profile;
mod samples;

use std::collections::HashMap;
use std::io::{self, Write};

use serde::Serialize;

pub use samples::write_samples;

use derived_rows::DerivedRows;

use super::statistics;
use crate::cell::Role;
use crate::outcome::{Ending, Status};
use crate::profile::SamplerKind;
use crate::run::{ClockKind, Instrument, Record, Run};
use crate::visible::Visible;

/// The columns of [`write()`], in order.
pub const COLUMNS: [&str; 16] = [
    "benchmark",
    "provider",
    "point",
    "quantity",
    "unit",
    "statistic",
    "value",
    "low",
    "high",
    "samples",
    "status",
    "method",
    "clock",
    "role",
    "run",
    "ending",
];

/// Writes one row for each statistic of each cell: `min`, `median`, `mean`, `max` of the time, in seconds, and of the
/// headline's rate, in SI units per second; `sigma` of the time; the 95 % interval beside the median. Imported rows have
/// their own statistics, `sigma_pop` among them. Cells of an application or a kernel have rows for what is derived of
/// them. A cell without numbers has one row with its status and no value.
pub fn write(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let mut csv = writer(out);
    csv.write_record(COLUMNS)?;
    let clocks = clocks(&run.instruments);
    let mut point = String::new();
    let derived = DerivedRows::of(run);
    for record in &run.records {
        spell(record, &mut point);
        let cell = &record.cell;
        let mut row = CsvRow {
            benchmark: &cell.benchmark,
            provider: &cell.provider,
            point: &point,
            quantity: statistics::word(cell.headline),
            unit: cell.headline.unit(),
            statistic: "",
            value: None,
            low: None,
            high: None,
            samples: 0,
            status: status(record),
            method: &cell.method,
            clock: clocks.get(&cell.instrument).copied().unwrap_or(""),
            role: role(cell.role),
            run: &run.header.id,
            ending: record.outcome.as_ref().and_then(|outcome| outcome.ending),
        };
        let figures = statistics::of(record, &run.header.machine);
        if figures.is_empty() {
            csv.serialize(&row)?;
        }
        for figure in figures {
            row.quantity = statistics::word(figure.quantity);
            row.unit = figure.quantity.unit();
            row.statistic = figure.name;
            row.value = finite(figure.value);
            row.low = figure.ends.and_then(|e| finite(e.0));
            row.high = figure.ends.and_then(|e| finite(e.1));
            row.samples = figure.samples;
            csv.serialize(&row)?;
        }
        for one in derived.at(record) {
            row.quantity = &one.quantity;
            row.unit = &one.unit;
            row.statistic = one.statistic;
            row.value = finite(one.value);
            row.low = one.ends.and_then(|e| finite(e.0));
            row.high = one.ends.and_then(|e| finite(e.1));
            row.samples = one.samples;
            csv.serialize(&row)?;
        }
    }
    code::write(run, |row| csv.serialize(row))?;
    explanation::write(run, |row| csv.serialize(row))?;
    profiles(run, &mut csv)?;
    csv.flush()
}

/// Rows of what was sampled: times in seconds of processor time, with the 95 % interval of their share.
fn profiles<W: Write>(run: &Run, csv: &mut csv::Writer<W>) -> io::Result<()> {
    for profile in &run.profiles {
        for row in profile::rows(profile) {
            csv.serialize(CsvRow {
                benchmark: &profile.name,
                provider: &row.module,
                point: &row.name,
                quantity: row.quantity,
                unit: "s",
                statistic: "total",
                value: finite(row.share.seconds),
                low: finite((row.share.seconds - row.share.half_s).max(0.0)),
                high: finite(row.share.seconds + row.share.half_s),
                samples: usize::try_from(row.share.samples).unwrap_or(usize::MAX),
                status: "sampled",
                method: "sampling",
                clock: match profile.sampling.sampler {
                    SamplerKind::PerfEvent => "cpu-clock",
                    SamplerKind::Sigprof => "ITIMER_PROF",
                },
                role: "subject",
                run: &run.header.id,
                ending: None,
            })?;
        }
    }
    Ok(())
}

#[derive(Serialize)]
struct CsvRow<'a> {
    benchmark: &'a str,
    provider: &'a str,
    point: &'a str,
    quantity: &'a str,
    unit: &'a str,
    statistic: &'static str,
    value: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    samples: usize,
    status: &'static str,
    method: &'a str,
    clock: &'static str,
    role: &'static str,
    run: &'a str,
    ending: Option<Ending>,
}

fn writer<W: Write>(out: W) -> csv::Writer<Visible<W>> {
    // The header row is written here, so that a run without cells has it too.
    csv::WriterBuilder::new().has_headers(false).from_writer(Visible::new(out))
}

fn spell(record: &Record, point: &mut String) {
    use std::fmt::Write;
    point.clear();
    // Writing to a string cannot fail.
    let _ = write!(point, "{}", record.cell.point);
}

/// An unknown value is an empty field.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

fn clocks(instruments: &[Instrument]) -> HashMap<u32, &'static str> {
    instruments.iter().map(|i| (i.id, clock(i.clock))).collect()
}

fn clock(clock: ClockKind) -> &'static str {
    match clock {
        ClockKind::Monotonic => "monotonic",
        ClockKind::Tsc => "tsc",
        ClockKind::Realtime => "realtime",
        ClockKind::Event => "event",
        ClockKind::Scripted => "scripted",
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Subject => "subject",
        Role::Peak => "peak",
        Role::Bandwidth => "bandwidth",
        Role::Base => "base",
    }
}

/// The status of a cell; a cell without an outcome was being measured when the run was cut off.
fn status(record: &Record) -> &'static str {
    match record.outcome.as_ref().map(|outcome| outcome.status) {
        Some(Status::Measured) => "measured",
        Some(Status::Skipped) => "skipped",
        Some(Status::Failed) => "failed",
        None => "unfinished",
    }
}
