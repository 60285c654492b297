//! Assembly of a run from the lines of its file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::columns::Columns;
use super::damage::{Damage, EndLine};
use super::extent::Extent;
use super::jsonl::{ImportedLine, LineKind, kind};
use super::read_error::ReadError;
use super::salvage;
use crate::cell::Cell;
use crate::code::Code;
use crate::counters::Counters;
use crate::executed::Executed;
use crate::explanation::Explanation;
use crate::outcome::Outcome;
use crate::profile::Profile;
use crate::run::{End, Header, Instrument, Record, Run};
use crate::sample::Phase;
use crate::team::Team;

/// The parts of a run that were read so far.
pub(super) struct RunAssembler {
    path: PathBuf,
    extent: Extent,
    lines: usize,
    bytes: usize,
    header: Option<Header>,
    instruments: Vec<Instrument>,
    teams: Vec<Team>,
    records: Vec<Record>,
    profiles: Vec<Profile>,
    codes: Vec<Code>,
    by_cell: HashMap<u32, usize>,
    explanations: Vec<Explanation>,
    end: Option<End>,
    columns: Columns,
    damage: Damage,
    unreadable: Option<UnreadableLine>,
    first_fault: Option<String>,
}

/// The previous line, if it could not be read.
struct UnreadableLine {
    line: usize,
    why: String,
    bytes: Vec<u8>,
}

impl RunAssembler {
    pub fn new(path: &Path, extent: Extent) -> Self {
        Self {
            path: path.to_owned(),
            extent,
            lines: 0,
            bytes: 0,
            header: None,
            instruments: Vec::new(),
            teams: Vec::new(),
            records: Vec::new(),
            profiles: Vec::new(),
            codes: Vec::new(),
            by_cell: HashMap::new(),
            explanations: Vec::new(),
            end: None,
            columns: Columns::new(extent),
            damage: Damage::default(),
            unreadable: None,
            first_fault: None,
        }
    }

    /// Takes one line, with its line feed where it has one. Only a format of another major version is an error.
    pub fn line(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        self.lines += 1;
        self.bytes += bytes.len();
        if bytes.trim_ascii().is_empty() {
            return Ok(());
        }
        self.settle(bytes);
        match self.take(bytes.trim_ascii()) {
            Ok(()) => Ok(()),
            Err(Refusal::Schema(schema)) => Err(ReadError::OtherMajor { path: self.path.clone(), schema }),
            Err(Refusal::Line(why)) => {
                self.first_fault.get_or_insert_with(|| format!("line {}: {why}", self.lines));
                // Only the last line can lack its line feed.
                if bytes.ends_with(b"\n") {
                    self.unreadable =
                        Some(UnreadableLine { line: self.lines, why, bytes: bytes.trim_ascii().to_vec() });
                } else {
                    self.damage.torn = Some(self.lines);
                }
                Ok(())
            }
        }
    }

    /// Decides whether the previous line is lost: a writer repeats a line that a full disk cut short, and then nothing is missing.
    fn settle(&mut self, next: &[u8]) {
        if let Some(UnreadableLine { line, why, bytes }) = self.unreadable.take()
            && !next.starts_with(&bytes)
        {
            self.damage.unreadable(line, &why);
        }
    }

    /// The run, as far as it could be read.
    pub fn finish(mut self) -> Result<Run, ReadError> {
        if self.bytes == 0 {
            return Err(ReadError::Empty(self.path));
        }
        self.settle(b"");
        let header = match self.header {
            Some(header) => header,
            None => {
                let why = self.first_fault.unwrap_or_else(|| "it has no header".to_owned());
                if self.records.is_empty() {
                    return Err(ReadError::NotARun { path: self.path, why });
                }
                self.damage.headless = Some(why);
                salvage::unknown_header(&self.path)
            }
        };
        let ended = if self.end.is_some() { EndLine::Yes } else { EndLine::No };
        let damage = self.damage.sentence(self.lines, ended);
        let (instruments, teams) = (self.instruments, self.teams);
        let (records, explanations, profiles, codes) = (self.records, self.explanations, self.profiles, self.codes);
        Ok(Run { header, instruments, teams, records, explanations, profiles, codes, end: self.end, damage })
    }

