//! One table of all cells that have times, in the formats of other programs: command, mean, smallest, largest, median, ratio.

use paw_data::comparison::{CONFIDENCE, Comparison, MARGIN, Origin};
use paw_data::outcome::Status;
use paw_data::point::AxisValue;
use paw_data::quantity::Quantity;
use paw_data::run::{Record, Run};
use paw_data::scaling::{Scaling, Yardstick};
use paw_data::secondary::SecondaryMetric;
use paw_stats::comparison::bonferroni;
use paw_stats::interval::Bounds;
use paw_stats::{interval, mean, quantile, sigma};

use crate::number::Scale;

/// The markup of a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SummaryFormat {
    /// Comma-separated values, in seconds.
    Csv,
    /// A table of Markdown.
    Markdown,
    /// A table of AsciiDoc.
    Asciidoc,
    /// A table of Emacs' Org mode.
    Orgmode,
}

/// The cells of `run` that have times as one table.
pub fn summary(run: &Run, format: SummaryFormat) -> String {
    let rows = rows(run);
    match format {
        SummaryFormat::Csv => csv(&rows),
        SummaryFormat::Markdown => table(&rows, "| ", " | ", " |", "|:---|---:|---:|---:|---:|---:|---:|\n", '`'),
        SummaryFormat::Asciidoc => asciidoc(&rows),
        SummaryFormat::Orgmode => table(&rows, "| ", " | ", " |", "|--+--+--+--+--+--+--|\n", '='),
    }
}

/// One cell; times in seconds.
struct SummaryRow<'run> {
    command: String,
    record: &'run Record,
    times: Vec<f64>,
    mean: f64,
    /// The standard deviation of the sample; `None` of one run.
    deviation: Option<f64>,
    median: f64,
    interval: Option<Bounds>,
    min: f64,
    max: f64,
    /// Its time ÷ that of the reference, and the interval; 1 without one for the reference.
    relative: Option<(f64, Option<Bounds>)>,
}

fn rows(run: &Run) -> Vec<SummaryRow<'_>> {
    let is_measured = |record: &&Record| record.outcome.as_ref().is_none_or(|own| own.status == Status::Measured);
    let mut rows: Vec<_> = run.records.iter().filter(is_measured).filter_map(|record| row(run, record)).collect();
    let leader =
        Scaling::by(run, Yardstick::WallTime).and_then(|scaling| Some(scaling.leading()?.rows.first()?.record.cell.id));
    let is_leader = |row: &&SummaryRow<'_>| Some(row.record.cell.id) == leader;
    let fastest = rows.iter().min_by(|a, b| a.median.total_cmp(&b.median));
    let Some(first) = rows.iter().find(is_leader).or(fastest).map(|row| row.record) else { return rows };
    // All of them are compared at once.
    let confidence = bonferroni(CONFIDENCE, rows.len());
    for row in &mut rows {
        row.relative = if std::ptr::eq(row.record, first) {
            Some((1.0, None))
        } else {
            let found = Comparison::within(first, row.record, Origin::SameRun, confidence, MARGIN);
            found.map(|found| (found.ratio, found.interval))
        };
    }
    rows
}

fn row<'run>(run: &Run, record: &'run Record) -> Option<SummaryRow<'run>> {
    let times = record.samples.per_loop_s();
    let command = match &run.header.app {
        Some(app) => app.label_of(&record.cell),
        None => format!("{} {} {}", record.cell.benchmark, record.cell.point, record.cell.provider),
    };
    Some(SummaryRow {
        command,
        record,
        mean: mean::arithmetic(&times)?,
        deviation: sigma::sample(&times),
        median: quantile::median(&times)?,
        interval: interval::median(&times, paw_data::summary::CONFIDENCE).map(|i| Bounds { low: i.low, high: i.high }),
        min: times.iter().copied().fold(f64::INFINITY, f64::min),
        max: times.iter().copied().fold(0.0, f64::max),
        times,
        relative: None,
    })
}

