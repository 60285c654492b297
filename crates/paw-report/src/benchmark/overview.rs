//! The overview of a long table: a ladder with a column for each alternative, and the best of each.

use std::collections::HashMap;

use paw_data::trust::Trust;

use crate::benchmark::absence::absences;
use crate::finding::best_reading;
use crate::grade::Grade;
use crate::latency::AS_TOLD;
use crate::model::{Align, Best, Column, Field, Overview, Row, Table, Tone, Value};
use crate::number;
use crate::reading::{Reading, share_word};
use crate::section::Section;
use crate::series::{Series, label};

/// Rows from which a section becomes a ladder with a column for each alternative.
const SCREEN: usize = 24;
/// The same limit for sections with secondary metrics.
const PAGE: usize = 60;

/// Whether the section reads better as a ladder with a column for each alternative.
pub fn is_long(section: &Section<'_>, all: &[Series<'_, '_>]) -> bool {
    let steps = all.iter().map(|s| s.rows.len()).max().unwrap_or(0);
    // A ladder shows one figure for each cell.
    let most = if section.secondary.is_empty() { SCREEN } else { PAGE };
    section.ladder.is_some() && all.len() > 1 && steps > 3 && section.rows.len() > most
}

/// The ladder down, a column for each of `all`.
pub fn overview(section: &Section<'_>, all: &[Series<'_, '_>]) -> Overview {
    let Some(axis) = section.ladder else { return Overview::default() };
    let is_measured = |s: &&Series<'_, '_>| s.rows.iter().any(|r| r.absence().is_none());
    let measured: Vec<&Series<'_, '_>> = all.iter().filter(is_measured).collect();
    let mut steps: Vec<String> = section.rows.iter().map(|r| section.at(r, axis)).collect();
    steps.dedup();
    let known: Vec<HashMap<String, &Reading<'_>>> = measured.iter().map(|s| s.by_step(section, axis)).collect();
    let mut columns = vec![Column::new(section.axis_name(axis), Align::Right, Column::ALWAYS)];
    let column = |s: &&Series<'_, '_>| {
        Column::new(s.label.replace(", ", "\n"), Align::Right, Column::ALWAYS).titled(s.label.clone())
    };
    columns.extend(measured.iter().map(column));
    let row = |step: &String| {
        let graded = known.iter().map(|s| s.get(step).map_or(Field::default(), |r| graded(section, r)));
        Row { fields: std::iter::once(step.as_str().into()).chain(graded).collect(), ..Row::default() }
    };
    let absent = absences(section).into_iter().map(|absence| {
        format!("{}, {}={}  {}", label(section, absence.first), section.axis_name(axis), absence.steps, absence.why)
    });
    Overview {
        table: Table::new("", columns, steps.iter().map(row).collect()).of_one_scale(),
        keys: 1,
        absent: absent.collect(),
        bests: measured.iter().filter_map(|s| best(section, s)).collect(),
        excerpt: None,
    }
}

/// The headline of `reading` with its grade, as a field of a ladder.
pub fn graded(section: &Section<'_>, reading: &Reading<'_>) -> Field {
    let (text, tone) = match reading.grade {
        Grade::Number(Trust::Good) => (section.value(reading), Tone::Plain),
        Grade::Number(_) => (section.value(reading), Tone::of(reading.grade)),
        Grade::Broken => ("✗".to_owned(), Tone::Bad),
        Grade::Absent => (number::ABSENT.to_owned(), Tone::Faint),
    };
    Field::new(text, tone).with(Value::Graded(reading.grade, reading.record.cell.id))
}

/// The best of each of `all`, with its place and share.
pub fn bests(section: &Section<'_>, all: &[Series<'_, '_>]) -> Vec<Best> {
    all.iter().filter_map(|series| best(section, series)).collect()
}

fn best(section: &Section<'_>, series: &Series<'_, '_>) -> Option<Best> {
    let reading = best_reading(series.rows.iter().copied())?;
    let (axis, value) = (section.ladder?, reading.value?);
    let share = reading
        .share
        .as_ref()
        .map_or(String::new(), |s| format!(", {} of {}", number::percent(s.value), share_word(s)));
    let count = |trust: Trust, mark| {
        let n = series.rows.iter().filter(|r| r.grade == Grade::Number(trust)).count();
        if n > 0 { format!("; {n} {} ({mark})", trust.word()) } else { String::new() }
    };
    Some(Best {
        label: format!("best {}", series.label),
        value: number::quantity(value.middle, section.quantity, value.half_width()),
        half: value.relative().map_or(String::new(), |r| format!(" ±{}", number::half_width(r))),
        place: format!("at {}={}{share}", section.ladder_name(), section.at(reading, axis)),
        doubt: count(Trust::Fair, "?") + &count(Trust::Poor, "!"),
    })
}

/// Latency by level of the memory hierarchy.
pub fn levels(section: &Section<'_>) -> Vec<Best> {
    let level = |level: &crate::latency::Level| Best {
        label: level.name.clone(),
        value: number::quantity(level.seconds, section.quantity, None),
        half: String::new(),
        place: format!("working set {}", number::size(level.bytes))
            + &if level.is_told { format!(", {AS_TOLD}") } else { String::new() },
        doubt: String::new(),
    };
    section.levels.iter().map(level).collect()
}
