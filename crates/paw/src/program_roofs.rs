//! The roofline of a program: what is counted for it, and the roofs of as many threads as its runs have.

use paw_apps::plan::{Commands, PlannedProgram};
use paw_data::axis::{COPIES, THREADS};
use paw_data::method::Plan;
use paw_data::precision::Precision;
use paw_measure::planned::Campaign;
use paw_sort::OrderBy;
use paw_suites::host::Host;

use crate::application::Interpreted;
use crate::cli::AppArgs;
use crate::counter_groups::{self, AskedGroup};
use crate::counter_runs;
use crate::failure::Failure;
use crate::roofs::{Roofs, Seats};

/// The groups that count floating-point operations and the volume from memory.
const FLOPS: &str = "FLOPS";
const BYTES: &str = "MEM";

/// The groups to be counted: those that were typed, and those that a roofline needs for what its user does not state. Where they cannot be
/// counted here, the facts of the roofline have the reason.
pub fn groups(args: &AppArgs, interpreted: &mut Interpreted) -> Result<Vec<AskedGroup>, Failure> {
    let recorded = args.reading.recorded.as_deref();
    let typed = counter_runs::groups(&args.reading.counters, recorded)?;
    let Some(facts) = &mut interpreted.facts.roofline else { return Ok(typed) };
    let stated = [(FLOPS, facts.flops.is_some()), (BYTES, facts.bytes.is_some())];
    let unstated = stated.into_iter().filter(|(_, is_stated)| !is_stated).map(|(name, _)| name.to_owned());
    let missing: Vec<String> = unstated.filter(|name| typed.iter().all(|asked| asked.group.name != *name)).collect();
    if missing.is_empty() || recorded.is_some() {
        return Ok(typed);
    }
    let found = counter_runs::groups(&missing, None).and_then(|found| {
        counter_groups::available(&found)?;
        Ok(found)
    });
    match found {
        Ok(found) => Ok(typed.into_iter().chain(found).collect()),
        Err(failure) => {
            facts.refused = failure.sentence;
            Ok(typed)
        }
    }
}

/// Plans the roofs of `precision` at every number of threads that the cells of `campaign` have: of processors, where there are fewer.
pub fn roofs(campaign: &Campaign<Commands>, precision: Precision, host: &Host, plan: &Plan) -> Result<Roofs, Failure> {
    let processors = host.topology.allowed().len() as u32;
    let mut seats: Vec<Seats> = Vec::new();
    for planned in campaign.cells() {
        for found in of_cell(planned, processors) {
            if seats.iter().all(|(threads, _)| *threads != found.0) {
                seats.push(found);
            }
        }
    }
    seats.order_by_key(|(threads, _)| *threads);
    let first = campaign.cells().map(|planned| planned.cell.id + 1).max().unwrap_or(0);
    Roofs::plan(&[precision], &seats, host, first, plan)
}

/// The threads of a cell; of a program that chooses them itself, one and all.
fn of_cell(planned: &PlannedProgram, processors: u32) -> Vec<Seats> {
    let point = &planned.cell.point;
    let count = |axis: &str| point.int(axis).and_then(|count| u32::try_from(count).ok());
    let copies = count(COPIES).unwrap_or(1);
    let launch = &planned.job.launch;
    match count(THREADS) {
        None if copies == 1 => vec![(1, Vec::new()), (processors, Vec::new())],
        threads => {
            let mut cpus: Vec<u32> = launch.cpus.iter().chain(launch.copy_cpus.iter().flatten()).copied().collect();
            cpus.sort_unstable();
            cpus.dedup();
            vec![(threads.unwrap_or(1).saturating_mul(copies).min(processors).max(1), cpus)]
        }
    }
}
