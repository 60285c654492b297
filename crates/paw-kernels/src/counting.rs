//! Counting the events of a build's calls, in a child of its own.

use paw_measure::fault::Fault;
use paw_perf::event::Event;

use crate::campaign::Planned;
use crate::job::{CountJob, CountNote, JobDescription, JobNote};
use crate::request::Workbench;
use crate::workload::Child;

/// Repetitions of a count: their median stands against a disturbed one.
const REPETITIONS: u32 = 5;
/// The least seconds of a repetition: switching counters on and off costs microseconds.
const FLOOR_S: f64 = 20e-3;

/// Counts `events` of the calls of a planned cell.
///
/// # Errors
/// The cell has no calls, or its child broke.
pub fn count(planned: &Planned, events: &[Event], bench: &Workbench) -> Result<CountNote, Fault> {
    let call = match &planned.job.description {
        Ok(JobDescription::Call(call)) => call.clone(),
        Ok(_) => return Err(Fault::Missing("events are counted of calls on a processor alone".to_owned())),
        Err(fault) => return Err(fault.clone()),
    };
    let job =
        JobDescription::Count(CountJob { call, events: events.to_vec(), repetitions: REPETITIONS, floor_s: FLOOR_S });
    // Opening it warms up and counts, which takes as long as a few samples.
    let bench = Workbench { deadline: bench.deadline * (REPETITIONS + 2), ..bench.clone() };
    let build = planned.cell.build.as_ref();
    let name = build.map_or_else(String::new, |build| build.full_name());
    let opened = Child::start(&name, &job, &bench)?.open(&job, build.map_or("", |build| &build.runtime))?;
    match opened.into_note() {
        JobNote::Counted(note) => Ok(note),
        _ => Err(Fault::Broken("the child did not count".to_owned())),
    }
}
