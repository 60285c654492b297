//! `run.jsonl`, written as the run goes.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::jsonl::{ImportedLine, Line, SamplesLine};
use crate::cell::Cell;
use crate::code::Code;
use crate::counters::Counters;
use crate::executed::Executed;
use crate::explanation::Explanation;
use crate::outcome::Outcome;
use crate::profile::Profile;
use crate::run::{End, Header, Imported, Instrument, Record, Run};
use crate::sample::{Phase, Sample, Samples};
use crate::team::Team;

/// Why something could not be saved.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The directory holds a run already: runs are never overwritten.
    #[error("{} already holds a run: choose another directory, or remove {} if it is no longer wanted", dir.display(), file.display())]
    Occupied {
        /// The directory.
        dir: PathBuf,
        /// The run in it.
        file: PathBuf,
    },
    /// The directory above does not exist.
    #[error("{} cannot be created, because {} does not exist: create that first, or choose another directory", dir.display(), parent.display())]
    NoParent {
        /// The directory to be created.
        dir: PathBuf,
        /// The missing parent.
        parent: PathBuf,
    },
    /// The name of a directory belongs to a file.
    #[error("{} is a file, and a directory is needed: choose another name", .0.display())]
    NotADirectory(PathBuf),
    /// The system refused to write.
    #[error("{} cannot be written: {}", path.display(), way_out(source))]
    Io {
        /// The path that was written.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl WriteError {
    /// The error `source` at `path`.
    pub(super) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }
}

fn way_out(error: &io::Error) -> String {
    let (what, hint) = match error.kind() {
        ErrorKind::StorageFull => ("the disk is full", "free some space; what was saved before can still be read"),
        ErrorKind::QuotaExceeded => {
            ("the disk quota is used up", "free some space; what was saved before can still be read")
        }
        ErrorKind::ReadOnlyFilesystem => ("the file system is read-only", "choose another directory"),
        ErrorKind::PermissionDenied => ("permission denied", "choose a directory you may write to"),
        _ => return error.to_string(),
    };
    format!("{what}: {hint}")
}

/// Appends a run to `run.jsonl`, line by line.
///
/// Every line leaves in one write and is flushed, so that a process killed at any moment loses at most the samples pushed
/// since the last [`flush`](Writer::flush). After an error nothing is lost either: what was written stays readable, and the
/// lines that could not be written are kept and go before the next one. Dropping a writer saves what it still holds, as far
/// as it can.
#[derive(Debug)]
pub struct Writer<W: Write> {
    out: W,
    path: PathBuf,
    pending: Vec<Pending>,
    /// Serialised lines that are not written yet: more than one only after an error.
    unwritten: VecDeque<Vec<u8>>,
    tail: Tail,
}

#[derive(Debug)]
struct Pending {
    cell: u32,
    phase: Phase,
    samples: Samples,
}

/// The state of the file's last line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tail {
    Whole,
    /// A write failed, perhaps halfway.
    Torn,
}

impl<W: Write> Writer<W> {
    /// A writer to `out`; errors name `path`.
    pub fn new(out: W, path: impl Into<PathBuf>) -> Self {
        Self { out, path: path.into(), pending: Vec::new(), unwritten: VecDeque::new(), tail: Tail::Whole }
    }

    /// The path of the file, as errors name it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the header, which is the first line.
    pub fn header(&mut self, header: &Header) -> Result<(), WriteError> {
        self.append(Line::Run(header))
    }

    /// Writes a clock. It comes before the cells that name it.
    pub fn instrument(&mut self, instrument: &Instrument) -> Result<(), WriteError> {
        self.append(Line::Instrument(instrument))
    }

    /// Writes a team. It comes before the cells that name it.
    pub fn team(&mut self, team: &Team) -> Result<(), WriteError> {
        self.append(Line::Team(team))
    }

    /// Writes a cell. It comes before its samples.
    pub fn cell(&mut self, cell: &Cell) -> Result<(), WriteError> {
        self.append(Line::Cell(cell))
    }

    /// Keeps a sample until the next [`flush`](Writer::flush).
    pub fn push(&mut self, cell: u32, phase: Phase, sample: Sample) {
        match self.pending.iter_mut().rev().find(|p| p.cell == cell && p.phase == phase) {
            Some(pending) => pending.samples.push(sample),
            None => {
                let mut samples = Samples::default();
                samples.push(sample);
                self.pending.push(Pending { cell, phase, samples });
            }
        }
    }

    /// Writes all samples kept, one line for each cell and phase. To be called at the end of every round, and within a long
    /// round every second.
    pub fn flush(&mut self) -> Result<(), WriteError> {
        for Pending { cell, phase, samples } in std::mem::take(&mut self.pending) {
            self.queue(Line::Samples(SamplesLine { line: "samples", cell, phase, samples: &samples }))?;
        }
        self.write_queued()
    }

    /// Writes whole columns of samples at once.
    pub fn samples(&mut self, cell: u32, phase: Phase, samples: &Samples) -> Result<(), WriteError> {
        self.append(Line::Samples(SamplesLine { line: "samples", cell, phase, samples }))
    }

