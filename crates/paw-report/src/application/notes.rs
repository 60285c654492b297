//! The meaning of what the tables of an application hold.

use std::collections::HashSet;

use paw_data::run::Run;
use paw_data::scaling::{BaseKind, RunAgreement, RunTiming, Scaling, ScalingRow, Yardstick};

use crate::application::{figure, ranking, words};
use crate::number::{self, plural};

/// The meaning of `?`, of the words that occur beside it.
fn unmet(words: impl Iterator<Item = RunAgreement>, k: u32) -> Option<String> {
    let found: HashSet<RunAgreement> = words.filter(|word| !word.mark().is_empty()).collect();
    let meanings = [
        (RunAgreement::Timeout, format!("timeout: the most runs allowed were made and {k} did not agree")),
        (RunAgreement::Unconverged, "unconverged: the interval of the median stayed wider than asked".to_owned()),
        (RunAgreement::Contended, "contended: other work ran on the program's processors".to_owned()),
        (RunAgreement::Open, "unfinished: the runs ended before their rule was met".to_owned()),
    ];
    let meanings: Vec<String> = meanings.into_iter().filter(|(word, _)| found.contains(word)).map(|(_, m)| m).collect();
    (!meanings.is_empty()).then(|| format!("? beside a number: {}.", meanings.join("; ")))
}

/// Why there is no ratio to the base by a yardstick that is not that of the headline.
pub fn own_problem(scaling: &Scaling<'_>) -> Option<String> {
    let problem = scaling.problems.iter().find(|problem| problem.contains(scaling.yardstick.name()))?;
    Some(problem.clone())
}

/// What the ratio to the base is of.
fn gain(scaling: &Scaling<'_>) -> String {
    let (base, noun) = (scaling.base.words(), words::noun(scaling.yardstick));
    let title = words::gain_title(scaling.yardstick).replace('\n', " ");
    if scaling.yardstick.more_is_better() {
        format!("{title}: best {noun} ÷ best {noun} of {base}.")
    } else {
        format!("{title}: best {noun} of {base} ÷ best {noun}.")
    }
}

/// The metrics that are the same in all runs of some point, of which nothing is known but that.
fn constants(scaling: &Scaling<'_>, others: &[Scaling<'_>]) -> Option<String> {
    let rows = |own: &&Scaling<'_>| own.sweeps.iter().flat_map(|s| &s.rows).any(is_constant);
    let names: Vec<&str> =
        std::iter::once(scaling).chain(others).filter(rows).map(|own| own.yardstick.name()).collect();
    (!names.is_empty()).then(|| {
        format!("The same in all runs of a point: {}. Its spread is 0, and it has no interval.", names.join(", "))
    })
}

fn is_constant(row: &ScalingRow<'_>) -> bool {
    row.timing.is_some_and(|timing| timing.cost.is_constant)
}

/// The meaning of the marks that occur in the tables, and the problems of the run.
pub fn notes(run: &Run, scaling: &Scaling<'_>, others: &[Scaling<'_>]) -> Vec<String> {
    let rows = || {
        scaling
            .sweeps
            .iter()
            .flat_map(|s| &s.rows)
            .chain(scaling.copy_sweeps.iter().flat_map(|f| &f.rows).map(|r| &r.row))
    };
    let timings = || {
        rows()
            .filter_map(|r| r.timing.as_ref())
            .chain(scaling.sweeps.iter().filter_map(|s| s.base.as_ref()).map(|(_, t)| t))
    };
    let k = figure::k(run);
    let mut notes = Vec::new();
    if rows().any(|r| r.timing.is_some()) {
        let best = if scaling.yardstick == Yardstick::WallTime { "the fastest run" } else { "the best run" };
        notes.push(format!("best: {best}; spread: how far the last of the {k} best lies from it."));
    }
    notes.extend(constants(scaling, others));
    if timings().any(|t| t.agreed() == RunAgreement::Valid) {
        notes.push(format!("valid: {k} runs agree with the best."));
    }
    notes.extend(unmet(timings().map(RunTiming::agreed), k));
    if timings().any(|t| t.cost.lone_best) {
        notes.push("!: the best lies far below all other runs that agree with each other: read the median.".to_owned());
    }
    if rows().any(|r| r.oversubscribed()) {
        notes.push(
            "*: more threads than processors; efficiency is over hardware threads, and fits leave it out.".to_owned(),
        );
    }
    // A cell may be in several tables.
    let mut seen = HashSet::new();
    let cells = rows().filter_map(|r| Some((r.record.cell.id, r.timing?)));
    let cells =
        cells.chain(scaling.sweeps.iter().filter_map(|s| s.base).map(|(record, timing)| (record.cell.id, timing)));
    let once = cells.filter(|(id, _)| seen.insert(*id));
    let (runs, delayed) = once.fold((0, 0), |(n, d), (_, t)| (n + t.cost.n, d + t.delayed));
    if delayed > 0 {
        notes.push(format!(
            "{} of {} waited for a processor for over 1% of their time; all runs count.",
            number::count(delayed),
            plural(runs, "run")
        ));
    }
    if rows().any(|r| r.speedup.is_some()) {
        notes.push(gain(scaling));
    }
    if matches!(scaling.base.kind, BaseKind::Command(_)) && rows().any(|r| r.efficiency.is_some()) {
        notes.push("efficiency and Karp-Flatt: over the program's own 1 thread.".to_owned());
    }
    notes.extend(ranking::note(scaling));
    notes.extend(scaling.app.resumed.as_ref().map(|id| {
        format!("This run goes on with {id}, which was interrupted: sizes that were whole were measured then.")
    }));
    notes.extend(scaling.problems.iter().cloned());
    notes
}
