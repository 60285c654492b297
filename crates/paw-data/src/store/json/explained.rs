//! An explanation with what follows from it.

use serde::Serialize;

use crate::explained::{Bound, Explained, Finding, LevelExplained, shares};
use crate::explanation::Explanation;
use crate::run::Run;

/// A line `explanation` and what is derived of each of its sizes.
#[derive(Serialize)]
pub(super) struct ExplanationDocument<'a> {
    #[serde(flatten)]
    explanation: &'a Explanation,
    levels: Vec<LevelDocument>,
}

#[derive(Serialize)]
struct LevelDocument {
    level: String,
    n: u64,
    cycles: f64,
    shares: Vec<ShareDocument>,
    bounds: Vec<BoundDocument>,
    sentence: String,
}

#[derive(Serialize)]
struct ShareDocument {
    part: &'static str,
    share: f64,
}

#[derive(Serialize)]
struct BoundDocument {
    bound: &'static str,
    cycles: f64,
    binds: bool,
}

/// The explanations of `run`.
pub(super) fn documents(run: &Run) -> Vec<ExplanationDocument<'_>> {
    run.explanations.iter().map(document).collect()
}

fn document(explanation: &Explanation) -> ExplanationDocument<'_> {
    let levels = Explained::of(explanation).levels;
    let levels = levels.iter().enumerate().map(|(number, level)| of_level(explanation, level, number == 0));
    ExplanationDocument { explanation, levels: levels.collect() }
}

fn of_level(explanation: &Explanation, level: &LevelExplained, is_first: bool) -> LevelDocument {
    let shares = shares(explanation, &level.reduced, &level.level, is_first);
    let binds = |bound: &Bound| matches!(&level.finding, Finding::Binds(binds) if binds == bound);
    let bound = |bound: &Bound| BoundDocument { bound: bound.resource.id(), cycles: bound.cycles, binds: binds(bound) };
    LevelDocument {
        level: level.level.clone(),
        n: level.n,
        cycles: level.cycles,
        shares: shares.iter().map(|(part, share)| ShareDocument { part: part.id(), share: *share }).collect(),
        bounds: level.bounds.iter().map(bound).collect(),
        sentence: level.sentence(explanation, is_first),
    }
}
