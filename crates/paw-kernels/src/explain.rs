//! Why a kernel takes its time: its hot loop is measured as it is and without parts of itself.

use std::time::Duration;

use paw_binary::form::Probe;
use paw_data::explanation::{Ablation, Explanation, ExplanationRow};
use paw_data::kernel::{Calls, Level, Restore};
use paw_measure::watch::Control;

use crate::builds::Built;
use crate::job::{CallJob, LoopChange};
use crate::plan::KernelPlanner;
use crate::processor_model::{BlockBench, ProcessorModel};
use crate::request::{KernelRequest, Workbench};

mod hot_loop;
mod predictions;
mod rounds;

use hot_loop::{Hot, hot_loop};
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
        Ok((hot, facts)) => {
            explanation.hot = Some(facts);
            Some(hot)
        }
        Err(why) => {
            explanation.refused = why;
            None
        }
    };
    if let Some(hot) = &hot {
        watch("measuring what its instructions cost");
        let blocks = &mut BlockBench::new(bench);
        explanation.predictions = predictions(hot, &bench.builds);
        explanation.forms = model.of_loop(&hot.own, blocks);
        match &hot.way {
            Ok(way) => explanation.recurrence = model.recurrence(&hot.own, way, blocks),
            Err(why) => explanation.recurrence_unknown.clone_from(why),
        }
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

/// The job of one call at `level`, with nothing changed.
fn job(subject: Subject<'_>, level: &Level) -> Result<CallJob, String> {
    let planner = KernelPlanner::new(subject.request, subject.bench, None);
    planner.unchecked(subject.built, level.n).map_err(|fault| fault.to_string())
}

/// What is measured at a size: the kernel, fenced if it is the first, and its ablations.
fn variants(subject: Subject<'_>, level: &Level, hot: Option<&Hot>, is_first: bool) -> Vec<Variant> {
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
        let change = LoopChange::Ablate { address: hot.own.address, ablation: *ablation, cold: hot.cold.clone() };
        let job = CallJob { change: Some(change), restore: plain.restore.or(Some(Restore::Sample)), ..plain.clone() };
        Variant { row: ExplanationRow { ablation: Some(*ablation), ..row.clone() }, job: Some(job) }
    }));
    variants
}

/// Whether the loop has something that the ablation could change.
fn sensible(hot: &Hot, ablation: Ablation) -> bool {
    match ablation {
        Ablation::NoDivision | Ablation::DivisionsAlone => hot.own.divisions() > 0,
        Ablation::NoCalls => !hot.own.calls().is_empty(),
        _ => true,
    }
}
