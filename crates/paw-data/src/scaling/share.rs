//! How much of the wall time, or of the headline, other times are that programs print.

use paw_sort::OrderBy;
use paw_stats::{interval, quantile};

use crate::outcome::Status;
use crate::point::Point;
use crate::run::{Record, Run};
use crate::scaling::axes;
use crate::scaling::yardstick::{Yardstick, YardstickKind};
use crate::secondary::MetricName;
use crate::summary::CONFIDENCE;

/// One printed time over another time of the same runs.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeShare<'run> {
    /// The time that is the part.
    pub part: Yardstick<'run>,
    /// The time that is the whole.
    pub whole: Yardstick<'run>,
    /// The cells that have both, those of the base too, by size, command and threads.
    pub rows: Vec<ShareRow<'run>>,
}

/// The share at one point.
#[derive(Debug, Clone, PartialEq)]
pub struct ShareRow<'run> {
    /// The cell.
    pub record: &'run Record,
    /// The point without threads and copies.
    pub size: Point,
    /// Threads.
    pub threads: u32,
    /// The median over the runs of part ÷ whole.
    pub share: f64,
    /// Its 95 % interval; `None` for fewer than six runs.
    pub interval: Option<(f64, f64)>,
    /// Number of runs that have both.
    pub n: usize,
}

impl<'run> TimeShare<'run> {
    /// The shares of `run`: of each printed time in the wall time, and in the headline where that is a printed time that no other exceeds.
    pub fn all(run: &'run Run) -> Vec<Self> {
        let Some(app) = &run.header.app else { return Vec::new() };
        let is_time = |own: &Yardstick<'_>| matches!(own.kind(), YardstickKind::Time(_));
        let parts = || Yardstick::all(app).into_iter().filter(|own| is_time(own) && own.metric().is_some());
        let headline = Yardstick::headline(app);
        let in_wall = parts().map(|part| Self::of(run, part, Yardstick::WallTime));
        let in_headline = parts().filter(|part| headline.metric().is_some() && is_time(&headline) && *part != headline);
        let in_headline = in_headline.map(|part| Self::of(run, part, headline)).filter(|own| own.excess().is_none());
        in_wall.chain(in_headline).filter(|own| !own.rows.is_empty()).collect()
    }

    fn of(run: &'run Run, part: Yardstick<'run>, whole: Yardstick<'run>) -> Self {
        let records = axes::bases(run).chain(axes::subjects(run)).filter(|record| axes::copies(&record.cell) == 1);
        let mut rows: Vec<ShareRow<'run>> = records.filter_map(|record| row(record, part, whole)).collect();
        if let Some(app) = &run.header.app {
            let command = |row: &ShareRow<'_>| axes::place(&row.record.cell.provider, app);
            rows.order_by(|a, b| {
                let sizes = axes::order(&a.size, &b.size, &app.axes);
                sizes.then(command(a).cmp(&command(b))).then(a.threads.cmp(&b.threads))
            });
        }
        Self { part, whole, rows }
    }

    /// The first point at which the part is longer than the whole, so that it is none: the sum over threads is such a number.
    pub fn excess(&self) -> Option<&ShareRow<'run>> {
        self.rows.iter().find(|row| row.share > 1.0)
    }
}

fn row<'run>(record: &'run Record, part: Yardstick<'run>, whole: Yardstick<'run>) -> Option<ShareRow<'run>> {
    if record.outcome.as_ref().is_some_and(|outcome| outcome.status != Status::Measured) {
        return None;
    }
    let (parts, wholes) = (seconds(record, part)?, seconds(record, whole)?);
    let shares = parts.iter().zip(wholes).map(|(part, whole)| part / whole);
    let shares: Vec<f64> = shares.filter(|share| share.is_finite() && *share >= 0.0).collect();
    Some(ShareRow {
        record,
        size: axes::size(&record.cell, None),
        threads: axes::threads(&record.cell),
        share: quantile::median(&shares)?,
        interval: interval::median(&shares, CONFIDENCE).map(|ends| (ends.low, ends.high)),
        n: shares.len(),
    })
}

/// The seconds of each run of `record`; not a number where a run did not print them.
fn seconds(record: &Record, of: Yardstick<'_>) -> Option<Vec<f64>> {
    let Some(fact) = of.metric() else { return Some(record.samples.per_loop_s()) };
    let column = record.samples.secondary(MetricName::of_program(&fact.name))?;
    Some(column.iter().map(|printed| of.value(*printed)).collect())
}
