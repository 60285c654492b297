//! A whole run as one JSON document, with the statistics that `run.jsonl` leaves to be computed.

mod explained;
pub(super) mod layout;
mod profiled;
mod scaling;

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use layout::{Arrays, JsonLayout};

use super::statistics::{self, Statistic};
use crate::cell::Cell;
use crate::counters::Counters;
use crate::executed::Executed;
use crate::machine::Machine;
use crate::outcome::Outcome;
use crate::run::{Imported, Record, Run};
use crate::sample::Samples;

/// Writes `run` as one indented JSON document: header, instruments, teams, one entry a cell with its statistics and all samples,
/// code, explanations and profiles, what follows from an application's cells, end, and what is missing. Columns stay on one line each; NaN is `null`.
pub fn write(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let mut document = Document { layout: JsonLayout::new(out, Arrays::Columns), parts: 0 };
    document.part("run", &run.header)?;
    document.part("instruments", &run.instruments)?;
    document.part_if_any("teams", &run.teams)?;
    // Cell by cell: all statistics of a long run would double its memory.
    document.list("cells", run.records.iter().map(|record| CellDocument::new(record, &run.header.machine)))?;
    document.part_if_any("code", &run.codes)?;
    document.part_if_any("explanations", &explained::documents(run))?;
    document.part_if_any("profiles", &profiled::documents(run))?;
    if let Some(scaling) = scaling::document(run) {
        document.parts_of(&scaling)?;
    }
    document.part("end", &run.end)?;
    document.part("damage", &run.damage)?;
    document.layout.write(b"}")?;
    document.layout.end()
}

/// The outermost object, part by part.
struct Document<'a> {
    layout: JsonLayout<'a>,
    parts: usize,
}

impl Document<'_> {
    fn part(&mut self, name: &str, value: &impl Serialize) -> io::Result<()> {
        self.name(name)?;
        self.layout.write(&serde_json::to_vec(value)?)
    }

    fn part_if_any(&mut self, name: &str, values: &[impl Serialize]) -> io::Result<()> {
        if values.is_empty() { Ok(()) } else { self.part(name, &values) }
    }

    fn list(&mut self, name: &str, values: impl Iterator<Item: Serialize>) -> io::Result<()> {
        self.name(name)?;
        self.layout.write(b"[")?;
        for (at, value) in values.enumerate() {
            if at > 0 {
                self.layout.write(b",")?;
            }
            self.layout.write(&serde_json::to_vec(&value)?)?;
        }
        self.layout.write(b"]")
    }

    /// All fields of a structure, each a part.
    fn parts_of(&mut self, structure: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_vec(structure)?;
        let fields = &text[1..text.len() - 1];
        if fields.is_empty() {
            return Ok(());
        }
        self.begin_part()?;
        self.layout.write(fields)
    }

    fn name(&mut self, name: &str) -> io::Result<()> {
        self.begin_part()?;
        self.layout.write(format!("\"{name}\":").as_bytes())
    }

    fn begin_part(&mut self) -> io::Result<()> {
        self.parts += 1;
        self.layout.write(if self.parts == 1 { b"{" } else { b"," })
    }
}

#[derive(Serialize)]
struct CellDocument<'a> {
    cell: &'a Cell,
    outcome: Option<&'a Outcome>,
    statistics: BTreeMap<&'static str, BTreeMap<&'static str, Number>>,
    #[serde(skip_serializing_if = "Samples::is_empty")]
    warmup: &'a Samples,
    #[serde(skip_serializing_if = "Samples::is_empty")]
    samples: &'a Samples,
    #[serde(skip_serializing_if = "Option::is_none")]
    imported_time: Option<&'a Imported>,
    #[serde(skip_serializing_if = "Option::is_none")]
    imported_rate: Option<&'a Imported>,
    #[serde(skip_serializing_if = "<[Counters]>::is_empty")]
    counters: &'a [Counters],
    #[serde(skip_serializing_if = "Option::is_none")]
    executed: Option<&'a Executed>,
}

/// A statistic, with its interval where it has one.
#[derive(Serialize)]
struct Number {
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<f64>,
    samples: usize,
}

impl<'a> CellDocument<'a> {
    fn new(record: &'a Record, machine: &Machine) -> Self {
        let mut statistics = BTreeMap::<_, BTreeMap<_, _>>::new();
        for Statistic { quantity, name, value, ends, samples } in statistics::of(record, machine) {
            let number = Number { value, low: ends.map(|e| e.0), high: ends.map(|e| e.1), samples };
            statistics.entry(statistics::word(quantity)).or_default().insert(name, number);
        }
        Self {
            cell: &record.cell,
            outcome: record.outcome.as_ref(),
            statistics,
            warmup: &record.warmup,
            samples: &record.samples,
            imported_time: record.imported_time.as_deref(),
            imported_rate: record.imported_rate.as_deref(),
            counters: &record.counters,
            executed: record.executed.as_ref(),
        }
    }
}
