//! Assembly of a run from the lines of its file.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::damage::{Damage, EndLine};
use super::extent::Extent;
use super::parsed_line::{ParsedLine, Refusal};
use super::read_error::ReadError;
use super::salvage;
use crate::cell::{Cell, Library};
use crate::code::Code;
use crate::explanation::Explanation;
use crate::profile::Profile;
use crate::run::{End, Header, Instrument, Record, Run};
use crate::sample::{Phase, Samples};
use crate::team::Team;

/// The parts of a run that were read so far.
pub(super) struct RunAssembler {
    path: PathBuf,
    extent: Extent,
    lines: usize,
    bytes: usize,
    header: Option<Header>,
    /// Whether a second header was read, as in two files that were joined.
    is_of_another: bool,
    instruments: Vec<Instrument>,
    teams: Vec<Team>,
    records: Vec<Record>,
    profiles: Vec<Profile>,
    codes: Vec<Code>,
    by_cell: HashMap<u32, usize>,
    /// Those that cells share.
    libraries: HashSet<Arc<Library>>,
    explanations: Vec<Explanation>,
    end: Option<End>,
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
            is_of_another: false,
            instruments: Vec::new(),
            teams: Vec::new(),
            records: Vec::new(),
            profiles: Vec::new(),
            codes: Vec::new(),
            by_cell: HashMap::new(),
            libraries: HashSet::new(),
            explanations: Vec::new(),
            end: None,
            damage: Damage::default(),
            unreadable: None,
            first_fault: None,
        }
    }

    /// Takes one line, with its line feed where it has one, and what was read of it. Only a format of another major version is an error.
    pub fn line(&mut self, bytes: &[u8], parsed: Result<ParsedLine, Refusal>) -> Result<(), ReadError> {
        self.lines += 1;
        self.bytes += bytes.len();
        if bytes.trim_ascii().is_empty() {
            return Ok(());
        }
        self.settle(bytes);
        match parsed.and_then(|parsed| self.take(parsed)) {
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
        self.records.shrink_to_fit();
        let (records, explanations, profiles, codes) = (self.records, self.explanations, self.profiles, self.codes);
        Ok(Run { header, instruments, teams, records, explanations, profiles, codes, end: self.end, damage })
    }

    fn take(&mut self, parsed: ParsedLine) -> Result<(), Refusal> {
        if self.is_of_another {
            return Err(Refusal::Line("it is of another run".to_owned()));
        }
        match parsed {
            ParsedLine::Blank => {}
            ParsedLine::Samples(cell, phase, samples) => self.samples(cell, phase, *samples),
            ParsedLine::Cell(cell) => self.cell(*cell)?,
            ParsedLine::Outcome(outcome) => {
                if let Some(record) = self.record(outcome.cell) {
                    record.outcome = Some(*outcome);
                }
            }
            ParsedLine::Imported(imported) => {
                if let Some(record) = self.record(imported.cell) {
                    record.imported_time = imported.time.map(Box::new);
                    record.imported_rate = imported.rate.map(Box::new);
                }
            }
            ParsedLine::Profile(profile) => self.profiles.push(*profile),
            ParsedLine::Counters(counters) => {
                if let Some(record) = self.record(counters.cell) {
                    record.counters.push(*counters);
                }
            }
            ParsedLine::Executed(executed) => {
                if let Some(record) = self.record(executed.cell) {
                    record.executed = Some(*executed);
                }
            }
            ParsedLine::Instrument(instrument) => self.instruments.push(*instrument),
            ParsedLine::Code(code) => self.codes.push(*code),
            ParsedLine::Team(team) => self.teams.push(*team),
            // Numbers of cells below it would be those of cells above.
            ParsedLine::Run(..) if self.header.is_some() => {
                self.is_of_another = true;
                return Err(Refusal::Line("another run begins here".to_owned()));
            }
            ParsedLine::Run(header, minor) => {
                self.damage.minor = minor;
                self.header = Some(*header);
            }
            ParsedLine::Explanation(explanation) => self.explanations.push(*explanation),
            ParsedLine::End(end) => self.end = Some(*end),
            ParsedLine::Other(name) => self.damage.unknown(self.lines, &name),
        }
        Ok(())
    }

    fn cell(&mut self, mut cell: Cell) -> Result<(), Refusal> {
        let id = cell.id;
        if self.by_cell.contains_key(&id) {
            return Err(Refusal::Line(format!("cell {id} is described a second time")));
        }
        self.by_cell.insert(id, self.records.len());
        // There are as many of them as cells, and most are of one rank.
        cell.ranks.shrink_to_fit();
        if let Some(library) = &mut cell.library {
            match self.libraries.get(&**library) {
                Some(known) => library.clone_from(known),
                None => drop(self.libraries.insert(library.clone())),
            }
        }
        self.records.push(Record::new(cell));
        Ok(())
    }

    fn samples(&mut self, cell: u32, phase: Phase, samples: Samples) {
        match self.by_cell.get(&cell) {
            Some(&at) => match phase {
                phase if !self.extent.keeps(phase) => {}
                Phase::Warmup => self.records[at].warmup.append(samples),
                Phase::Measure => self.records[at].samples.append(samples),
            },
            None => self.damage.orphan(self.lines, cell),
        }
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
