//! The number of one run that a baseline is held against.

use crate::application::MetricFact;
use crate::baseline::Statistic;
use crate::between_runs::BetweenRuns;
use crate::outcome::{CheckVerdict, Outcome, Status};
use crate::quantity::Quantity;
use crate::run::{Imported, Record, Run};
use crate::scaling::Yardstick;
use crate::summary::{Figure, Summary};
use crate::trust::{self, CONTENDED, Reason, Trust};

/// A number of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The value in plain units, with the 95 % interval of the run's own samples over its processes.
    pub figure: Figure,
    /// A reason not to rely on it.
    pub doubt: Option<Doubt>,
    /// Name of the run.
    pub run: String,
}

/// A reason not to rely on a number, in one sentence without a full stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// Other work disturbed it.
    Contended(String),
    /// Its trust is poor.
    Unstable(String),
}

impl Doubt {
    /// The sentence.
    pub fn sentence(&self) -> &str {
        match self {
            Doubt::Contended(why) | Doubt::Unstable(why) => why,
        }
    }
}

/// Why a record has no number, in one sentence without a full stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// Its answer is wrong.
    Wrong(String),
    /// It broke.
    Failed(String),
    /// It was not measured.
    Missing(String),
    /// It does no work of this kind.
    OtherUnit(String),
    /// Several cells could be meant.
    Ambiguous(String),
}

impl Obstacle {
    /// The sentence.
    pub fn sentence(&self) -> &str {
        let (Self::Wrong(why) | Self::Failed(why) | Self::Missing(why) | Self::OtherUnit(why) | Self::Ambiguous(why)) =
            self;
        why
    }
}

/// The `statistic` of `metric`, as the program printed it, of a record of `run`.
///
/// # Errors
/// The record has no such number.
pub fn metric_reading(
    run: &Run,
    record: &Record,
    statistic: Statistic,
    metric: &MetricFact,
) -> Result<Reading, Obstacle> {
    let yardstick = Yardstick::Metric(metric);
    let seen = yardstick.seen(record);
    if seen.samples.is_empty() && !record.samples.is_empty() && !is_stopped(record) {
        return Err(Obstacle::Missing(format!("no run of the program printed `{}`", metric.name)));
    }
    let found = reading(run, &seen, statistic, Quantity::Time)?;
    let figure = yardstick.figure(found.figure);
    if figure.value.is_finite() && figure.value > 0.0 {
        return Ok(Reading { figure, ..found });
    }
    Err(Obstacle::Missing(format!("`{}` is {}, and a reference is above 0", metric.name, figure.value)))
}

fn is_stopped(record: &Record) -> bool {
    record.outcome.as_ref().is_none_or(|outcome| refused(outcome).is_err())
}

/// The `statistic` of a record of `run` in `quantity`.
///
/// # Errors
/// The record has no such number.
pub fn reading(run: &Run, record: &Record, statistic: Statistic, quantity: Quantity) -> Result<Reading, Obstacle> {
    if record.samples.is_empty() && (record.imported_time.is_some() || record.imported_rate.is_some()) {
        let figure = imported(record, statistic, quantity)?;
        return Ok(Reading { figure, doubt: None, run: run.header.id.clone() });
    }
    let outcome = record.outcome.as_ref();
    let outcome = outcome.ok_or_else(|| Obstacle::Missing("the run was cut off before this cell ended".into()))?;
    refused(outcome)?;
    let summary = Summary::of(record, &run.header.plan.method);
    let summary = summary.ok_or_else(|| Obstacle::Missing("the cell has no samples".into()))?;
    does(record, quantity)?;
    let trusted = summary.trust(record);
    let doubt = doubt(outcome, &summary, &trusted.reasons, trusted.trust);
    Ok(Reading { figure: figure(&summary, statistic, quantity), doubt, run: run.header.id.clone() })
}

