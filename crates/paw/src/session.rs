//! The session of a run: saves events as they happen, shows progress, receives signals.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use paw_data::cell::Cell;
use paw_data::code::Code;
use paw_data::counters::Counters;
use paw_data::executed::Executed;
use paw_data::explanation::Explanation;
use paw_data::outcome::{Ending, Outcome, Status};
use paw_data::profile::Profile;
use paw_data::run::{End, Header, Instrument, Record, Run};
use paw_data::sample::{Phase, Sample};
use paw_data::store::dat::DatFiles;
use paw_data::store::{WriteError, Writer};
use paw_data::team::Team;
use paw_measure::caveat;
use paw_measure::fault::NOT_TRIED;
use paw_measure::watch::{Control, Event, Watch};

use crate::confidential;
use crate::failure::Failure;
use crate::outdir::unwritten;
use crate::print;
use crate::progress::Progress;
use crate::signals::Signals;

/// Longest time between two saves: FORMAT.md promises that a kill loses at most a second.
const SAVE_PERIOD: Duration = Duration::from_secs(1);
/// Shortest time between two saves: a write after each microsecond's round would evict the caches it needs.
const ROUND_SAVE_PERIOD: Duration = Duration::from_millis(100);

/// The session of a run.
#[derive(Debug)]
pub struct Session {
    run: Run,
    writer: Writer<File>,
    dat: DatFiles,
    progress: Progress,
    signals: Signals,
    saved: Instant,
    fault: Option<Failure>,
}

impl Session {
    /// A session that begins by writing `header`.
    pub fn begin(
        header: Header,
        mut writer: Writer<File>,
        dat: DatFiles,
        progress: Progress,
        signals: Signals,
    ) -> Result<Self, Failure> {
        writer.header(&header).map_err(unwritten)?;
        let run = Run::new(header);
        Ok(Self { run, writer, dat, progress, signals, saved: Instant::now(), fault: None })
    }

    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The first error in saving, if any.
    pub fn fault(&self) -> Option<&Failure> {
        self.fault.as_ref()
    }

    /// Writes the last line and closes the files. Returns the run, and the error if it could not be saved.
    pub fn finish(mut self, end: End) -> (Run, Option<Failure>) {
        self.progress.finish();
        let written = self.writer.end(&end);
        self.keep(written);
        self.run.end = Some(end);
        let closed = self.dat.finish().map_err(unwritten);
        let renamed = closed.iter().flatten().filter(|path| is_renamed(path));
        renamed.for_each(|path| {
            print::message(&format!("note: a file of another run is there; these rows are in {}", path.display()));
        });
        (self.run, self.fault.or(closed.err()))
    }

    /// Takes a cell over that an earlier run measured by `instrument`.
    pub fn adopt(&mut self, record: &Record, instrument: &Instrument) {
        let mut record = record.clone();
        record.cell.instrument = self.instrument(instrument);
        let written = self.writer.record(&record);
        self.keep(written);
        let written = self.dat.append(&record);
        self.keep(written);
        self.progress.ended(record.cell.id);
        self.run.records.push(record);
    }

    /// Records what was found in the code of a build.
    pub fn code(&mut self, code: &Code) {
        let code = confidential::cleaned_code(code);
        let written = self.writer.code(&code);
        self.keep(written);
        self.run.codes.push(code);
    }

    /// Records the ranks of a team.
    pub fn team(&mut self, team: Team) {
        let team = confidential::cleaned(&team);
        let written = self.writer.team(&team);
        self.keep(written);
        self.run.teams.push(team);
    }

    /// Records why a kernel takes its time.
    pub fn explained(&mut self, explanation: Explanation) {
        let explanation = confidential::cleaned(&explanation);
        let written = self.writer.explanation(&explanation);
        self.keep(written);
        self.run.explanations.push(explanation);
    }

    /// Records counted events of a cell.
    pub fn counters(&mut self, counters: Counters) {
        let counters = confidential::cleaned(&counters);
        let written = self.writer.counters(&counters);
        self.keep(written);
        if let Some(record) = record(&mut self.run, counters.cell) {
            record.counters.push(counters);
        }
    }

    /// Records what one call of a cell does in its loops.
    pub fn executed(&mut self, executed: Executed) {
        let executed = confidential::cleaned(&executed);
        let written = self.writer.executed(&executed);
        self.keep(written);
        if let Some(record) = record(&mut self.run, executed.cell) {
            record.executed = Some(executed);
        }
    }

    /// Records a profile.
    pub fn profile(&mut self, profile: &Profile) {
        let profile = confidential::cleaned(profile);
        let written = self.writer.profile(&profile);
        self.keep(written);
        self.run.profiles.push(profile);
    }

    /// Ends every cell that has no outcome yet as failed for the reason `why`; returns their number.
    pub fn abandon(&mut self, why: &str) -> usize {
        let outcome = |cell| Outcome {
            cell,
            status: Status::Failed,
            ending: None,
            why: Some(why.to_owned()),
            check: None,
            caveats: Vec::new(),
        };
        let open = self.open_cells();
        open.iter().for_each(|(cell, _)| self.ended(&outcome(*cell)));
        open.len()
    }