/// The fields of each row below their titles; all times in the unit of the longest.
fn fields(rows: &[SummaryRow<'_>]) -> Vec<Vec<String>> {
    let scale = Scale::of(rows.iter().map(|row| row.mean).fold(0.0, f64::max), Quantity::Time);
    let unit = &scale.unit;
    let titles = [
        "Command".to_owned(),
        format!("Mean [{unit}]"),
        format!("Min [{unit}]"),
        format!("Max [{unit}]"),
        format!("Median [{unit}]"),
        "Runs".to_owned(),
        "Relative".to_owned(),
    ];
    let ends = |ends: Option<Bounds>, show: &dyn Fn(f64) -> String| {
        ends.map_or(String::new(), |ends| format!(" ({}…{})", show(ends.low), show(ends.high)))
    };
    let of = |row: &SummaryRow<'_>| {
        let time = |seconds: f64| scale.digits(seconds, row.deviation);
        let spread = row.deviation.map_or(String::new(), |deviation| format!(" ± {}", scale.digits(deviation, None)));
        let ratio = |ratio: f64| format!("{ratio:.3}");
        let relative = row.relative.map(|(value, interval)| match value {
            1.0 => "1.00".to_owned(),
            value => ratio(value) + &ends(interval, &ratio),
        });
        vec![
            row.command.clone(),
            time(row.mean) + &spread,
            time(row.min),
            time(row.max),
            time(row.median) + &ends(row.interval, &time),
            row.times.len().to_string(),
            relative.unwrap_or_default(),
        ]
    };
    std::iter::once(titles.to_vec()).chain(rows.iter().map(of)).collect()
}

/// A command as code between `quote`s, without what would end its cell.
fn code(text: &str, quote: char) -> String {
    format!("{quote}{}{quote}", text.replace('\n', " ").replace('|', "\\|"))
}

fn table(rows: &[SummaryRow<'_>], open: &str, between: &str, close: &str, rule: &str, quote: char) -> String {
    let lines = fields(rows).into_iter().enumerate().map(|(at, mut line)| {
        if at > 0 {
            line[0] = code(&line[0], quote);
        }
        let below = if at == 0 { rule } else { "" };
        format!("{open}{}{close}\n{below}", line.join(between))
    });
    lines.collect()
}

fn asciidoc(rows: &[SummaryRow<'_>]) -> String {
    let lines = fields(rows).into_iter().enumerate().map(|(at, mut line)| {
        if at > 0 {
            line[0] = code(&line[0], '`');
        }
        line.iter().fold(String::new(), |all, field| format!("{all}| {field}\n"))
    });
    format!("[cols=\"<,>,>,>,>,>,>\"]\n|===\n{}|===\n", lines.collect::<Vec<_>>().join("\n"))
}

/// The columns of hyperfine, then those of paw, then the parameters.
fn csv(rows: &[SummaryRow<'_>]) -> String {
    let mut axes: Vec<&str> = Vec::new();
    for (axis, _) in rows.iter().flat_map(|row| row.record.cell.point.iter()) {
        if !axes.contains(&axis) {
            axes.push(axis);
        }
    }
    let mut titles: Vec<String> =
        "command mean stddev median user system min max median_low median_high runs relative \
        relative_low relative_high"
            .split_whitespace()
            .map(str::to_owned)
            .collect();
    titles.extend(axes.iter().map(|axis| format!("parameter_{axis}")));
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let of = |row: &SummaryRow<'_>| {
        let used = |metric: SecondaryMetric| number(row.record.samples.secondary(metric).and_then(mean::arithmetic));
        let ratio = row.relative.and_then(|(_, interval)| interval);
        let mut fields = vec![
            row.command.clone(),
            number(Some(row.mean)),
            number(row.deviation),
            number(Some(row.median)),
            used(SecondaryMetric::UserTime),
            used(SecondaryMetric::SystemTime),
            number(Some(row.min)),
            number(Some(row.max)),
            number(row.interval.map(|ends| ends.low)),
            number(row.interval.map(|ends| ends.high)),
            row.times.len().to_string(),
            number(row.relative.map(|(value, _)| value)),
            number(ratio.map(|ends| ends.low)),
            number(ratio.map(|ends| ends.high)),
        ];
        let value = |axis: &&str| row.record.cell.point.value(axis).map_or(String::new(), AxisValue::to_string);
        fields.extend(axes.iter().map(value));
        fields
    };
    let lines = std::iter::once(titles).chain(rows.iter().map(of));
    lines.map(|line| line.iter().map(|field| quoted(field)).collect::<Vec<_>>().join(",") + "\n").collect()
}

/// A field of CSV (RFC 4180).
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
