//! An interrupted run of an application, which goes on in a new directory.

use std::collections::BTreeSet;
use std::path::Path;

use clap::Parser;
use paw_apps::plan::Commands;
use paw_data::application::Application;
use paw_data::cell::Cell;
use paw_data::outcome::{Ending, Status};
use paw_data::run::{Header, Record, Run};
use paw_data::store;
use paw_machine::environment::secret::HIDDEN;
use paw_measure::planned::Campaign;

use crate::cli::{AppArgs, Cli, Command};
use crate::confidential::HIDDEN_PATH;
use crate::failure::Failure;
use crate::session::Session;
use crate::written_since::{self, written_since};

/// An interrupted run, and what it was asked for.
#[derive(Debug)]
pub struct Resumed {
    run: Run,
    /// The flags of that run, with those about files and output as typed now.
    pub args: AppArgs,
}

impl Resumed {
    /// Reads the run at `path`, which `typed` asks to go on with.
    pub fn open(path: &Path, typed: &AppArgs) -> Result<Self, Failure> {
        let run = store::read(path).map_err(|error| Failure::io(error.to_string()))?;
        let refused = |why: &str| Failure::usage(format!("--resume {}: {why}", path.display()));
        if run.header.argv.iter().any(|word| word.contains(HIDDEN)) {
            return Err(refused("parts of its command line are hidden, so that it cannot be repeated")
                .hint("type the command again; `paw compare` holds both runs against each other"));
        }
        let parsed = Cli::try_parse_from(&run.header.argv).ok().and_then(|cli| cli.command);
        let Some(Command::App(asked)) = parsed else {
            return Err(refused("it is no run of `paw app`").hint("only runs of programs go on"));
        };
        let here = std::env::current_dir().unwrap_or_default();
        let then = &run.header.directory;
        if !then.is_empty() && !then.contains(HIDDEN_PATH) && Path::new(then) != here {
            let why = format!("it was started in {then}, and its command line may name other files here");
            return Err(refused(&why).hint(format!("change there first: cd {then}")));
        }
        let since = written_since(&run, &here, written_since::end(path));
        if !since.is_empty() {
            let why = format!("{}: sizes of two programs would stand in one run", since.join("; "));
            return Err(refused(&why).hint("measure anew, without --resume"));
        }
        let mut args = AppArgs { leaving: typed.leaving.clone(), ..*asked };
        args.method.seed = Some(run.header.plan.seed);
        Ok(Self { run, args })
    }

    /// Notes in the header of the new run where it comes from.
    pub fn note(&self, header: &mut Header) {
        header.argv.clone_from(&self.run.header.argv);
        if let Some(app) = &mut header.app {
            app.resumed = Some(self.run.header.id.clone());
        }
    }

    /// `campaign` without the groups that were measured whole, if it is that of the interrupted run: `facts` are those of its
    /// programs, and `here` is this machine's fingerprint.
    pub fn rest(
        &self,
        mut campaign: Campaign<Commands>,
        facts: &Application,
        here: &str,
    ) -> Result<Campaign<Commands>, Failure> {
        let Header { id, machine, app, .. } = &self.run.header;
        let refused = |why: String| Failure::usage(format!("--resume {id}: {why}"));
        if machine.identity.fingerprint != here {
            return Err(refused("it was measured on another machine".to_owned()));
        }
        let is_same = app.as_ref().is_some_and(|app| unplaced(app) == unplaced(facts));
        let planned: Vec<_> = campaign.cells().map(|planned| key(&planned.cell)).collect();
        let is_planned = |record: &Record| planned.contains(&key(&record.cell));
        if !is_same || !self.of_programs().all(is_planned) {
            let why = "the same command line now asks for other programs, inputs, threads or points";
            return Err(refused(why.to_owned()).hint("measure anew, without --resume"));
        }
        let done: BTreeSet<_> =
            self.of_programs().filter(|record| is_done(record)).map(|record| record.cell.id).collect();
        campaign.groups.retain(|group| !group.cells.iter().all(|planned| done.contains(&planned.cell.id)));
        match campaign.groups.is_empty() {
            true => Err(Failure::nothing(format!("--resume {id}: it is whole, and nothing is left to measure"))),
            false => Ok(campaign),
        }
    }

    /// Gives `session` the cells that `rest` leaves out.
    pub fn hand_over(&self, rest: &Campaign<Commands>, session: &mut Session) {
        let open: BTreeSet<_> = rest.cells().map(|planned| planned.cell.id).collect();
        for record in self.of_programs().filter(|record| !open.contains(&record.cell.id)) {
            let number = record.cell.instrument;
            let instrument = self.run.instruments.iter().find(|instrument| instrument.id == number);
            instrument.into_iter().for_each(|instrument| session.adopt(record, instrument));
        }
    }

    fn of_programs(&self) -> impl Iterator<Item = &Record> {
        self.run.records.iter().filter(|record| record.cell.suite == paw_data::application::SUITE)
    }
}

/// What makes two cells the same part of a plan.
fn key(cell: &Cell) -> (u32, u32, &str, String) {
    (cell.id, cell.group, &cell.provider, cell.point.to_string())
}

/// Whether a cell needs no further run.
fn is_done(record: &Record) -> bool {
    record
        .outcome
        .as_ref()
        .is_some_and(|outcome| outcome.status != Status::Skipped && outcome.ending != Some(Ending::Interrupted))
}

/// The facts without the processors of its threads: the idlest is another one each time.
fn unplaced(app: &Application) -> Application {
    let mut app = Application { resumed: None, ..app.clone() };
    app.threads.iter_mut().for_each(|point| point.cpus.clear());
    app
}