/// What keeps an outcome from having a number.
fn refused(outcome: &Outcome) -> Result<(), Obstacle> {
    let why = |otherwise: &str| outcome.why.clone().unwrap_or_else(|| otherwise.to_owned());
    if let Some(check) = outcome.check.as_ref().filter(|check| check.verdict == CheckVerdict::Fail) {
        let note = if check.note.is_empty() { "its answer is wrong".to_owned() } else { check.note.clone() };
        return Err(Obstacle::Wrong(note));
    }
    match outcome.status {
        Status::Failed => Err(Obstacle::Failed(why("the measurement failed"))),
        Status::Skipped => Err(Obstacle::Missing(format!("skipped: {}", why("no reason is recorded")))),
        Status::Measured => Ok(()),
    }
}

fn does(record: &Record, quantity: Quantity) -> Result<(), Obstacle> {
    if quantity == Quantity::Time || record.cell.work.amount(quantity) > 0.0 {
        return Ok(());
    }
    let (wanted, own) = (quantity.unit(), record.cell.headline.unit());
    Err(Obstacle::OtherUnit(format!("the cell has no {wanted}: it is measured in {own}")))
}

fn figure(summary: &Summary, statistic: Statistic, quantity: Quantity) -> Figure {
    let time = |seconds: f64| summary.figure(quantity, seconds, None).value;
    match statistic {
        Statistic::Mean => summary.figure(quantity, summary.mean_s, None),
        Statistic::Min => {
            let ends = summary.k_best.spread_k.map(|spread| (summary.min_s, summary.min_s * (1.0 + spread)));
            summary.figure(quantity, summary.min_s, ends)
        }
        Statistic::Median => {
            // Half the interval, wider where samples of few processes resemble their neighbours.
            let half = summary.own_half_width().map(f64::ln_1p);
            let value = time(summary.median_s);
            let end = |sign: f64| half.map(|half| value * (sign * half).exp());
            Figure { value, low: end(-1.0), high: end(1.0) }
        }
    }
}

/// The doubt about a measured number.
fn doubt(outcome: &Outcome, summary: &Summary, reasons: &[Reason], word: Trust) -> Option<Doubt> {
    let first = |fits: fn(&Reason) -> bool| reasons.iter().find(|reason| fits(reason)).map(ToString::to_string);
    if outcome.is_contended() || summary.disturbed_share() > CONTENDED {
        let is_it = |reason: &Reason| matches!(reason.code(), "contended" | "other-work");
        return Some(Doubt::Contended(first(is_it).unwrap_or_else(|| "other work ran on its processors".into())));
    }
    let is_poor = |reason: &Reason| trust::word(reason) == Trust::Poor;
    (word == Trust::Poor).then(|| Doubt::Unstable(first(is_poor).unwrap_or_else(|| "its trust is poor".into())))
}

/// The number of an imported row: a mean of rates stays what the file says.
fn imported(record: &Record, statistic: Statistic, quantity: Quantity) -> Result<Figure, Obstacle> {
    let own = record.cell.headline == quantity && quantity != Quantity::Time;
    let rate = record.imported_rate.as_deref().filter(|_| own).map(|row| (row, row.max));
    let of = |(row, best): (&Imported, f64)| match statistic {
        Statistic::Mean => Some(row.mean),
        Statistic::Min => Some(best),
        Statistic::Median => None,
    };
    let median = || Obstacle::Missing("an imported row has no median: write statistic = \"mean\" or \"min\"".into());
    let value = match (rate, record.imported_time.as_deref()) {
        (Some(rate), _) => of(rate).ok_or_else(median)?,
        (None, Some(row)) => {
            does(record, quantity)?;
            record.cell.work.value(quantity, of((row, row.min)).ok_or_else(median)?)
        }
        (None, None) => return Err(Obstacle::OtherUnit(format!("the row has no {}", quantity.unit()))),
    };
    let is_number = value.is_finite() && value > 0.0;
    let absent = || Obstacle::Missing(format!("the row has no {}", statistic.word()));
    is_number.then_some(Figure { value, low: None, high: None }).ok_or_else(absent)
}

/// The variation from run to run that is known of the machine of `run` without a measurement.
pub fn assumed(run: &Run) -> BetweenRuns {
    BetweenRuns::of(&run.header.machine)
}
