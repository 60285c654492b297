//! Counted events: the metrics and the counts of each group, cell by cell.

use paw_data::counters::{CountedEvent, CounterMetric, Counters, Direction, Scope};
use paw_data::kernel::{SIZE, VARIANT};
use paw_data::point::Point;
use paw_data::run::{Record, Run};

use crate::model::{Align, Chapter, Column, Field, Part, Row, Table, Tone};
use crate::number::significant;

/// Cells beside each other: more do not fit a terminal.
const CELLS_MAX: usize = 4;

/// The chapter of the counters of `run`; `None` without any.
pub fn chapter(run: &Run) -> Option<Chapter<'static>> {
    let mut groups: Vec<(&str, Vec<CountedCell<'_>>)> = Vec::new();
    for record in &run.records {
        for counters in &record.counters {
            let cell = CountedCell { record, counters };
            match groups.iter_mut().find(|(name, _)| *name == counters.group) {
                Some((_, cells)) => cells.push(cell),
                None => groups.push((&counters.group, vec![cell])),
            }
        }
    }
    if groups.is_empty() {
        return None;
    }
    let mut parts = Vec::new();
    for (name, cells) in &groups {
        for cells in cells.chunks(CELLS_MAX) {
            parts.extend(tables(name, cells).into_iter().map(|table| Part::Table(table, None)));
        }
        let notes = notes(cells);
        if !notes.is_empty() {
            parts.push(Part::Notes(notes));
        }
    }
    Some(Chapter { subject: "counters".to_owned(), title: "Counters".to_owned(), parts, ..Chapter::default() })
}

/// The counts of one cell.
#[derive(Clone, Copy)]
struct CountedCell<'r> {
    record: &'r Record,
    counters: &'r Counters,
}

fn tables(group: &str, cells: &[CountedCell<'_>]) -> Vec<Table> {
    let Some(first) = cells.first() else { return Vec::new() };
    let label = first.counters.source.label();
    let label = if label.is_empty() { String::new() } else { format!(", {label}") };
    let title = format!("{group}{label}: {}", first.counters.title);
    let mut tables = vec![metrics(title, cells)];
    let what = match first.counters.scope {
        Scope::Calls => "counts by call",
        Scope::Program => "counts by run",
    };
    tables.push(counts(&format!("{group}{label}, {what}"), cells, Counters::per_call));
    if first.counters.iterations > 0.0 {
        tables.push(counts(&format!("{group}{label}, counts by iteration"), cells, Counters::per_iteration));
    }
    tables.retain(|table| !table.rows.is_empty());
    tables
}

/// A row for each metric, with its direction.
fn metrics(title: String, cells: &[CountedCell<'_>]) -> Table {
    let mut all: Vec<&CounterMetric> = Vec::new();
    for metric in cells.iter().flat_map(|cell| &cell.counters.metrics) {
        if all.iter().all(|known| known.name != metric.name) {
            all.push(metric);
        }
    }
    let columns = columns("metric", cells, Some("better"));
    let rows = all.into_iter().map(|metric| {
        let unit = if metric.unit.is_empty() { String::new() } else { format!(" [{}]", metric.unit) };
        let mut fields: Vec<Field> = vec![format!("{}{unit}", title_of(metric, cells)).into()];
        fields.push(Field::new(direction(metric.better), Tone::Faint));
        for cell in cells {
            let own = cell.counters.metrics.iter().find(|own| own.name == metric.name);
            fields.push(value(own.and_then(|own| cell.counters.value(own).ok())));
        }
        Row { fields, ..Row::default() }
    });
    Table::new(title, columns, rows.collect())
}

/// The title of a metric: a program has no calls, and what a kernel has by call it has by run.
fn title_of(metric: &CounterMetric, cells: &[CountedCell<'_>]) -> String {
    let is_program = cells.iter().all(|cell| cell.counters.scope == Scope::Program);
    if is_program { metric.title.replace("per call", "per run") } else { metric.title.clone() }
}

/// A row for each event.
fn counts(title: &str, cells: &[CountedCell<'_>], of: impl Fn(&Counters, &CountedEvent) -> Option<f64>) -> Table {
    let mut names: Vec<&str> = Vec::new();
    for event in cells.iter().flat_map(|cell| &cell.counters.events) {
        if !names.contains(&event.name.as_str()) {
            names.push(&event.name);
        }
    }
    let row = |name: &&str| {
        let mut fields: Vec<Field> = vec![(*name).into()];
        for cell in cells {
            let event = cell.counters.events.iter().find(|event| event.name == *name);
            fields.push(value(event.and_then(|event| of(cell.counters, event))));
        }
        Row { fields, ..Row::default() }
    };
    Table::new(title, columns("event", cells, None), names.iter().map(row).collect())
}

/// An arrow to the better side; nothing where neither is.
fn direction(better: Direction) -> &'static str {
    match better {
        Direction::Lower => "lower ↓",
        Direction::Higher => "higher ↑",
        Direction::Neither => "–",
    }
}

/// A number, or a mark for none: a count that is missing is not 0.
fn value(value: Option<f64>) -> Field {
    match value {
        Some(value) => number(value).into(),
        None => Field::new("?", Tone::Doubt),
    }
}

/// Five digits; small numbers in powers of ten.
fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if size < 1e-3 => format!("{value:.3e}"),
        size if size >= 1e7 => format!("{value:.4e}"),
        _ => significant(value, 5),
    }
}

fn columns(first: &str, cells: &[CountedCell<'_>], better: Option<&str>) -> Vec<Column> {
    let mut columns = vec![Column::new(first, Align::Left, Column::ALWAYS).shrinking(24)];
    columns.extend(better.map(|title| Column::new(title, Align::Left, 200)));
    let provider = cells.iter().any(|cell| cell.record.cell.provider != cells[0].record.cell.provider);
    let point = cells.iter().any(|cell| place(&cell.record.cell.point) != place(&cells[0].record.cell.point));
    for cell in cells {
        let parts = [
            (provider || !point).then(|| cell.record.cell.provider.to_string()),
            (point || !provider).then(|| place(&cell.record.cell.point)),
        ];
        let title: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
        columns.push(Column::new(title.join("\n"), Align::Right, Column::ALWAYS));
    }
    columns
}

/// The point of a cell in few words: the size alone where there is one.
fn place(point: &Point) -> String {
    match point.value(SIZE) {
        Some(n) => {
            let variant = point.value(VARIANT).map(|variant| format!(" {variant}"));
            format!("n = {n}{}", variant.unwrap_or_default())
        }
        None => point.to_string(),
    }
}

/// Remarks of the cells, each once, and where the counts come from.
fn notes(cells: &[CountedCell<'_>]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    let mut add = |note: String| {
        if !notes.contains(&note) {
            notes.push(note);
        }
    };
    for cell in cells {
        let Counters { source, origin, group, .. } = cell.counters;
        match source.label() {
            "" => {}
            label => add(format!("group {group} is {label}, not counted by this processor: {origin}")),
        }
        cell.counters.remarks().into_iter().for_each(&mut add);
    }
    notes
}
