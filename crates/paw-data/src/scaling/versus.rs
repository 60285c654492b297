//! The other command against the first, round by round.

use paw_stats::comparison::bonferroni;

use crate::application::{Application, COMMAND, VERSUS};
use crate::comparison::{CONFIDENCE, Comparison, MARGIN, Origin};
use crate::point::Point;
use crate::run::{Record, Run};
use crate::scaling::axes;
use crate::scaling::timing::RunTiming;

/// The other command against the first at one point.
#[derive(Debug, Clone, PartialEq)]
pub struct Versus<'run> {
    /// The point.
    pub point: &'run Point,
    /// The cell of the command.
    pub a: &'run Record,
    /// The cell of the other command.
    pub b: &'run Record,
    /// The command's times.
    pub a_timing: RunTiming,
    /// The other command's times.
    pub b_timing: RunTiming,
    /// The ratio of times b ÷ a with interval and verdict, corrected for the number of points.
    pub comparison: Option<Comparison>,
}

/// All points at which both commands have a time, by size.
pub(super) fn versus<'run>(run: &'run Run, app: &'run Application) -> Vec<Versus<'run>> {
    let rule = &run.header.plan.method.ending;
    let of = |provider: &'static str| axes::subjects(run).filter(move |r| r.cell.provider == provider);
    let pair = |b: &'run Record| {
        let a = of(COMMAND).find(|a| a.cell.point == b.cell.point)?;
        let (a_timing, b_timing) = (RunTiming::of(a, rule)?, RunTiming::of(b, rule)?);
        Some(Versus { point: &b.cell.point, a, b, a_timing, b_timing, comparison: None })
    };
    let mut found: Vec<Versus<'run>> = of(VERSUS).filter_map(pair).collect();
    found.sort_by(|a, b| {
        let crew = |v: &Versus<'_>| (axes::threads(&v.b.cell), axes::copies(&v.b.cell));
        axes::order(a.point, b.point, &app.axes).then_with(|| crew(a).cmp(&crew(b)))
    });
    // All points are compared at once.
    let confidence = bonferroni(CONFIDENCE, found.len() + 1);
    for one in &mut found {
        one.comparison = Comparison::within(one.a, one.b, Origin::SameRun, confidence, MARGIN);
    }
    found
}
