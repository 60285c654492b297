//! A table as the page's templates read it.

use serde::Serialize;

use crate::align::Blanks;
use crate::html::detail::{DetailView, Details};
use crate::model::{Align, Column, ColumnKind, Field, Row, Table, Tone, Value};
use crate::plot::ratio::ratio;

/// Columns up to this importance have no room on paper.
const MINOR: u8 = 130;
/// Columns of less importance than this only refine others: very wide terminals and documents show them.
const FINE: u8 = 60;
/// Longest ladder shown as a list of links.
const STEPS: usize = 200;

/// A table as the templates read it.
#[derive(Debug, Serialize)]
pub struct TableView {
    title: String,
    /// Title and class of each column.
    columns: Vec<(String, String)>,
    rows: Vec<RowView>,
    /// Label of each cell without a number, the reason, and the reason's class.
    absent: Vec<(String, String, &'static str)>,
    note: String,
}

#[derive(Debug, Serialize)]
struct RowView {
    id: String,
    /// Whether it is the first of a group of rows.
    first: bool,
    fields: Vec<FieldView>,
    why: String,
    class: &'static str,
    span: usize,
    detail: Option<DetailView>,
}

#[derive(Debug, Default, Serialize)]
struct FieldView {
    kind: &'static str,
    text: String,
    class: String,
    /// The length of a meter in percent, the mark of a check, or caveats.
    mark: String,
    /// A word on a chip, or what a link leads to.
    target: String,
    svg: String,
}

pub fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Strong => "value",
        Tone::Good => "good",
        Tone::Doubt => "fair",
        Tone::Bad => "poor",
        Tone::Faint => "absent",
    }
}

/// The view of `table` under `title`, whose rows have the `details` of their cells.
pub fn table_view(table: &Table, title: &str, details: &mut Details<'_>) -> TableView {
    let is_shown = |i: &usize| {
        let column = &table.columns[*i];
        let is_used = table.rows.iter().any(|row| row.fields.get(*i).is_some_and(|f| !f.text.is_empty()));
        is_used && column.kind != ColumnKind::Bar && column.importance >= FINE
    };
    let shown: Vec<usize> = (0..table.columns.len()).filter(is_shown).collect();
    let head = table.head(&shown);
    let mut before = "";
    let mut rows = Vec::new();
    for row in table.rows.iter().filter(|row| row.absent.is_some() || shown.iter().any(|i| *i < row.fields.len())) {
        // A blank stands for what is above it.
        let own = shown.first().and_then(|first| row.fields.get(*first)).map_or("", |field| field.text.as_str());
        let own = if own.is_empty() { before } else { own };
        let first = !before.is_empty() && own != before;
        before = own;
        if details.budget.row() {
            rows.push(RowView { first, ..row_view(&head, &row.choosing(&shown), details) });
        }
    }
    // Where each size has one row, a rule between sizes would separate all rows.
    let ruled = rows.iter().filter(|view| view.first).count() * 2 < rows.len();
    rows.iter_mut().for_each(|view| view.first &= ruled);
    let absent = table.absent.iter().filter_map(|row| row.absent.as_ref());
    TableView {
        title: crate::number::capitalised(title),
        columns: head.columns.iter().map(|c| (c.title.clone(), column_class(c, Tone::Plain))).collect(),
        rows,
        absent: absent.map(|a| (a.label.clone(), a.why.clone(), class(Tone::absent(a.status)))).collect(),
        note: table.note.clone(),
    }
}

/// A ladder: numbers that lead to the rows of their cells.
pub fn ladder_view(table: &Table, details: &Details<'_>) -> TableView {
    let field = |(i, field): (usize, &Field)| {
        let text = table.shown(i, field, Blanks::Page);
        let class = format!("number {}", class(field.tone));
        let target = match field.value {
            Value::Graded(_, cell) => details.links.link(cell),
            _ => String::new(),
        };
        FieldView { kind: if i == 0 { "head" } else { "link" }, text, class, target, ..FieldView::default() }
    };
    let row = |row: &Row| RowView {
        id: String::new(),
        first: false,
        fields: row.fields.iter().enumerate().map(field).collect(),
        why: String::new(),
        class: "",
        span: 0,
        detail: None,
    };
    TableView {
        title: crate::number::capitalised(&table.title),
        columns: table.columns.iter().map(|c| (c.title.clone(), "number".to_owned())).collect(),
        rows: table.rows.iter().take(STEPS).map(row).collect(),
        absent: Vec::new(),
        note: table.note.clone(),
    }
}

/// The classes of a field: alignment, whether paper has room for it, and its tone.
fn column_class(column: &Column, tone: Tone) -> String {
    let align = if column.align == Align::Right { "number" } else { "text" };
    let minor = if column.importance <= MINOR { "minor" } else { "" };
    let flags = if column.kind == ColumnKind::Name { "flags" } else { "" };
    [align, minor, flags, class(tone)].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

fn row_view(table: &Table, row: &Row, details: &mut Details<'_>) -> RowView {
    let has_samples = table.columns.iter().any(|column| column.kind == ColumnKind::Samples);
    let (id, small, detail) = details.of(row.cell, has_samples);
    let missing = if row.absent.is_none() { table.columns.len() - row.fields.len() } else { 0 };
    let empty = std::iter::repeat_n(Field::default(), missing);
    let fields = row.fields.iter().cloned().chain(empty).enumerate().map(|(i, field)| {
        let view = field_view(table, i, &field);
        let is_samples = table.columns[i].kind == ColumnKind::Samples;
        if is_samples { FieldView { svg: small.clone().unwrap_or_default(), target: id.clone(), ..view } } else { view }
    });
    RowView {
        first: false,
        fields: fields.collect(),
        class: row.absent.as_ref().map_or("", |absent| class(Tone::absent(absent.status))),
        why: row.absent.as_ref().map_or(String::new(), |absent| absent.why.clone()),
        span: table.columns.len().saturating_sub(row.fields.len()),
        detail,
        id,
    }
}

fn field_view(table: &Table, i: usize, field: &Field) -> FieldView {
    let column = &table.columns[i];
    let view = |kind| FieldView {
        kind,
        text: table.shown(i, field, Blanks::Page),
        class: column_class(column, field.tone),
        ..FieldView::default()
    };
    match &field.value {
        Value::Share { share, .. } => {
            FieldView { mark: format!("{:.1}", (share * 100.0).clamp(0.0, 100.0)), ..view("share") }
        }
        Value::Check(mark) => FieldView { mark: (*mark).to_owned(), ..view("check") },
        Value::Trust(grade, caveats) => FieldView {
            mark: caveats.clone(),
            text: grade.word().to_owned(),
            target: class(field.tone).to_owned(),
            class: "trust".to_owned(),
            ..FieldView { kind: "trust", ..FieldView::default() }
        },
        Value::Ratio(value, interval) => {
            let tone = if field.tone == Tone::Plain { Tone::Faint } else { field.tone };
            FieldView { svg: ratio(*value, *interval, class(tone)), class: "number value".to_owned(), ..view("ratio") }
        }
        _ if column.kind == ColumnKind::Samples => view("samples"),
        _ if column.kind == ColumnKind::Name => view("flags"),
        _ => view(""),
    }
}
