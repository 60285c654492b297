//! The counted runs of programs, after those that are timed.

use std::cell::RefCell;
use std::path::Path;

use paw_apps::counting;
use paw_apps::launcher::Launcher;
use paw_apps::plan::{Commands, PlannedProgram};
use paw_data::cell::Role;
use paw_data::counters::Counters;
use paw_data::outcome::Status;
use paw_measure::planned::Campaign;
use paw_measure::watch::{Control, Watch};
use paw_perf::processor::Processor;

use crate::counter_groups::{self, AskedGroup};
use crate::counter_record::{self, Context};
use crate::exit::{self, Code};
use crate::failure::Failure;
use crate::launcher_process;
use crate::print;
use crate::session::Session;
use crate::startup;

/// The groups called `names`, as this machine's processor has them.
pub fn groups(names: &[String]) -> Result<Vec<AskedGroup>, Failure> {
    counter_groups::asked(names, &Processor::read(Path::new("/")))
}

/// Runs every measured program once more for each of `groups`, and records what was counted; [`Code::Failed`] if a run failed.
pub fn count(campaign: &Campaign<Commands>, groups: &[AskedGroup], session: &mut Session) -> Result<Code, Failure> {
    let mut code = Code::Done;
    if groups.is_empty() {
        return Ok(code);
    }
    let launcher = Launcher::start(&startup::own_file()?, &[launcher_process::WORD])
        .map_err(|fault| Failure::io(fault.to_string()))?;
    let launcher = RefCell::new(launcher);
    for planned in campaign.cells().filter(|planned| matches!(planned.cell.role, Role::Subject | Role::Base)) {
        for group in groups {
            if session.asked() == Control::Stop {
                return Ok(code);
            }
            if is_measured(session, planned) {
                code = exit::strongest([code, record(planned, group, &launcher, session)]);
            }
        }
    }
    Ok(code)
}

fn is_measured(session: &Session, planned: &PlannedProgram) -> bool {
    let records = &session.run().records;
    let record = records.iter().find(|record| record.cell.id == planned.cell.id);
    let outcome = record.and_then(|record| record.outcome.as_ref());
    outcome.is_some_and(|outcome| outcome.status == Status::Measured)
}

fn record(planned: &PlannedProgram, group: &AskedGroup, launcher: &RefCell<Launcher>, session: &mut Session) -> Code {
    match counting::count(planned, &group.here.events, launcher) {
        Ok((seconds, readings)) => {
            let context = Context::of(&group.group, &group.here, None);
            let counters = counter_record::of_program(&context, seconds, &readings);
            session.counters(Counters { cell: planned.cell.id, ..counters });
            Code::Done
        }
        Err(fault) => {
            print::message(&format!("paw: {planned}: group {} was not counted: {fault}", group.group.name));
            Code::Failed
        }
    }
}
