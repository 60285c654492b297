//! A record with what printers show of it: value, interval, share of a reference, trust.

use std::sync::Arc;

use paw_data::between_runs::BetweenRuns;
use paw_data::cell::Role;
use paw_data::outcome::{Caveat, Check, CheckVerdict, Status};
use paw_data::parts::{self, ITEMS_A_THREAD};
use paw_data::quantity::Quantity;
use paw_data::run::{Record, Run};
use paw_data::sample::Samples;
use paw_data::scaling::Yardstick;
use paw_data::share::{References, Share};
use paw_data::summary::{Basis, CONFIDENCE, Figure, Summary, basis, headline};
use paw_data::trust::{Reason, Trust, Trusted, word};
use paw_stats::interval;

use crate::application;
use crate::grade::Grade;
use crate::kernel::figure;
use crate::number;
use crate::participants::Participants;

/// The headline of one cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Value {
    /// The headline (median, minimum or mean, as the method says), in the SI unit of the cell's quantity.
    pub middle: f64,
    /// Its confidence interval, with enough samples.
    pub interval: Option<(f64, f64)>,
    /// Samples used for the headline.
    pub used: usize,
    /// Samples taken, disturbed ones included.
    pub taken: usize,
    /// Samples that were disturbed.
    pub disturbed: usize,
}

impl Value {
    /// Half the interval's length, in the unit of the value.
    pub fn half_width(&self) -> Option<f64> {
        self.interval.map(|(low, high)| (high - low) / 2.0)
    }

    /// Half the interval's length as a share of the value.
    pub fn relative(&self) -> Option<f64> {
        self.half_width().map(|h| h / self.middle.abs())
    }
}

/// A record with what printers show of it.
#[derive(Debug, Clone)]
pub struct Reading<'r> {
    pub record: &'r Record,
    /// The headline, if the cell was measured and its answer is right, or if a fault cut the series of a team short.
    pub value: Option<Value>,
    /// Its share of the nearest reference of its group; in a box, since most cells of a large run have none.
    pub share: Option<Box<Share>>,
    /// Its number's word of trust, or why there is none.
    pub grade: Grade,
    /// Reasons to doubt the number, the gravest first; copies of the reading share them.
    pub reasons: Arc<[Reason]>,
}

impl Reading<'_> {
    /// Number of threads, ranks or devices, if the cell records it.
    pub fn participants(&self) -> Option<i64> {
        let library = || self.record.cell.library.as_ref().map(|l| i64::from(l.threads)).filter(|n| *n > 0);
        self.record.cell.point.int(Participants::of(&self.record.cell).word()).or_else(library)
    }

    /// Whether its number decides something: it is of good or fair trust, and not of a series cut short.
    pub fn is_sound(&self) -> bool {
        matches!(self.grade, Grade::Number(Trust::Good | Trust::Fair)) && self.absence().is_none()
    }

    /// What the headline counts.
    pub fn quantity(&self) -> Quantity {
        self.record.cell.headline
    }

    /// The result of the answer's check, as a mark and a word; `None` where nothing was checked.
    pub fn check(&self) -> Option<(&'static str, &'static str)> {
        let check = self.record.outcome.as_ref()?.check.as_ref()?;
        Some(match check.verdict {
            CheckVerdict::Pass => ("✓", "right"),
            CheckVerdict::Warn => ("~", "imprecise"),
            CheckVerdict::Fail => ("✗", "wrong"),
        })
    }

    /// Why there is no number, or none of a whole series: `skipped: why`, `failed: why`, `not finished`.
    pub fn absence(&self) -> Option<String> {
        let Some(outcome) = &self.record.outcome else {
            return self.value.is_none().then(|| "not finished: the run ended first".to_owned());
        };
        let check = outcome.check.as_ref().map(|c| c.note.as_str());
        let why = outcome.why.as_deref().or(check).filter(|w| !w.is_empty()).unwrap_or("no reason was recorded");
        match outcome.status {
            Status::Skipped => Some(format!("skipped: {why}")),
            Status::Failed => Some(format!("failed: {why}")),
            Status::Measured if self.value.is_none() => {
                Some(unusable(&self.record.samples).unwrap_or_else(|| untimed(outcome.check.as_ref())))
            }
            Status::Measured => None,
        }
    }
}

/// Why the samples of a cell give no number; `None` where there are none.
fn unusable(samples: &Samples) -> Option<String> {
    let times = samples.per_loop_s();
    let bad = times.iter().filter(|time_s| !(time_s.is_finite() && **time_s > 0.0)).count();
    match times.len() {
        0 => None,
        _ if bad == 0 => Some("its times give no finite number".to_owned()),
        all => {
            let have = if bad == 1 { "has" } else { "have" };
            Some(format!("{bad} of {} {have} no time above zero, so that none counts", number::plural(all, "sample")))
        }
    }
}

/// The result of the check of a cell without samples.
fn untimed(check: Option<&Check>) -> String {
    match check.map(|check| (check, &check.accuracy)) {
        None => "no samples were recorded".to_owned(),
        Some((_, Some(accuracy))) if accuracy.differing == 0 => "not timed; the answer is exact".to_owned(),
        Some((_, Some(accuracy))) => format!("not timed; the answer is right, {}", figure::off(accuracy)),
        Some((check, None)) => format!("not timed; the answer is right: {}", check.method),
    }
}

/// The reference of a share: `peak` or `bandwidth`.
pub fn share_word(share: &Share) -> &'static str {
    if share.role == Role::Bandwidth { "bandwidth" } else { "peak" }
}