    /// Records the cells of a plan that have not begun when the job ends; references are not asked for.
    pub fn not_tried(&mut self, planned: &[Cell]) {
        let begun: BTreeSet<u32> = self.run.records.iter().map(|record| record.cell.id).collect();
        let Some(instrument) = self.run.instruments.first().cloned() else { return };
        for cell in planned.iter().filter(|cell| !cell.role.is_reference() && !begun.contains(&cell.id)) {
            self.begun(cell, &instrument);
            let why = Some(NOT_TRIED.to_owned());
            let status = Status::Skipped;
            self.ended(&Outcome { cell: cell.id, status, ending: None, why, check: None, caveats: Vec::new() });
        }
    }

    /// Ends every open cell as interrupted, with the samples it has.
    pub fn interrupt(&mut self) {
        for (cell, samples) in self.open_cells() {
            let (status, ending, caveats) = match samples {
                0 => (Status::Skipped, None, Vec::new()),
                _ => (Status::Measured, Some(Ending::Interrupted), vec![caveat::unchecked()]),
            };
            let why = (samples == 0).then(|| "interrupted before its first sample".to_owned());
            self.ended(&Outcome { cell, status, ending, why, check: None, caveats });
        }
    }

    /// Numbers of the cells that have no outcome yet, and how many samples they have.
    fn open_cells(&self) -> Vec<(u32, usize)> {
        let open = self.run.records.iter().filter(|record| record.outcome.is_none());
        open.map(|record| (record.cell.id, record.samples.len())).collect()
    }

    fn begun(&mut self, cell: &Cell, instrument: &Instrument) {
        let mut cell = confidential::cleaned(cell);
        cell.instrument = self.instrument(instrument);
        let written = self.writer.cell(&cell);
        self.keep(written);
        self.run.records.push(Record::new(cell));
    }

    /// The number of a clock within the run; equal clocks share a number.
    fn instrument(&mut self, instrument: &Instrument) -> u32 {
        let known = |other: &&Instrument| Instrument { id: other.id, ..instrument.clone() } == **other;
        if let Some(known) = self.run.instruments.iter().find(known) {
            return known.id;
        }
        let id = u32::try_from(self.run.instruments.len()).unwrap_or(u32::MAX);
        let instrument = Instrument { id, ..instrument.clone() };
        let written = self.writer.instrument(&instrument);
        self.keep(written);
        self.run.instruments.push(instrument);
        id
    }

    fn sampled(&mut self, cell: u32, phase: Phase, sample: &Sample) {
        self.writer.push(cell, phase, sample.clone());
        let Some(record) = record(&mut self.run, cell) else { return };
        match phase {
            Phase::Warmup => record.warmup.push(sample.clone()),
            Phase::Measure => record.samples.push(sample.clone()),
        }
        self.progress.sampled(&record.cell, Instant::now());
        self.save_every(SAVE_PERIOD);
    }

    fn ended(&mut self, outcome: &Outcome) {
        let outcome = &confidential::cleaned(outcome);
        let written = self.writer.outcome(outcome);
        self.keep(written);
        self.progress.ended(outcome.cell);
        let Some(record) = record(&mut self.run, outcome.cell) else { return };
        record.outcome = Some(outcome.clone());
        let written = self.dat.append(record);
        self.keep(written);
    }

    fn save_every(&mut self, period: Duration) {
        if self.saved.elapsed() >= period {
            let written = self.writer.flush();
            self.keep(written);
            self.saved = Instant::now();
        }
    }

    /// Keeps the first error in saving.
    fn keep(&mut self, written: Result<(), WriteError>) {
        if let (None, Err(error)) = (&self.fault, written) {
            self.fault = Some(unwritten(error));
        }
    }
}

/// The record of a cell. Cells that are being measured are the last ones.
fn record(run: &mut Run, cell: u32) -> Option<&mut Record> {
    run.records.iter_mut().rev().find(|record| record.cell.id == cell)
}

impl Watch for Session {
    fn on(&mut self, event: Event<'_>) -> Control {
        match event {
            Event::Starting { cell } => self.progress.starting(cell, Instant::now()),
            Event::Begun { cell, instrument } => self.begun(cell, instrument),
            Event::Sampled { cell, phase, sample } => self.sampled(cell, phase, sample),
            Event::RoundEnded { .. } => self.save_every(ROUND_SAVE_PERIOD),
            Event::Ended { outcome } => self.ended(outcome),
        }
        self.asked()
    }

    fn asked(&mut self) -> Control {
        if self.fault.is_some() || self.signals.code().is_some() { Control::Stop } else { Control::Go }
    }
}

/// A session that another thread can end if the measuring thread hangs.
#[derive(Debug, Clone)]
pub struct SharedSession {
    session: Arc<Mutex<Option<Session>>>,
}

impl SharedSession {
    /// `session`, shared.
    pub fn new(session: Session) -> Self {
        Self { session: Arc::new(Mutex::new(Some(session))) }
    }

    /// Takes the session; `None` if it was taken before.
    pub fn take(&self) -> Option<Session> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Session>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for SharedSession {
    fn on(&mut self, event: Event<'_>) -> Control {
        self.lock().as_mut().map_or(Control::Stop, |session| session.on(event))
    }

    fn asked(&mut self) -> Control {
        self.lock().as_mut().map_or(Control::Stop, Session::asked)
    }
}

/// Whether a `.dat` file has a number because another run's file has its name: `dgemm_time-np_0001.2.dat`.
fn is_renamed(path: &Path) -> bool {
    path.file_stem()
        .is_some_and(|stem| Path::new(stem).extension().is_some_and(|e| e.to_string_lossy().parse::<u32>().is_ok()))
}
