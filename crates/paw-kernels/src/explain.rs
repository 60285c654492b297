//! Why a kernel takes its time: its hot loop is measured as it is and without parts of itself.

use std::time::Duration;

use paw_binary::form::Probe;
use paw_binary::{CodeLoop, inner_loops};
use paw_data::explanation::{Ablation, Explanation, ExplanationRow, HotLoop};
use paw_data::kernel::{Calls, Level, Restore};
use paw_data::secondary::MetricName;
use paw_measure::fault::Fault;
use paw_measure::watch::Control;
use paw_measure::workload::Workload;

use crate::builds::Built;
use crate::job::{CallJob, JobDescription, LoopChange};
use crate::plan::KernelPlanner;
use crate::processor_model::{BlockBench, ProcessorModel};
use crate::request::{KernelRequest, Workbench};
use crate::workload::Child;

mod predictions;
mod rounds;

use predictions::predictions;
use rounds::{Variant, measured};

/// The longest time for one sample of a changed loop, which may never end.
const DEADLINE: Duration = Duration::from_secs(10);

/// The changes at the first size; the others are of interest where memory is far.
const NEAR: &[Ablation] = &[
    Ablation::Copy,
    Ablation::OnePage,
    Ablation::NoFloat,
    Ablation::NoMemory,
    Ablation::NoChain,
    Ablation::NoDivision,
    Ablation::NoCalls,
    Ablation::NoOperations,
    Ablation::ArithmeticAlone,
    Ablation::AccessesAlone,
    Ablation::DivisionsAlone,
];
/// The changes at all further sizes.
const FAR: &[Ablation] = &[Ablation::OnePage, Ablation::NoFloat];

/// What is explained, and with what.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The request, with the sizes.
    pub request: &'a KernelRequest,
    /// The build.
    pub built: &'a Built,
    /// The children's equipment.
    pub bench: &'a Workbench,
    /// Samples of each row.
    pub samples: u32,
}

/// Explains the subject. `watch` hears what is measured next, and may end the work.
pub fn explain(
    subject: Subject<'_>,
    model: &mut ProcessorModel,
    watch: &mut dyn FnMut(&str) -> Control,
) -> Explanation {
    let Subject { request, built, bench, .. } = subject;
    let mut explanation =
        Explanation { build: built.build.full_name(), function: built.function.clone(), ..Explanation::default() };
    let bench = &Workbench { deadline: bench.deadline.min(DEADLINE), ..bench.clone() };
    let subject = Subject { bench, ..subject };
    let hot = match hot_loop(subject) {
        Ok((own, hot)) => {
            explanation.hot = Some(hot);
            Some(own)
        }
        Err(why) => {
            explanation.refused = why;
            None
        }
    };
    if let Some(own) = &hot {
        watch("measuring what its instructions cost");
        let blocks = &mut BlockBench::new(bench);
        explanation.predictions = predictions(&own.listing(), &own.calls(), &bench.builds);
        (explanation.forms, explanation.recurrence) = model.of_loop(own, blocks);
        explanation.width = model.probe(Probe::Width, blocks).ok().map(|cycles| 1.0 / cycles);
        explanation.load_cycles = model.probe(Probe::Load, blocks).ok();
    }
    for (number, level) in request.levels.iter().enumerate() {
        if watch(&format!("taking the loop apart at {}", level.name)) == Control::Stop {
            break;
        }
        let variants = variants(subject, level, hot.as_ref(), number == 0);
        explanation.rows.extend(measured(subject, level, variants));
    }
    explanation
}