/// Every record of `run` as a reading, in the run's order.
pub fn readings(run: &Run) -> Vec<Reading<'_>> {
    let references = References::of(run);
    parts::each(&run.records, ITEMS_A_THREAD, |record| reading(run, record, &references))
}

/// As [`readings`], for views that show numbers alone: without shares of references, and without words of trust and their reasons.
pub fn numbers(run: &Run) -> Vec<Reading<'_>> {
    let (method, between_runs) = (&run.header.plan.method, BetweenRuns::of(&run.header.machine));
    parts::each(&run.records, ITEMS_A_THREAD, |record| {
        let figure = has_number(record).then(|| headline(record, method, between_runs)).flatten();
        let value = figure.filter(|figure| figure.value.is_finite()).map(|figure| value(record, figure));
        Reading { record, value, share: None, grade: Grade::Absent, reasons: Arc::default() }
    })
}

/// `passed-reference`: a cell is faster than its reference.
fn passed(share: f64, by: &Record) -> Caveat {
    Caveat::new(
        "passed-reference",
        format!(
            "{} {} reaches {:.0} % of it: it is no upper bound there",
            by.cell.benchmark,
            by.cell.point,
            100.0 * share
        ),
        "read the rates; no share of this reference is shown",
    )
}

/// `outgrown-peak`: a thread of the same peak on more threads is faster.
fn outgrown(times: f64, by: &Record) -> Caveat {
    Caveat::new(
        "outgrown-peak",
        format!(
            "each thread of {} {} is {times:.2} times as fast: something held this peak back",
            by.cell.benchmark, by.cell.point
        ),
        "measure again on an idle machine; no share of this peak is shown",
    )
}

/// The trust in a printed number that is the headline of a program's run; `None` where that is the time.
fn of_headline(run: &Run, record: &Record) -> Option<Trusted> {
    let yardstick = Yardstick::headline(run.header.app.as_ref().filter(|_| record.cell.suite == application::SUITE)?);
    let seen = yardstick.seen(record);
    yardstick.metric()?;
    Some(Summary::of(&seen, &run.header.plan.method)?.on(&run.header.machine).trust(&seen))
}

/// Whether a fault ended the series of a team, whose samples were not found wrong: they are shown, as those of a failure.
fn is_cut_short(record: &Record) -> bool {
    let is_unchecked = record.outcome.as_ref().is_some_and(|outcome| outcome.check.is_none());
    record.cell.team.is_some() && is_unchecked && !record.samples.is_empty()
}

/// Whether the samples of a cell give a number: not where it failed or was skipped.
fn has_number(record: &Record) -> bool {
    match record.outcome.as_ref().map(|o| o.status) {
        Some(Status::Failed) => is_cut_short(record),
        Some(Status::Skipped) => false,
        Some(Status::Measured) | None => true,
    }
}

/// The `figure` of a record with the numbers of its samples, or of those that an imported row is of.
fn value(record: &Record, figure: Figure) -> Value {
    let interval = figure.low.zip(figure.high);
    if record.samples.is_empty() {
        let taken = [&record.imported_rate, &record.imported_time].into_iter().flatten().map(|i| i.samples as usize);
        let taken = taken.reduce(|first, _| first).unwrap_or(0);
        return Value { middle: figure.value, interval, used: taken, taken, disturbed: 0 };
    }
    let (taken, disturbed) = (record.samples.len(), record.samples.disturbed.iter().filter(|d| **d).count());
    let used = if basis(&record.samples) == Basis::All { taken } else { taken - disturbed };
    Value { middle: figure.value, interval, used, taken, disturbed }
}

fn reading<'r>(run: &'r Run, record: &'r Record, references: &References<'r>) -> Reading<'r> {
    let method = &run.header.plan.method;
    let absent = |grade| Reading { record, value: None, share: None, grade, reasons: Arc::default() };
    if !has_number(record) {
        let is_failed = record.outcome.as_ref().is_some_and(|o| o.status == Status::Failed);
        return absent(if is_failed { Grade::Broken } else { Grade::Absent });
    }
    let summary = Summary::of(record, method).map(|summary| summary.on(&run.header.machine));
    let figure = match &summary {
        Some(summary) => Some(summary.headline()),
        None if record.samples.is_empty() => headline(record, method, BetweenRuns::UNKNOWN),
        None => None,
    };
    let Some(figure) = figure.filter(|f| f.value.is_finite()) else { return absent(Grade::Absent) };
    let value = value(record, figure);
    let share = references.share(record).map(Box::new);
    let (trust, reasons) = match summary {
        Some(summary) => {
            let trusted = of_headline(run, record).unwrap_or_else(|| summary.trust(record));
            let passed = references.passed(record).map(|(share, by)| passed(share, by));
            let outgrown = references.outgrown(record).map(|(times, by)| outgrown(times, by));
            let found: Vec<_> = passed.into_iter().chain(outgrown).map(Reason::Caveat).collect();
            let trust = if found.is_empty() { trusted.trust } else { trusted.trust.max(Trust::Fair) };
            (trust, trusted.reasons.into_iter().chain(found).collect())
        }
        None => {
            // Imported statistics come without samples and cannot be examined: fair at best.
            let has_interval = interval::ranks(value.taken, 0.5, CONFIDENCE).is_some();
            let few = (!has_interval).then_some(Reason::FewSamples { n: value.taken });
            (few.as_ref().map_or(Trust::Fair, word), few.into_iter().collect())
        }
    };
    Reading { record, value: Some(value), share, grade: Grade::Number(trust), reasons }
}