    /// Writes the statistics of a cell that has no samples.
    pub fn imported(&mut self, cell: u32, time: Option<Imported>, rate: Option<Imported>) -> Result<(), WriteError> {
        self.append(Line::Imported(ImportedLine { line: "imported", cell, time, rate }))
    }

    /// Writes a profile. It comes after the cell that it names.
    pub fn profile(&mut self, profile: &Profile) -> Result<(), WriteError> {
        self.append(Line::Profile(profile))
    }

    /// Writes what was found in the code of a build.
    pub fn code(&mut self, code: &Code) -> Result<(), WriteError> {
        self.append(Line::Code(code))
    }

    /// Writes how a cell ended, after all samples kept.
    pub fn outcome(&mut self, outcome: &Outcome) -> Result<(), WriteError> {
        self.flush()?;
        self.append(Line::Outcome(outcome))
    }

    /// Writes why a kernel takes its time, after all samples kept.
    pub fn explanation(&mut self, explanation: &Explanation) -> Result<(), WriteError> {
        self.flush()?;
        self.append(Line::Explanation(explanation))
    }

    /// Writes the counted events of a cell.
    pub fn counters(&mut self, counters: &Counters) -> Result<(), WriteError> {
        self.append(Line::Counters(counters))
    }

    /// Writes what one call of a cell does in its loops.
    pub fn executed(&mut self, executed: &Executed) -> Result<(), WriteError> {
        self.append(Line::Executed(executed))
    }

    /// Writes a whole cell: its facts, samples, outcome and counts.
    pub fn record(&mut self, record: &Record) -> Result<(), WriteError> {
        let id = record.cell.id;
        self.cell(&record.cell)?;
        for (phase, samples) in [(Phase::Warmup, &*record.warmup), (Phase::Measure, &record.samples)] {
            if !samples.is_empty() {
                self.samples(id, phase, samples)?;
            }
        }
        if record.imported_time.is_some() || record.imported_rate.is_some() {
            self.imported(id, record.imported_time.as_deref().cloned(), record.imported_rate.as_deref().cloned())?;
        }
        record.outcome.iter().try_for_each(|o| self.outcome(o))?;
        record.counters.iter().try_for_each(|c| self.counters(c))?;
        record.executed.iter().try_for_each(|e| self.executed(e))
    }

    /// Writes the samples kept, then the last line.
    pub fn end(&mut self, end: &End) -> Result<(), WriteError> {
        self.flush()?;
        self.append(Line::End(end))
    }

    fn append(&mut self, line: Line<'_>) -> Result<(), WriteError> {
        self.queue(line)?;
        self.write_queued()
    }

    /// Queues a line after those not yet written.
    fn queue(&mut self, line: Line<'_>) -> Result<(), WriteError> {
        let mut line = line.json().map_err(|e| WriteError::io(&self.path, e.into()))?;
        line.push(b'\n');
        self.unwritten.push_back(line);
        Ok(())
    }

    /// Writes the queued lines; after an error the rest stays queued.
    fn write_queued(&mut self) -> Result<(), WriteError> {
        while let Some(line) = self.unwritten.front_mut() {
            if self.tail == Tail::Torn && line[0] != b'\n' {
                line.insert(0, b'\n');
            }
            // Torn until the write succeeds: a failed write may have left half a line.
            self.tail = Tail::Torn;
            match put(&mut self.out, line) {
                Ok(()) => self.tail = Tail::Whole,
                // Only the line feed is missing: writing the line again would duplicate its samples.
                Err((written, _)) if written + 1 == line.len() => {}
                Err((_, e)) => return Err(WriteError::io(&self.path, e)),
            }
            self.unwritten.pop_front();
        }
        self.out.flush().map_err(|e| WriteError::io(&self.path, e))
    }
}

/// Writes all of `bytes`, or says how many were written before the error.
fn put(out: &mut impl Write, bytes: &[u8]) -> Result<(), (usize, io::Error)> {
    let mut written = 0;
    while written < bytes.len() {
        match out.write(&bytes[written..]) {
            Ok(0) => return Err((written, ErrorKind::WriteZero.into())),
            Ok(n) => written += n,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err((written, e)),
        }
    }
    Ok(())
}

impl<W: Write> Drop for Writer<W> {
    fn drop(&mut self) {
        // `drop` cannot return an error.
        let _ = self.flush();
    }
}

/// Writes a whole run to `out`; errors name `path`.
pub fn write(run: &Run, out: impl Write, path: &Path) -> Result<(), WriteError> {
    let mut writer = Writer::new(out, path);
    writer.header(&run.header)?;
    run.instruments.iter().try_for_each(|i| writer.instrument(i))?;
    run.teams.iter().try_for_each(|t| writer.team(t))?;
    run.records.iter().try_for_each(|record| writer.record(record))?;
    run.explanations.iter().try_for_each(|e| writer.explanation(e))?;
    run.profiles.iter().try_for_each(|p| writer.profile(p))?;
    run.codes.iter().try_for_each(|code| writer.code(code))?;
    run.end.iter().try_for_each(|e| writer.end(e))
}
