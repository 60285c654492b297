//! The table of a section: a row for each cell.

use paw_data::parts::{self, ITEMS_A_THREAD};

use crate::benchmark::absence::{Absence, absences};
use crate::model::{Absent, Align, Column, ColumnKind, Field, Row, Table, Tone, Value};
use crate::number;
use crate::reading::{Reading, share_word};
use crate::reason::{SharedReason, at_most, codes};
use crate::secondary::{MetricColumn, Side};
use crate::section::{Section, Variation};
use crate::series::label;

/// Caveats named in a row; the list below the tables has all.
const CAVEATS: usize = 2;

/// The columns that say which cell a row is.
pub fn key_columns(section: &Section<'_>) -> Vec<Column> {
    let mut columns = Vec::new();
    if section.benchmark() == Variation::Differs {
        columns.push(Column::new("benchmark", Align::Left, Column::ALWAYS));
    }
    columns.extend(section.ladder.iter().map(|l| Column::new(section.axis_name(l), Align::Right, Column::ALWAYS)));
    columns.extend(section.axes.iter().map(|a| Column::new(section.axis_name(a), Align::Left, 200)));
    if section.providers == Variation::Differs {
        columns.push(Column::new("provider", Align::Left, 220));
    }
    if section.participant_counts == Variation::Differs {
        let counted = section.participants;
        columns.push(Column::new(counted.column(), Align::Right, 210).titled(counted.word()));
    }
    columns
}

/// The fields of [`key_columns`].
pub fn key_fields(section: &Section<'_>, reading: &Reading<'_>) -> Vec<Field> {
    let cell = &reading.record.cell;
    let mut fields = Vec::new();
    if section.benchmark() == Variation::Differs {
        fields.push(cell.benchmark.as_str().into());
    }
    fields.extend(section.ladder.iter().chain(&section.axes).map(|a| section.at(reading, a).into()));
    if section.providers == Variation::Differs {
        fields.push(cell.provider.as_str().into());
    }
    if section.participant_counts == Variation::Differs {
        fields.push(Field::maybe(reading.participants().map(|n| n.to_string())));
    }
    fields
}

/// A row for each cell that has a number, and one for each reason why others have none, or none of a whole series.
pub fn cells(section: &Section<'_>) -> Table {
    let unit = if section.unit().is_empty() { "value" } else { section.unit() };
    let secondary = |side| section.secondary.iter().filter(move |b| b.side == side).map(secondary_column);
    let mut columns = key_columns(section);
    columns.extend(secondary(Side::Before));
    columns.extend([Column::new(unit, Align::Right, Column::ALWAYS), Column::new("±", Align::Right, 150)]);
    columns.extend(secondary(Side::Behind));
    columns.extend([
        Column::new("share", Align::Left, 140).of(ColumnKind::Share),
        Column::new("samples", Align::Left, 100).of(ColumnKind::Samples),
        Column::new("check", Align::Left, 120).of(ColumnKind::Check),
        Column::new("trust", Align::Left, 180).of(ColumnKind::Trust),
    ]);
    let measured: Vec<_> = section.rows.iter().filter(|r| r.value.is_some() || r.absence().is_none()).collect();
    let shared = SharedReason::of(measured.iter().map(|reading| &*reading.reasons));
    let mut table =
        Table::new("", columns, parts::each(&measured, ITEMS_A_THREAD, |reading| row(section, reading, shared)));
    table.absent = absences(section).into_iter().map(|absence| absent(section, absence)).collect();
    table
}

fn secondary_column(metric: &MetricColumn) -> Column {
    Column::new(metric.title().replace(' ', "\n"), Align::Right, if metric.is_minor() { 90 } else { 190 })
}

fn row(section: &Section<'_>, reading: &Reading<'_>, shared: SharedReason) -> Row {
    let secondary =
        |side| section.secondary.iter().filter(move |b| b.side == side).map(|b| Field::from(b.text(reading)));
    let mut fields = key_fields(section, reading);
    fields.extend(secondary(Side::Before));
    fields.extend([Field::new(section.value(reading), Tone::Strong), interval(reading).into()]);
    fields.extend(secondary(Side::Behind));
    let check = reading.check().map_or(Field::default(), |(mark, word)| {
        Field::new(word, if word == "right" { Tone::Good } else { Tone::Doubt }).with(Value::Check(mark))
    });
    fields.extend([share(reading), samples(reading).into(), check, trust(reading, shared)]);
    fields.shrink_to_fit();
    Row { fields, absent: None, cell: Some(reading.record.cell.id) }
}

fn absent(section: &Section<'_>, absence: Absence<'_, '_>) -> Row {
    let mut fields = key_fields(section, absence.first);
    let axis = section.ladder.filter(|_| !absence.steps.is_empty());
    if section.ladder.is_some() {
        fields[0] = absence.steps.clone().into();
    }
    let axis = axis.map_or(String::new(), |l| format!(", {}={}", section.axis_name(l), absence.steps));
    let label = label(section, absence.first) + &axis;
    Row { fields, absent: Some(Absent { status: absence.status, why: absence.why, label }), cell: None }
}

fn share(reading: &Reading<'_>) -> Field {
    let Some(found) = &reading.share else { return Field::default() };
    let of = share_word(found);
    Field::from(format!("{} of {of}", number::percent(found.value))).with(Value::Share { share: found.value, of })
}

fn trust(reading: &Reading<'_>, shared: SharedReason) -> Field {
    let caveats = at_most(&codes(&reading.reasons, shared), CAVEATS);
    let word = reading.grade.word();
    let text = if caveats.is_empty() { word.to_owned() } else { format!("{word}: {caveats}") };
    Field::new(text, Tone::of(reading.grade)).with(Value::Trust(reading.grade, caveats))
}

/// Half the interval relative to the value; empty where there is no interval.
fn interval(reading: &Reading<'_>) -> String {
    reading.value.and_then(|v| v.relative()).map_or(String::new(), number::half_width)
}

/// `16`, or `14/16` where two of sixteen were disturbed.
fn samples(reading: &Reading<'_>) -> String {
    match reading.value {
        Some(v) if v.disturbed > 0 => format!("{}/{}", v.used, v.taken),
        Some(v) => v.taken.to_string(),
        None => String::new(),
    }
}