/// The loop in which most instructions of a call are executed.
///
/// # Errors
/// Why there is none that could be found, in one sentence.
fn hot_loop(subject: Subject<'_>) -> Result<(CodeLoop, HotLoop), String> {
    let Subject { request, built, bench, .. } = subject;
    let library = built.library.as_ref().map_err(Clone::clone)?;
    let loops = inner_loops(library, &built.function).map_err(|error| error.to_string())?;
    if loops.is_empty() {
        return Err(format!("`{}` has no loop", built.function));
    }
    let level = request.levels.first().ok_or("no size is known")?;
    let job = job(subject, level)?;
    let trips = trips(bench, CallJob { change: Some(LoopChange::Count), ..job }).map_err(|fault| fault.to_string())?;
    let executed: Vec<f64> = loops.iter().zip(&trips).map(|(own, trips)| own.count() as f64 * trips).collect();
    let all: f64 = executed.iter().sum();
    let hottest = (0..executed.len()).max_by(|a, b| executed[*a].total_cmp(&executed[*b]));
    let at = hottest.filter(|at| executed[*at] > 0.0).ok_or("no loop of the function was run through")?;
    let own = loops[at].clone();
    let iterations = request.spec.iterations_at(level.n).map_or(1.0, |iterations| iterations as f64);
    let hot = HotLoop {
        function: own.function.clone(),
        address: own.address,
        listing: own.listing(),
        trips: trips[at],
        iterations: iterations / trips[at],
        share: executed[at] / all,
        bits: own.bits(),
        bits_possible: bits_possible(),
        calls: own.calls(),
        divisions: own.divisions(),
    };
    Ok((own, hot))
}

/// The job of one call at `level`, with nothing changed.
fn job(subject: Subject<'_>, level: &Level) -> Result<CallJob, String> {
    let planner = KernelPlanner::new(subject.request, subject.bench, None);
    planner.unchecked(subject.built, level.n).map_err(|fault| fault.to_string())
}

/// How often one call runs through each loop.
fn trips(bench: &Workbench, job: CallJob) -> Result<Vec<f64>, Fault> {
    // Calls before the timed one are not counted, and one suffices.
    let job = CallJob { warmup: 0, restore: job.restore.or(Some(Restore::Sample)), ..job };
    let description = JobDescription::Call(job);
    let mut workload = Child::start("the loops' counter", &description, bench)?.open(&description, "")?;
    workload.resume()?;
    let reading = workload.sample(1)?.ok_or_else(|| Fault::Broken("the child measured nothing".to_owned()))?;
    let trip = |number: usize| {
        let name = MetricName::of_loop(number);
        reading.extra.iter().find(|(known, _)| *known == name).map(|(_, trips)| *trips)
    };
    Ok((0..).map_while(trip).collect())
}

/// What is measured at a size: the kernel, fenced if it is the first, and its ablations.
fn variants(subject: Subject<'_>, level: &Level, hot: Option<&CodeLoop>, is_first: bool) -> Vec<Variant> {
    let row = ExplanationRow { level: level.name.clone(), n: level.n, ..ExplanationRow::default() };
    let plain = match job(subject, level) {
        Ok(job) => job,
        Err(why) => return vec![Variant { row: ExplanationRow { why, ..row }, job: None }],
    };
    let mut variants = vec![Variant { row: row.clone(), job: Some(plain.clone()) }];
    if is_first && plain.calls == Calls::Throughput {
        let job = CallJob { calls: Calls::Fenced, ..plain.clone() };
        variants.push(Variant { row: ExplanationRow { fenced: true, ..row.clone() }, job: Some(job) });
    }
    let Some(hot) = hot else { return variants };
    let ablations = if is_first { NEAR } else { FAR };
    variants.extend(ablations.iter().filter(|ablation| sensible(hot, **ablation)).map(|ablation| {
        let change = LoopChange::Ablate { address: hot.address, ablation: *ablation };
        let job = CallJob { change: Some(change), restore: plain.restore.or(Some(Restore::Sample)), ..plain.clone() };
        Variant { row: ExplanationRow { ablation: Some(*ablation), ..row.clone() }, job: Some(job) }
    }));
    variants
}

/// Whether the loop has something that the ablation could change.
fn sensible(hot: &CodeLoop, ablation: Ablation) -> bool {
    match ablation {
        Ablation::NoDivision | Ablation::DivisionsAlone => hot.divisions() > 0,
        Ablation::NoCalls => !hot.calls().is_empty(),
        _ => true,
    }
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
