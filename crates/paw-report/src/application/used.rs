//! What the runs of a program used: processor time, switches, page faults.

use paw_data::run::Record;
use paw_data::scaling::{Scaling, ScalingRow, Sweep};
use paw_data::secondary::SecondaryMetric;
use paw_stats::quantile;

use crate::application::figure;
use crate::application::threads::Keys;
use crate::model::{Align, Column, Field, Row, Table, Tone};
use crate::number::{self, significant};

/// Most rows; with more, those of the largest size are shown alone.
const ROWS: usize = 24;

/// What a run of each cell used, as the median over its runs; empty where nothing was accounted.
pub fn table(scaling: &Scaling<'_>) -> Table {
    let all: Vec<&Sweep<'_>> = scaling.sweeps.iter().collect();
    let is_long = all.iter().map(|sweep| sweep.rows.len()).sum::<usize>() > ROWS;
    let largest = scaling.headline().filter(|_| is_long).map(|(sweep, _)| scaling.size(&sweep.size));
    let is_shown = |sweep: &&Sweep<'_>| largest.as_ref().is_none_or(|size| scaling.size(&sweep.size) == *size);
    let shown: Vec<&Sweep<'_>> = all.into_iter().filter(is_shown).collect();
    let keys = Keys::of(shown.iter().map(|s| &s.size), shown.iter().map(|s| s.provider));
    let rows = shown.iter().flat_map(|sweep| sweep.rows.iter().map(|row| (*sweep, row)));
    let rows: Vec<Row> = rows.filter_map(|(sweep, row)| line(keys.fields(&sweep.size, sweep.provider), row)).collect();
    let at = largest.filter(|_| is_long).map_or(String::new(), |size| format!(", largest size, {size}"));
    let column = |title: &str, importance: u8| Column::new(title, Align::Right, importance);
    let mut columns = keys.columns();
    columns.extend([
        column("threads", Column::ALWAYS),
        column("task\nclock s", Column::ALWAYS),
        column("user\ns", 120),
        column("system\ns", 125),
        column("CPUs\nused", 240),
        column("switches,\nwaiting", 200),
        column("switches,\ntaken off", 210),
        column("page\nfaults", 190),
        column("of these\nfrom disk", 110),
    ]);
    Table::dense(format!("what a run used{at}"), columns, rows)
}

fn line(mut fields: Vec<Field>, row: &ScalingRow<'_>) -> Option<Row> {
    row.timing?;
    let record = row.record;
    let (user, system) = (values(record, SecondaryMetric::UserTime)?, values(record, SecondaryMetric::SystemTime)?);
    let clock: Vec<f64> = user.iter().zip(system).map(|(user, system)| user + system).collect();
    let share: Vec<f64> = clock.iter().zip(&record.samples.elapsed_s).map(|(clock, wall)| clock / wall).collect();
    let count = |metric| values(record, metric).and_then(median).map(|count| number::count(count.round() as usize));
    let (minor, major) =
        (values(record, SecondaryMetric::MinorFaults), values(record, SecondaryMetric::MajorFaults).and_then(median));
    let faults = minor.and_then(median).map(|minor| minor + major.unwrap_or(0.0));
    let seconds = |values: &[f64]| Field::maybe(median(values).map(|value| figure::plain(value, None)));
    fields.push(figure::threads(row).into());
    fields.push(Field::new(median(&clock).map(|value| figure::plain(value, None))?, Tone::Strong));
    fields.extend([
        seconds(user),
        seconds(system),
        Field::maybe(median(&share).map(|share| significant(share, 3))),
        Field::maybe(count(SecondaryMetric::VoluntarySwitches)),
        Field::maybe(count(SecondaryMetric::InvoluntarySwitches)),
        Field::maybe(faults.map(|count| number::count(count.round() as usize))),
        Field::maybe(major.map(|count| number::count(count.round() as usize))),
    ]);
    Some(Row { fields, absent: None, cell: Some(record.cell.id) })
}

fn values(record: &Record, metric: SecondaryMetric) -> Option<&[f64]> {
    record.samples.secondary(metric)
}

/// The median of the values that are known.
fn median(values: &[f64]) -> Option<f64> {
    let known: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    quantile::median(&known)
}
