//! Tables of the metrics that a program printed, each with its own best.

use crate::application::{Application, Better, MetricFact};
use crate::method::EndRule;
use crate::outcome::{Outcome, Status};
use crate::point::Point;
use crate::run::{Record, Run};
use crate::scaling::axes;
use crate::scaling::base::{Base, BaseKind};
use crate::scaling::timing::BestFigure;
use crate::secondary::MetricName;

/// One metric over all points.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricTable<'run> {
    /// Name, unit and direction of the metric.
    pub fact: &'run MetricFact,
    /// The cells that printed the metric, the base's included.
    pub rows: Vec<MetricRow<'run>>,
}

/// One metric at one point.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricRow<'run> {
    /// The cell.
    pub record: &'run Record,
    /// The point without threads and copies.
    pub size: Point,
    /// Threads.
    pub threads: u32,
    /// Copies.
    pub copies: u32,
    /// The best value, whether it is valid, and the median, in the metric's unit.
    pub figure: BestFigure,
    /// Improvement over the base, above 1 where better; `None` if the base does not print the metric.
    pub speedup: Option<f64>,
}

/// A table for each metric of `app`.
pub(super) fn tables<'run>(run: &'run Run, app: &'run Application, base: &Base<'run>) -> Vec<MetricTable<'run>> {
    let rule = &run.header.plan.method.ending;
    let table = |fact: &'run MetricFact| {
        let records = axes::bases(run).chain(axes::subjects(run));
        let mut rows: Vec<MetricRow<'run>> = records.filter_map(|r| row(r, fact, rule)).collect();
        rows.sort_by(|a, b| {
            let key = |r: &MetricRow<'_>| (axes::place(&r.record.cell.provider, app), r.threads, r.copies);
            axes::order(&a.size, &b.size, &app.axes).then_with(|| key(a).cmp(&key(b)))
        });
        let firsts: Vec<Option<f64>> = rows.iter().map(|r| base_best(r, &rows, base)).collect();
        for (row, first) in rows.iter_mut().zip(firsts) {
            row.speedup = first.map(|first| match fact.better {
                Better::Lower => first / row.figure.best,
                Better::Higher => row.figure.best / first,
            });
            row.speedup = row.speedup.filter(|s| s.is_finite() && *s > 0.0);
        }
        MetricTable { fact, rows }
    };
    app.metrics.iter().map(table).filter(|table| !table.rows.is_empty()).collect()
}

fn row<'run>(record: &'run Record, fact: &MetricFact, rule: &EndRule) -> Option<MetricRow<'run>> {
    if record.outcome.as_ref().is_some_and(|o| o.status != Status::Measured) {
        return None;
    }
    let column = record.samples.secondary(MetricName::of_program(&fact.name))?;
    let values: Vec<f64> = column.iter().copied().filter(|v| v.is_finite()).collect();
    let cell = &record.cell;
    Some(MetricRow {
        record,
        size: axes::size(cell, None),
        threads: axes::threads(cell),
        copies: axes::copies(cell),
        figure: figure(&values, fact.better, rule, record.outcome.as_ref())?,
        speedup: None,
    })
}

/// The figure of `values`. Of rates it is that of their inverses, turned back: the best is the largest.
fn figure(values: &[f64], better: Better, rule: &EndRule, outcome: Option<&Outcome>) -> Option<BestFigure> {
    if better == Better::Lower {
        return BestFigure::of(values, rule, outcome);
    }
    if values.iter().any(|v| *v <= 0.0) {
        return None;
    }
    let inverse: Vec<f64> = values.iter().map(|v| 1.0 / v).collect();
    let found = BestFigure::of(&inverse, rule, outcome)?;
    Some(BestFigure {
        best: 1.0 / found.best,
        mean_of_k: 1.0 / found.mean_of_k,
        median: paw_stats::quantile::median(values)?,
        interval: found.interval.map(|(low, high)| (1.0 / high, 1.0 / low)),
        ..found
    })
}

/// The base's best value at the size of `row`.
fn base_best(row: &MetricRow<'_>, rows: &[MetricRow<'_>], base: &Base<'_>) -> Option<f64> {
    let first = match base.kind {
        BaseKind::Program(_) => {
            let record = base.program_at(&row.size)?;
            rows.iter().find(|r| std::ptr::eq(r.record, record))
        }
        BaseKind::OneThread => rows.iter().find(|r| {
            let same = (&r.size, &r.record.cell.provider) == (&row.size, &row.record.cell.provider);
            same && r.threads == 1 && r.copies == 1
        }),
    };
    first.map(|r| r.figure.best)
}
