//! Counters that other tools wrote: likwid-perfctr's output as it prints it and as CSV, and MAQAO's CSV files.
//!
//! Written from the tools' public documentation; numbers are taken as they stand, and derived metrics keep the values that the tool computed.

mod likwid;
mod maqao;

use std::path::Path;

use crate::cell::Cell;
use crate::counters::{Counters, Direction, Scope, Source};
use crate::method::{Estimator, Method, Plan};
use crate::outcome::{Ending, Outcome, Status};
use crate::point::Point;
use crate::quantity::Quantity;
use crate::run::{End, Header, Imported, Record, Run};

/// The tool that a CSV file is taken to be of: nothing in it names one.
pub const MAQAO: &str = "MAQAO";

/// Counters of one row or column of a tool's table.
#[derive(Debug, Clone, PartialEq)]
struct CountedPart {
    /// The region, the loop or the function; empty for the whole program.
    region: String,
    /// The hardware thread, or the file's own name for the row.
    thread: String,
    counters: Counters,
}

/// The run in a tool's file with the contents `text`; `None` if no known tool wrote it.
pub fn import(path: &Path, text: &str) -> Option<Run> {
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (tool, mut parts) = match () {
        () if likwid::is_likwid(text) => ("likwid-perfctr", likwid::parts(text)),
        () if path.extension().is_some_and(|kind| kind == "csv") => (MAQAO, maqao::parts(text)),
        () => return None,
    };
    if parts.is_empty() {
        return None;
    }
    for part in &mut parts {
        let whole = &mut part.counters;
        (whole.source, whole.scope, whole.origin) = (Source::Imported, Scope::Program, format!("{tool}, {file}"));
    }
    Some(run(tool, path, parts))
}

fn run(tool: &str, path: &Path, parts: Vec<CountedPart>) -> Run {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut records: Vec<Record> = Vec::new();
    for part in parts {
        let name = if part.region.is_empty() { &stem } else { &part.region };
        let same = |record: &Record| record.cell.benchmark == *name && record.cell.provider == part.thread;
        let at = records.iter().position(same).unwrap_or_else(|| {
            let id = records.len() as u32;
            let cell = Cell::new("counters", name, part.thread.clone(), Quantity::Time, Point::new());
            records.push(Record::new(Cell { id, group: id, ..cell }));
            records.len() - 1
        });
        let record = &mut records[at];
        let seconds = part.counters.seconds.first().copied();
        record.imported_time = record.imported_time.take().or_else(|| seconds.map(once).map(Box::new));
        record.counters.push(Counters { cell: record.cell.id, ..part.counters });
    }
    records.iter_mut().for_each(|record| {
        record.outcome = Some(Outcome {
            cell: record.cell.id,
            status: Status::Measured,
            ending: Some(Ending::Complete),
            why: None,
            check: None,
            caveats: Vec::new(),
        });
    });
    let plan = Plan::new(Method::without_series(tool, Estimator::Mean), 0, None);
    let mut header = Header::bare(format!("imported-{stem}"), tool.to_owned(), plan);
    header.imported_from(path.display().to_string());
    Run {
        header,
        instruments: Vec::new(),
        teams: Vec::new(),
        profiles: Vec::new(),
        codes: Vec::new(),
        records,
        end: Some(End { state: "imported".to_owned(), ..End::default() }),
        explanations: Vec::new(),
        damage: None,
    }
}

/// One run of `seconds`.
fn once(seconds: f64) -> Imported {
    Imported { mean: seconds, min: seconds, max: seconds, sigma_pop: f64::NAN, loops: 1, samples: 1 }
}

/// A title and its unit: `L2 bandwidth [MBytes/s]`.
fn titled(text: &str) -> (String, String) {
    match text.strip_suffix(']').and_then(|text| text.rsplit_once('[')) {
        Some((title, unit)) => (title.trim().to_owned(), unit.trim().to_owned()),
        None => (text.trim().to_owned(), String::new()),
    }
}

/// A name for formulas and CSV: `l2_bandwidth`.
fn named(title: &str) -> String {
    let lower = title.to_lowercase();
    let letters = lower.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect::<String>();
    letters.split('_').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_")
}

/// The better direction of a metric by words of its title; most have none.
fn direction(title: &str) -> Direction {
    const LOWER: &[&str] = &[
        "miss",
        "cpi",
        "runtime",
        "latency",
        "energy",
        "perfect",
        "no scalar integer",
        "clean",
        "vectorised",
        "vectorized",
        "only fp",
        "to get 80",
    ];
    const HIGHER: &[&str] = &["array access efficiency", "mflop/s", "vectorization ratio", "vector-efficiency ratio"];
    let title = title.to_lowercase();
    match () {
        () if HIGHER.iter().any(|word| title.contains(word)) => Direction::Higher,
        () if LOWER.iter().any(|word| title.contains(word)) => Direction::Lower,
        () => Direction::Neither,
    }
}

/// The number of a field: with a sign of per cent, or a comma for the decimal point. Empty fields, `-`, `nan` and texts are none.
fn number(text: &str) -> Option<f64> {
    let text = text.trim().trim_end_matches('%').trim();
    let value: f64 = text.parse().or_else(|_| text.replace(',', ".").parse()).ok()?;
    value.is_finite().then_some(value)
}
