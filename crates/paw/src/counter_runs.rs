//! The counted runs of programs, after those that are timed.

use std::cell::RefCell;
use std::path::Path;

use paw_apps::counting;
use paw_apps::launcher::Launcher;
use paw_apps::plan::{Commands, PlannedProgram};
use paw_data::cell::Role;
use paw_data::counters::{Counters, Scope};
use paw_kernels::cachegrind::SimulatedCaches;
use paw_machine::topology::Topology;
use paw_measure::planned::Campaign;
use paw_measure::watch::{Control, Watch};
use paw_perf::processor::Processor;

use crate::cli::ReadingArgs;
use crate::counter_groups::{self, AskedGroup};
use crate::counter_record::{self, Context};
use crate::exit::{self, Code};
use crate::failure::Failure;
use crate::launcher_process;
use crate::print;
use crate::program_simulation;
use crate::recorded::Recorded;
use crate::session::Session;
use crate::simulator;
use crate::startup;

/// The groups called `names`, as this machine's processor has them, or the one that `recorded` is of.
pub fn groups(names: &[String], recorded: Option<&Path>) -> Result<Vec<AskedGroup>, Failure> {
    let stream = recorded.map(Recorded::read).transpose()?;
    let processor = stream.map_or_else(|| Processor::read(Path::new("/")), |stream| stream.processor());
    counter_groups::asked(names, &processor)
}

/// Where the counts of programs come from.
pub enum Counts {
    /// A further run of each, by this machine's counters.
    Counted,
    /// A recorded stream.
    Recorded(Recorded),
    /// A further run of each, under cachegrind.
    Simulated(SimulatedCaches),
}

impl Counts {
    /// As `args` ask for, on a machine of this topology.
    pub fn of(args: &ReadingArgs, topology: &Topology) -> Result<Self, Failure> {
        match &args.recorded {
            Some(path) => Ok(Self::Recorded(Recorded::read(path)?)),
            None if args.simulate => Ok(Self::Simulated(simulator::caches(topology))),
            None => Ok(Self::Counted),
        }
    }

    /// What a further run of `planned` counts of `group`.
    fn next(
        &mut self,
        planned: &PlannedProgram,
        group: &AskedGroup,
        (launcher, logs): (&RefCell<Launcher>, &Path),
    ) -> Result<Counters, String> {
        match self {
            Self::Counted => {
                let counted = counting::count(planned, &group.here.events, launcher);
                let (seconds, readings) = counted.map_err(|fault| fault.to_string())?;
                let context = Context::of(&group.group, &group.here, None);
                Ok(counter_record::of_program(&context, seconds, &readings))
            }
            Self::Recorded(stream) => {
                let counters = stream.next(&group.group, &group.here, 0.0)?;
                Ok(Counters { scope: Scope::Program, ..counters })
            }
            Self::Simulated(caches) => program_simulation::simulated(planned, group, caches, (launcher, logs)),
        }
    }
}

/// Runs every measured program once more for each of `groups`, and records what was counted; a simulator's files go into the directory `logs`; [`Code::Failed`] if a run failed.
pub fn count(
    campaign: &Campaign<Commands>,
    groups: &[AskedGroup],
    (mut counts, logs): (Counts, &Path),
    session: &mut Session,
) -> Result<Code, Failure> {
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
            if !session.run().is_measured(planned.cell.id) {
                continue;
            }
            match counts.next(planned, group, (&launcher, logs)) {
                Ok(counters) => session.counters(Counters { cell: planned.cell.id, ..counters }),
                Err(why) => {
                    print::message(&format!("paw: {planned}: group {} was not counted: {why}", group.group.name));
                    code = exit::strongest([code, Code::Failed]);
                }
            }
        }
    }
    Ok(code)
}