    fn take(&mut self, line: &[u8]) -> Result<(), Refusal> {
        let (kind, name) = kind(line)?;
        match kind {
            LineKind::Samples => self.samples(line)?,
            LineKind::Cell => self.cell(body(line)?)?,
            LineKind::Outcome => {
                let outcome: Outcome = body(line)?;
                if let Some(record) = self.record(outcome.cell) {
                    record.outcome = Some(outcome);
                }
            }
            LineKind::Imported => {
                let imported: ImportedLine = body(line)?;
                if let Some(record) = self.record(imported.cell) {
                    record.imported_time = imported.time.map(Box::new);
                    record.imported_rate = imported.rate.map(Box::new);
                }
            }
            LineKind::Profile => self.profiles.push(body(line)?),
            LineKind::Counters => {
                let counters: Counters = body(line)?;
                if let Some(record) = self.record(counters.cell) {
                    record.counters.push(counters);
                }
            }
            LineKind::Executed => {
                let executed: Executed = body(line)?;
                if let Some(record) = self.record(executed.cell) {
                    record.executed = Some(executed);
                }
            }
            LineKind::Instrument => self.instruments.push(body(line)?),
            LineKind::Code => self.codes.push(body(line)?),
            LineKind::Team => self.teams.push(body(line)?),
            LineKind::Run => self.header(line)?,
            LineKind::Explanation => self.explanations.push(body(line)?),
            LineKind::End => self.end = Some(body(line)?),
            LineKind::Other => self.damage.unknown(self.lines, &name),
        }
        Ok(())
    }

    fn header(&mut self, line: &[u8]) -> Result<(), Refusal> {
        #[derive(Deserialize)]
        struct Format {
            schema: String,
        }
        let Format { schema } = body(line)?;
        match schema.strip_prefix("paw.run/").map(|version| version.split_once('.').unwrap_or((version, ""))) {
            Some(("1", "")) => {}
            Some(("1", _)) => self.damage.minor = Some(schema),
            _ => return Err(Refusal::Schema(schema)),
        }
        // A later minor version may use words unknown here: keep all other fields.
        let header = body(line).or_else(|e: Refusal| salvage::header(line, &self.path).ok_or(e))?;
        self.header.get_or_insert(header);
        Ok(())
    }

    fn cell(&mut self, cell: Cell) -> Result<(), Refusal> {
        let id = cell.id;
        if self.by_cell.contains_key(&id) {
            return Err(Refusal::Line(format!("cell {id} is described a second time")));
        }
        self.by_cell.insert(id, self.records.len());
        self.records.push(Record::new(cell));
        Ok(())
    }

    fn samples(&mut self, line: &[u8]) -> Result<(), Refusal> {
        let phase = self.columns.read(line).map_err(Refusal::Line)?;
        let columns = &self.columns;
        match self.by_cell.get(&columns.cell) {
            Some(&at) => match phase {
                Phase::Warmup if self.extent != Extent::All => {}
                Phase::Warmup => self.records[at].warmup.append(&columns.samples),
                Phase::Measure => self.records[at].samples.append(&columns.samples),
            },
            None => self.damage.orphan(self.lines, columns.cell),
        }
        Ok(())
    }

    fn record(&mut self, cell: u32) -> Option<&mut Record> {
        match self.by_cell.get(&cell) {
            Some(&at) => self.records.get_mut(at),
            None => {
                self.damage.orphan(self.lines, cell);
                None
            }
        }
    }
}

/// Why a line was refused.
enum Refusal {
    /// The line is left out.
    Line(String),
    /// The whole file is refused.
    Schema(String),
}

impl From<serde_json::Error> for Refusal {
    fn from(error: serde_json::Error) -> Self {
        Refusal::Line(error.to_string())
    }
}

fn body<T: DeserializeOwned>(line: &[u8]) -> Result<T, Refusal> {
    Ok(serde_json::from_slice(line)?)
}
