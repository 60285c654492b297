//! The hot loop of a kernel: the one in which most instructions of a call are executed, by counters in its blocks.

use paw_binary::ablation::fixed;
use paw_binary::{CodeLoop, Way, inner_loops};
use paw_data::explanation::{BlockRuns, HotLoop};
use paw_data::kernel::Restore;
use paw_data::secondary::MetricName;
use paw_measure::fault::Fault;
use paw_measure::workload::Workload;

use super::{Subject, job};
use crate::job::{CallJob, JobDescription, LoopChange};
use crate::request::Workbench;
use crate::workload::Child;

/// A way that fewer runs through a loop take does not speak for the loop.
const COMMON: f64 = 0.5;

/// A loop, and how runs go through it.
#[derive(Debug)]
pub(super) struct Hot {
    /// The loop, without blocks to which no run went.
    pub own: CodeLoop,
    /// The addresses of those blocks.
    pub cold: Vec<u64>,
    /// The way that most runs take; why none is common enough.
    pub way: Result<Way, String>,
}

/// The loop in which most instructions of a call are executed, and what is recorded of it.
///
/// # Errors
/// Why there is none that could be found, in one sentence.
pub(super) fn hot_loop(subject: Subject<'_>) -> Result<(Hot, HotLoop), String> {
    let Subject { request, built, bench, .. } = subject;
    let library = built.library.as_ref().map_err(Clone::clone)?;
    let loops = inner_loops(library, &built.function).map_err(|error| error.to_string())?;
    if loops.is_empty() {
        return Err(format!("`{}` has no loop", built.function));
    }
    let level = request.levels.first().ok_or("no size is known")?;
    let counting = CallJob { change: Some(LoopChange::Count), ..job(subject, level)? };
    let mut counters = runs(bench, counting).map_err(|fault| fault.to_string())?.into_iter();
    let runs: Vec<Vec<f64>> = loops.iter().map(|own| counters.by_ref().take(own.blocks().len()).collect()).collect();
    let uncounted: Vec<String> = loops.iter().filter_map(|own| Some((own, fixed(own)?))).map(uncounted).collect();
    let executed: Vec<f64> = loops.iter().zip(&runs).map(|(own, runs)| executed(own, runs)).collect();
    let hottest = (0..executed.len()).max_by(|a, b| executed[*a].total_cmp(&executed[*b]));
    let at = hottest.filter(|at| executed[*at] > 0.0).ok_or_else(|| match uncounted.first() {
        Some(uncounted) => format!("no loop that could be counted was run through, but {uncounted}"),
        None => "no loop of the function was run through".to_owned(),
    })?;
    let iterations = request.spec.iterations_at(level.n).map_or(1.0, |iterations| iterations as f64);
    let hot = hot(&loops[at], &runs[at]);
    let facts = HotLoop {
        iterations: iterations / runs[at][0],
        share: executed[at] / executed.iter().sum::<f64>(),
        uncounted,
        ..facts(&loops[at], &hot, &runs[at])
    };
    Ok((hot, facts))
}

fn uncounted((own, why): (&CodeLoop, String)) -> String {
    format!("the loop at {:#x} could not be counted: {why}", own.address)
}

/// Instructions of a loop that a call executes.
fn executed(own: &CodeLoop, runs: &[f64]) -> f64 {
    own.blocks().iter().zip(runs).map(|((_, instructions), runs)| *instructions as f64 * runs).sum()
}

/// The loop without what was never run, and its common way.
fn hot(own: &CodeLoop, runs: &[f64]) -> Hot {
    let blocks = own.blocks();
    let cold: Vec<u64> = blocks.iter().zip(runs).filter(|(_, runs)| **runs == 0.0).map(|(block, _)| block.0).collect();
    let own = own.without(&cold);
    let warm: Vec<f64> = runs.iter().copied().filter(|runs| *runs > 0.0).collect();
    let ways = own.ways().map_or("several".to_owned(), |ways| ways.to_string());
    let rare = || format!("the loop has {ways} ways through it, and none is known to be taken by half of the runs");
    let way = own.common_way(&warm).filter(|way| way.share >= COMMON).ok_or_else(rare);
    Hot { own, cold, way }
}

/// What is recorded of the loop `whole`.
fn facts(whole: &CodeLoop, Hot { own, .. }: &Hot, runs: &[f64]) -> HotLoop {
    let block = |((address, instructions), runs_of): ((u64, usize), &f64)| BlockRuns {
        address,
        instructions: instructions as u32,
        runs: runs_of / runs[0],
    };
    let blocks: Vec<BlockRuns> = whole.blocks().into_iter().zip(runs).map(block).collect();
    HotLoop {
        function: own.function.clone(),
        address: own.address,
        listing: own.listing(),
        trips: runs[0],
        bits: own.bits(),
        bits_possible: bits_possible(),
        calls: own.calls(),
        cold_calls: own.calls_left_out().to_vec(),
        divisions: own.divisions(),
        blocks: if whole.ways() == Some(1) { Vec::new() } else { blocks },
        ways: own.ways(),
        ..HotLoop::default()
    }
}

/// How often one call runs each block of its loops.
fn runs(bench: &Workbench, job: CallJob) -> Result<Vec<f64>, Fault> {
    // Calls before the timed one are not counted, and one suffices.
    let job = CallJob { warmup: 0, restore: job.restore.or(Some(Restore::Sample)), ..job };
    let description = JobDescription::Call(job);
    let mut workload = Child::start("the loops' counters", &description, bench)?.open(&description, "")?;
    workload.resume()?;
    let reading = workload.sample(1)?.ok_or_else(|| Fault::Broken("the child measured nothing".to_owned()))?;
    let runs = |number: usize| {
        let name = MetricName::of_block(number);
        reading.extra.iter().find(|(known, _)| *known == name).map(|(_, runs)| *runs)
    };
    Ok((0..).map_while(runs).collect())
}

/// Bits of the widest vectors of this processor.
fn bits_possible() -> u32 {
    #[cfg(target_arch = "x86_64")]
    {
        if std::is_x86_feature_detected!("avx512f") {
            return 512;
        }
        if std::is_x86_feature_detected!("avx2") {
            return 256;
        }
    }
    128
}
