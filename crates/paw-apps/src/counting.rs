//! Counting the events of a program in a run of its own, which is not timed against others.

use std::cell::RefCell;

use paw_measure::fault::Fault;
use paw_perf::counting::EventReading;
use paw_perf::event::Event;

use crate::launch::{End, Launch, Observation, RunResult};
use crate::launcher::Launcher;
use crate::plan::PlannedProgram;
use crate::program::aside;

/// The seconds of one further run of a planned program, between all commands around it, and the counts of `events`.
///
/// # Errors
/// The program cannot be started, was killed, or the commands around it failed.
pub fn count(
    planned: &PlannedProgram,
    events: &[Event],
    launcher: &RefCell<Launcher>,
) -> Result<(f64, Vec<EventReading>), Fault> {
    let launch = Launch { count: events.to_vec(), ..planned.job.launch.clone() };
    let ran = run(planned, launch, launcher)?;
    Ok((ran.wall_s, ran.counts))
}

/// One further run, of `launch` in place of the planned program, between all commands around it.
///
/// # Errors
/// The program cannot be started, was killed, or the commands around it failed.
pub fn run(planned: &PlannedProgram, launch: Launch, launcher: &RefCell<Launcher>) -> Result<RunResult, Fault> {
    let job = &planned.job;
    aside(launcher, job.setup.as_ref(), "--setup")?;
    aside(launcher, job.prepare.as_ref(), "--prepare")?;
    let ran = launcher.borrow_mut().run(&Launch { attention: Observation::None, ..launch })?;
    aside(launcher, job.conclude.as_ref(), "--conclude")?;
    aside(launcher, job.cleanup.as_ref(), "--cleanup")?;
    match ran.copies.iter().map(|copy| copy.end).find(|end| !matches!(end, End::Exited(_))) {
        Some(end) => Err(Fault::Broken(format!("the counted run {end}"))),
        None => Ok(ran),
    }
}
