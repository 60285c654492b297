//! A whole run as one JSON document, with the statistics that `run.jsonl` leaves to be computed.

mod explained;
mod layout;
mod profiled;
mod scaling;

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use super::statistics::{self, Statistic};
use crate::cell::Cell;
use crate::code::Code;
use crate::counters::Counters;
use crate::executed::Executed;
use crate::machine::Machine;
use crate::outcome::Outcome;
use crate::run::{End, Header, Imported, Instrument, Record, Run};
use crate::sample::Samples;
use crate::team::Team;

/// Writes `run` as one indented JSON document: header, instruments, teams, one entry a cell with its statistics and all samples,
/// code, explanations and profiles, what follows from an application's cells, end, and what is missing. Columns stay on one line each; NaN is `null`.
pub fn write(run: &Run, mut out: impl Write) -> io::Result<()> {
    let document = Document {
        run: &run.header,
        instruments: &run.instruments,
        teams: &run.teams,
        cells: Cells(run),
        code: &run.codes,
        explanations: explained::documents(run),
        profiles: profiled::documents(run),
        scaling: scaling::document(run),
        end: run.end.as_ref(),
        damage: run.damage.as_deref(),
    };
    document.serialize(&mut serde_json::Serializer::with_formatter(&mut out, layout::JsonLayout::default()))?;
    out.write_all(b"\n")?;
    out.flush()
}

#[derive(Serialize)]
struct Document<'a> {
    run: &'a Header,
    instruments: &'a [Instrument],
    #[serde(skip_serializing_if = "<[Team]>::is_empty")]
    teams: &'a [Team],
    cells: Cells<'a>,
    #[serde(skip_serializing_if = "<[Code]>::is_empty")]
    code: &'a [Code],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    explanations: Vec<explained::ExplanationDocument<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    profiles: Vec<profiled::ProfileDocument<'a>>,
    #[serde(flatten)]
    scaling: Option<scaling::ScalingDocument>,
    end: Option<&'a End>,
    damage: Option<&'a str>,
}

/// Serialises cell by cell: a document of all statistics would double the memory of a long run.
struct Cells<'a>(&'a Run);

impl Serialize for Cells<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(self.0.records.len()))?;
        for record in &self.0.records {
            seq.serialize_element(&CellDocument::new(record, &self.0.header.machine))?;
        }
        seq.end()
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
