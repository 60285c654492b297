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

pub mod allowance;
mod hot_loop;
mod predictions;
mod rounds;

use allowance::{Allowance, OwnSeries, patience};
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
    /// The kernel's own series at each size.
    pub series: &'a [OwnSeries],
    /// The time for all sizes.
    pub allowance: Allowance,
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
        let variants = variants(subject, level, hot.as_ref(), &explanation.rows);
        let own = subject.series.get(number);
        let share_s = subject.allowance.left_s() / (request.levels.len() - number) as f64;
        let rows = match own.and_then(|own| of_series(subject, level, own, &variants)) {
            Some(rows) if number > 0 => rows,
            _ => {
                let limit = patience(DEADLINE, own.map_or(f64::NAN, |own| own.call_s)).min(bench.deadline);
                let bench = &Workbench { deadline: limit, ..bench.clone() };
                measured(
                    Subject { bench, ..subject },
                    level,
                    variants,
                    Duration::try_from_secs_f64(share_s).unwrap_or(Duration::MAX),
                )
            }
        };
        explanation.rows.extend(rows);
    }
    explanation
}

/// The rows of a size at which nothing is measured beside the kernel's own series: nothing can be, there is no time, or the
/// series says why it has no sample.
fn of_series(
    subject: Subject<'_>,
    level: &Level,
    own: &OwnSeries,
    variants: &[Variant],
) -> Option<Vec<ExplanationRow>> {
    let wanted = variants.iter().filter(|variant| variant.job.is_some()).count();
    let why = match (own.cycles.is_empty(), wanted) {
        (true, _) if own.why.is_empty() => return None,
        (true, _) => own.why.clone(),
        (_, 0 | 1) => String::new(),
        _ => subject.allowance.refuses_rows(wanted, own.call_s)?,
    };
    let iterations = subject.request.spec.iterations_at(level.n).map_or(1.0, |iterations| iterations as f64);
    let row = |variant: &Variant| match variant.row.ablation {
        None => {
            let why = if own.cycles.is_empty() { why.clone() } else { String::new() };
            ExplanationRow {
                cycles: own.cycles.iter().map(|cycles| cycles / iterations).collect(),
                why,
                ..variant.row.clone()
            }
        }
        Some(_) if variant.job.is_some() => ExplanationRow { why: why.clone(), ..variant.row.clone() },
        Some(_) => variant.row.clone(),
    };
    Some(variants.iter().map(row).collect())
}

/// The job of one call at `level`, with nothing changed.
fn job(subject: Subject<'_>, level: &Level) -> Result<CallJob, String> {
    let planner = KernelPlanner::new(subject.request, subject.bench, None);
    planner.unchecked(subject.built, level.n).map_err(|fault| fault.to_string())
}

/// What is measured at a size: the kernel, fenced if it is the first, and its ablations. What the rows `before` show to be impossible
/// whatever the size is not tried again.
fn variants(subject: Subject<'_>, level: &Level, hot: Option<&Hot>, before: &[ExplanationRow]) -> Vec<Variant> {
    let is_first = before.is_empty();
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
        let refused = before.iter().find(|row| row.ablation == Some(*ablation) && is_refused(row));
        let why = refused.map_or_else(String::new, |refused| refused.why.clone());
        let row = ExplanationRow { ablation: Some(*ablation), why, ..row.clone() };
        Variant { job: refused.is_none().then_some(job), row }
    }));
    variants
}

/// Whether the code allows no such change: nothing was changed, and why is said.
fn is_refused(row: &ExplanationRow) -> bool {
    row.cycles.is_empty() && row.changed == 0 && !row.why.is_empty()
}

/// Whether the loop has something that the ablation could change.
fn sensible(hot: &Hot, ablation: Ablation) -> bool {
    match ablation {
        Ablation::NoDivision | Ablation::DivisionsAlone => hot.own.divisions() > 0,
        Ablation::NoCalls => !hot.own.calls().is_empty(),
        _ => true,
    }
}
