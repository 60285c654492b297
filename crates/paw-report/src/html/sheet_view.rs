//! Tables of applications and kernels as the page's templates read them.

use std::collections::HashMap;

use serde::Serialize;

use crate::align::Blanks;
use crate::html::budget::Budget;
use crate::html::row_view::sentence;
use crate::plot::strip;
use crate::reading::Reading;
use crate::sheet::{Entry, Sheet, absence_tone, spoken};
use crate::table::{Align, Column};

/// Columns up to this importance have no room on paper.
const MINOR: u8 = 130;

/// A table as the templates read it.
#[derive(Debug, Serialize)]
pub struct SheetView {
    /// What stands over it.
    title: String,
    columns: Vec<(String, String)>,
    /// The column before which runs are drawn, from 1; 0 where they are not.
    drawn: usize,
    /// The rows.
    pub rows: Vec<SheetRowView>,
}

/// One row of it.
#[derive(Debug, Default, Serialize)]
pub struct SheetRowView {
    id: String,
    first: bool,
    entries: Vec<(String, String)>,
    why: String,
    class: &'static str,
    span: usize,
    small: Option<String>,
    large: Option<String>,
    reasons: Vec<String>,
}

fn columns(sheet: &Sheet) -> Vec<(String, String)> {
    sheet.columns.iter().map(|c| (spoken(&c.title), class(c, ""))).collect()
}

/// On which side a text of the column stands, whether it has room on paper, and how it looks.
fn class(column: &Column, tone: &str) -> String {
    let align = if column.align == Align::Right { "number" } else { "text" };
    let minor = if column.importance <= MINOR { "minor" } else { "" };
    let flags = if column.title == "build" { "flags" } else { "" };
    [align, minor, flags, tone].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

fn rows(sheet: &Sheet) -> impl Iterator<Item = SheetRowView> + '_ {
    let mut before = "";
    sheet.rows.iter().map(move |row| {
        let entry =
            |(i, e): (usize, &Entry)| (sheet.shown(i, e, Blanks::Page), class(&sheet.columns[i], e.tone.class()));
        let size = row.entries.first().map_or("", |e| e.text.as_str());
        let first = !before.is_empty() && size != before;
        before = size;
        let why = row.why.clone();
        let missing = if why.is_none() { sheet.columns.len().saturating_sub(row.entries.len()) } else { 0 };
        let missing = &sheet.columns[sheet.columns.len() - missing..];
        let missing = missing.iter().map(|column| (String::new(), class(column, "")));
        SheetRowView {
            first,
            entries: row.entries.iter().enumerate().map(entry).chain(missing).collect(),
            class: why.as_ref().map_or("", |(status, _)| absence_tone(*status).class()),
            why: why.map_or(String::new(), |(_, why)| why),
            span: sheet.columns.len().saturating_sub(row.entries.len()) + 1,
            ..SheetRowView::default()
        }
    })
}

/// A table without samples.
pub fn plain(sheet: &Sheet) -> SheetView {
    let rows = rows(sheet).map(|row| SheetRowView { first: false, ..row }).collect();
    SheetView { title: capitalised(&sheet.title), columns: columns(sheet), drawn: 0, rows }
}

/// The table of cells, each with its runs in time order.
pub fn cells(sheet: &Sheet, known: &HashMap<u32, Reading<'_>>, prefix: &str, budget: &mut Budget) -> SheetView {
    let mut seen = std::collections::HashSet::new();
    let mut views = Vec::new();
    for (row, mut view) in sheet.rows.iter().zip(rows(sheet)) {
        if !budget.row() {
            continue;
        }
        if let Some(reading) = row.cell.filter(|cell| seen.insert(*cell)).and_then(|cell| known.get(&cell)) {
            view.id = format!("{prefix}{}", reading.record.cell.id);
            view.reasons = reading.reasons.iter().map(sentence).collect();
            // A wrong answer has samples and no value.
            let wrong = reading.value.is_none() && !reading.record.samples.is_empty();
            view.reasons.extend(reading.absence().filter(|_| wrong));
            if budget.strip() {
                (view.small, view.large) = (strip::small(reading), strip::large(reading));
            }
        }
        views.push(view);
    }
    // Where a size has one row, a rule between sizes would stand between all.
    let ruled = views.iter().filter(|v| v.first).count() * 2 < views.len();
    views.iter_mut().for_each(|view| view.first &= ruled);
    let is_drawn = views.iter().any(|view| view.small.is_some());
    let place = sheet
        .columns
        .iter()
        .position(|c| ["runs", "samples"].contains(&c.title.as_str()))
        .map_or(sheet.columns.len(), |i| i + 1);
    let drawn = if is_drawn { place } else { 0 };
    SheetView { title: capitalised(&sheet.title), columns: columns(sheet), drawn, rows: views }
}

/// `text` with a capital letter in front.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().to_string() + letters.as_str())
}
