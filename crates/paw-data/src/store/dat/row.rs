//! One row: seven columns as PAW has them, and three more.

use paw_stats::{mean, rank, sigma};

use super::name::Content;
use crate::cell::Role;
use crate::outcome::{CheckVerdict, Status};
use crate::run::{Imported, Record};
use crate::summary::{estimate, times_s};

/// The numbers of a row, in SI units.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DatRow {
    pub size: f64,
    pub mean: f64,
    pub min: f64,
    pub max: f64,
    pub sigma: f64,
    pub loops: u64,
    pub samples: u32,
    /// Median and its interval, where there are samples.
    pub median: Option<[f64; 3]>,
}

/// Whether a record has rows: it is no reference, PAW has its test, and it has numbers and no wrong answer.
pub(super) fn has_rows(record: &Record) -> bool {
    let good = record.outcome.as_ref().is_none_or(|o| {
        o.status == Status::Measured && o.check.as_ref().is_none_or(|c| c.verdict != CheckVerdict::Fail)
    });
    let numbers = !record.samples.is_empty() || record.imported_time.is_some() || record.imported_rate.is_some();
    good && numbers && record.cell.role == Role::Subject && record.cell.dat.is_some()
}

/// The row of `record` in the file that holds `content`; `None` where it has no such numbers.
pub(super) fn row(record: &Record, content: Content) -> Option<DatRow> {
    let size = size(record);
    if record.samples.is_empty() {
        return imported(record, content, size);
    }
    let (times, _) = times_s(&record.samples);
    let count = u32::try_from(times.len()).unwrap_or(u32::MAX);
    // A disturbed sample may have ended early.
    let clean = record.samples.loops.iter().zip(&record.samples.disturbed).rfind(|(_, disturbed)| !**disturbed);
    let loops = clean.map(|(loops, _)| loops).or(record.samples.loops.last()).copied().unwrap_or(0);
    let estimate = estimate(record)?;
    let ends = estimate.interval.map_or([f64::NAN; 2], |i| [i.low, i.high]);
    let median = [estimate.value, ends[0], ends[1]];
    let row = match content {
        Content::Time => {
            let factor = record.cell.share_of_iteration();
            of_times(&times.iter().map(|t| t * factor).collect::<Vec<f64>>(), median.map(|t| t * factor))
        }
        _ => of_rates(&times, median, work(record, content)),
    };
    Some(DatRow { size, loops, samples: count, ..row })
}

/// The point on the ladder, in bytes where the axis counts elements; 1 where there is no ladder.
fn size(record: &Record) -> f64 {
    let Some(dat) = &record.cell.dat else { return 1.0 };
    let element_bytes = dat.element_bytes.map_or(1.0, f64::from);
    record.cell.point.float(&dat.size).map_or(1.0, |size| size * element_bytes)
}

fn of_times(times: &[f64], median: [f64; 3]) -> DatRow {
    DatRow { mean: mean::arithmetic(times).unwrap_or(f64::NAN), median: Some(median), ..spread(times) }
}

/// MIN, MAX and σ are those of work ÷ time, as in PAW; AVG is work ÷ mean time. PAW averaged the rates there, which counts
/// the fast samples more than the time they took.
fn of_rates(times: &[f64], [median, low, high]: [f64; 3], work: f64) -> DatRow {
    let rates: Vec<f64> = times.iter().map(|t| work / t).collect();
    DatRow {
        mean: mean::arithmetic(times).map_or(f64::NAN, |mean| work / mean),
        median: Some([work / median, work / high, work / low]),
        ..spread(&rates)
    }
}

/// Extremes and population σ.
fn spread(values: &[f64]) -> DatRow {
    DatRow {
        size: f64::NAN,
        mean: f64::NAN,
        min: rank::min(values).unwrap_or(f64::NAN),
        max: rank::max(values).unwrap_or(f64::NAN),
        sigma: sigma::population(values).unwrap_or(f64::NAN),
        loops: 0,
        samples: 0,
        median: None,
    }
}

/// The work of one iteration that a file of rates counts, flops by PAW's count.
fn work(record: &Record, content: Content) -> f64 {
    let work = &record.cell.work;
    match content {
        Content::Flops if work.flops_paw > 0.0 => work.flops_paw,
        Content::Flops => work.flops,
        Content::Bandwidth => work.bytes,
        Content::Rate => work.messages,
        Content::Time => f64::NAN,
    }
}

fn imported(record: &Record, content: Content, size: f64) -> Option<DatRow> {
    let row = |i: &Imported| DatRow {
        size,
        mean: i.mean,
        min: i.min,
        max: i.max,
        sigma: i.sigma_pop,
        loops: i.loops,
        samples: i.samples,
        median: None,
    };
    match (content, &record.imported_time, &record.imported_rate) {
        (Content::Time, time, _) => time.as_deref().map(row),
        (_, Some(time), Some(rate)) if work(record, content) > 0.0 => {
            Some(DatRow { mean: work(record, content) / time.mean, ..row(rate) })
        }
        (_, _, rate) => rate.as_deref().map(row),
    }
}

impl DatRow {
    /// The line of text, its values divided by `unit`.
    pub fn line(&self, unit: f64) -> String {
        let [mean, min, max, sigma] = [self.mean, self.min, self.max, self.sigma].map(|v| scientific(v / unit));
        let size = scientific(self.size);
        let mut line = format!("{size}\t{mean}\t\t{min}\t\t{max}\t{sigma}\t\t{:5}\t{:5}", self.loops, self.samples);
        for value in self.median.iter().flatten() {
            line.push('\t');
            line.push_str(&scientific(value / unit));
        }
        line.push('\n');
        line
    }
}

/// A number as C's `%E` writes it.
pub(super) fn scientific(value: f64) -> String {
    if value.is_nan() {
        return "NAN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "INF" } else { "-INF" }.to_owned();
    }
    let text = format!("{value:.6E}");
    let (digits, exponent) = text.split_once('E').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |e| ('-', e));
    format!("{digits}E{sign}{exponent:0>2}")
}
