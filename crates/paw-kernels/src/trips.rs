//! How often one call of a kernel runs through each of its innermost loops.

use paw_binary::CodeLoop;
use paw_binary::ablation::{Destination, counted};
use paw_data::kernel::Restore;
use paw_data::secondary::MetricName;
use paw_measure::fault::Fault;
use paw_measure::workload::Workload;

use crate::job::{CallJob, JobDescription, LoopChange};
use crate::request::Workbench;
use crate::workload::Child;

/// Where a trial counter lies from its loop: as near as the memory for code.
const NEAR: u64 = 1 << 20;

/// Runs through each of `loops` in one call of `job`; NaN of a loop that cannot be counted. `runtime` is the library of threads that the
/// build was linked with, if any.
///
/// # Errors
/// The call breaks, or no loop can be counted.
pub(crate) fn trips(bench: &Workbench, job: CallJob, runtime: &str, loops: &[CodeLoop]) -> Result<Vec<f64>, Fault> {
    // Calls before the timed one are not counted, and one suffices.
    let restore = job.restore.or(Some(Restore::Sample));
    let job = CallJob { change: Some(LoopChange::Count), warmup: 0, restore, ..job };
    let description = JobDescription::Call(job);
    let mut workload = Child::start("the loops' counters", &description, bench)?.open(&description, runtime)?;
    workload.resume()?;
    let reading = workload.sample(1)?.ok_or_else(|| Fault::Broken("the child measured nothing".to_owned()))?;
    let runs = |number: usize| {
        let name = MetricName::of_block(number);
        reading.extra.iter().find(|(known, _)| *known == name).map(|(_, runs)| *runs)
    };
    // Each block of each loop has a counter, the head's first.
    let mut head = 0;
    let mut trips = Vec::with_capacity(loops.len());
    for own in loops {
        trips.push(runs(head).filter(|_| is_countable(own)).unwrap_or(f64::NAN));
        head += own.blocks().len();
    }
    Ok(trips)
}

/// Whether a loop can be given counters at all; one that cannot keeps zeros.
fn is_countable(own: &CodeLoop) -> bool {
    let code = own.address + NEAR;
    counted(own, 0, Destination { bias: 0, code, page: code + NEAR }).is_ok()
}
