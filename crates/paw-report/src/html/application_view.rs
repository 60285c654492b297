//! An application as the page's templates read it.

use std::collections::HashMap;

use paw_data::run::Run;
use paw_data::scaling::{BaseKind, Kind, Scaling, Sweep};
use serde::Serialize;

use crate::align::Blanks;
use crate::application::sheets::{further, matrix};
use crate::application::threads::threads;
use crate::application::{figure, verdict};
use crate::assessment::Part;
use crate::html::budget::Budget;
use crate::html::page::FindingView;
use crate::html::row_view::sentence;
use crate::html::section_view::PlotView;
use crate::number::{percent, plural};
use crate::plot::Rows;
use crate::plot::lines::DIRECT_LABELS;
use crate::plot::scaling::{Picture, over_sizes, over_threads};
use crate::plot::strip;
use crate::reading::{Reading, readings};
use crate::sheet::{Sheet, absence_tone, spoken};
use crate::table::{Align, Column};

/// More rows than this are folded away under the sizes.
const SCREEN: usize = 24;

/// The application of a run.
#[derive(Debug, Serialize)]
pub struct ApplicationView {
    anchor: String,
    program: String,
    sentences: Vec<String>,
    facts: Vec<(&'static str, String)>,
    /// The figures over the fold.
    pub findings: Vec<FindingView>,
    plots: Vec<PlotView>,
    remarks: Vec<String>,
    absences: Vec<String>,
    leading: Vec<SheetView>,
    long: Option<String>,
    cells: Vec<SheetView>,
    further: Vec<SheetView>,
    notes: Vec<String>,
}

/// Columns up to this importance have no room on paper.
const MINOR: u8 = 130;

/// A table.
#[derive(Debug, Serialize)]
struct SheetView {
    title: String,
    columns: Vec<(String, String)>,
    /// The column before which runs are drawn, from 1; 0 where they are not.
    drawn: usize,
    rows: Vec<SheetRowView>,
}

#[derive(Debug, Default, Serialize)]
struct SheetRowView {
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

/// The view of the application of `run`; the cells that get a row join `links`. `None` where there is no application.
pub fn application_view(run: &Run, anchor: &str, links: &mut Rows, budget: &mut Budget) -> Option<ApplicationView> {
    let scaling = Scaling::of(run)?;
    let all: Vec<&Sweep<'_>> = scaling.sweeps.iter().collect();
    let table = threads(&scaling, &all);
    links.present.extend(table.rows.iter().filter_map(|row| row.cell));
    let known: HashMap<u32, Reading<'_>> = readings(run).into_iter().map(|r| (r.record.cell.id, r)).collect();
    let long = table.rows.len() > SCREEN;
    let cells = cells(&table, &known, &links.prefix, budget);
    let pictures = [over_threads(&scaling, links), over_sizes(&scaling, links)];
    Some(ApplicationView {
        anchor: format!("{anchor}-application"),
        program: scaling.program.to_owned(),
        sentences: verdict::verdict(run, &scaling),
        facts: verdict::subject(&scaling),
        findings: findings(&scaling),
        plots: pictures.into_iter().flatten().map(|picture| view(picture, &scaling)).collect(),
        remarks: verdict::remarks(&scaling),
        absences: if long { verdict::absences(&scaling) } else { Vec::new() },
        leading: long.then(|| plain(&matrix(&scaling))).into_iter().collect(),
        long: long
            .then(|| format!("{}: time, agreement, interval, runs in time order", plural(table.rows.len(), "cell"))),
        cells: if cells.rows.is_empty() { Vec::new() } else { vec![cells] },
        further: further(&scaling).iter().map(plain).collect(),
        notes: verdict::notes(run, &scaling),
    })
}

fn findings(scaling: &Scaling<'_>) -> Vec<FindingView> {
    let Some((sweep, row)) = scaling.headline() else { return Vec::new() };
    let Some(timing) = row.timing else { return Vec::new() };
    let place: Vec<String> =
        [sweep.label(), figure::threads_words(row)].into_iter().filter(|p| !p.is_empty()).collect();
    let tone = figure::agreed(&timing);
    let finding = |label: &str, digits: String, unit: &str, share: String| FindingView {
        label: label.to_owned(),
        parts: vec![(String::new(), digits, unit.to_owned())],
        share,
        place: place.join(", "),
        class: tone.tone.class(),
        doubt: if tone.tone.class() == "good" { "" } else { timing.agreed.word() },
    };
    let Part { number, unit, .. } = Part::of(
        "",
        timing.best_s(),
        paw_data::quantity::Quantity::Time,
        timing.wall_s.spread_k.map(|s| s * timing.best_s() / 2.0),
    );
    if sweep.kind != Kind::Strong {
        return weak(sweep).into_iter().collect();
    }
    let mut found = vec![finding("fastest run", number, &unit, timing.agreed.word().to_owned())];
    let is_other = sweep.base.is_some_and(|(base, _)| !std::ptr::eq(base, row.record));
    if let Some(speedup) = row.speedup.filter(|_| is_other) {
        let over = match scaling.base.kind {
            BaseKind::Program(_) => "over the original program",
            BaseKind::OneThread => "over 1 thread",
        };
        found.push(finding("speed-up", figure::speedup(&speedup), "×", over.to_owned()));
    }
    if let Some((throughput, unit)) = row.throughput().zip(scaling.throughput_unit()) {
        found.push(finding("throughput", figure::plain(throughput, None), &unit, String::new()));
    }
    found
}

/// What is left of each thread where the work grows with them.
fn weak(sweep: &Sweep<'_>) -> Option<FindingView> {
    let row = sweep.rows.iter().rev().find(|row| row.efficiency.is_some())?;
    Some(FindingView {
        label: "weak efficiency".to_owned(),
        parts: vec![(String::new(), percent(row.efficiency?), String::new())],
        share: format!("at {}", figure::threads_words(row)),
        place: sweep.label(),
        class: "",
        doubt: "",
    })
}

fn view(picture: Picture, scaling: &Scaling<'_>) -> PlotView {
    let crowded = picture.lines.len() > DIRECT_LABELS;
    let ideal = if picture.svg.contains(r#"class="ideal""#) { "The dotted line is the ideal. " } else { "" };
    let over = scaling.sweeps.iter().flat_map(|s| &s.rows).any(|r| r.oversubscribed());
    let hollow = if over {
        "Hollow points are to be doubted, or have more threads than processors; no line leads to those."
    } else {
        "Hollow points are to be doubted."
    };
    let bands = if picture.title.contains("time") {
        "Bands reach up to the last run that must agree with the best."
    } else {
        "Bands are 95% intervals."
    };
    PlotView {
        svg: picture.svg,
        title: picture.title.to_owned(),
        caption: format!("{ideal}{bands} {hollow}"),
        legend: if crowded { picture.lines } else { Vec::new() },
    }
}

fn columns(sheet: &Sheet) -> Vec<(String, String)> {
    sheet.columns.iter().map(|c| (spoken(&c.title), class(c, ""))).collect()
}

/// On which side a text of the column stands, whether it has room on paper, and how it looks.
fn class(column: &Column, tone: &str) -> String {
    let align = if column.align == Align::Right { "number" } else { "text" };
    let minor = if column.importance <= MINOR { "minor" } else { "" };
    [align, minor, tone].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

fn rows(sheet: &Sheet) -> impl Iterator<Item = SheetRowView> + '_ {
    let mut before = "";
    sheet.rows.iter().map(move |row| {
        let entry = |(i, e): (usize, &crate::sheet::Entry)| {
            (sheet.shown(i, e, Blanks::Page), class(&sheet.columns[i], e.tone.class()))
        };
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
fn plain(sheet: &Sheet) -> SheetView {
    let rows = rows(sheet).map(|row| SheetRowView { first: false, ..row }).collect();
    SheetView { title: capitalised(&sheet.title), columns: columns(sheet), drawn: 0, rows }
}

/// The table of cells, each with its runs in time order.
fn cells(sheet: &Sheet, known: &HashMap<u32, Reading<'_>>, prefix: &str, budget: &mut Budget) -> SheetView {
    let mut seen = std::collections::HashSet::new();
    let mut views = Vec::new();
    for (row, mut view) in sheet.rows.iter().zip(rows(sheet)) {
        if !budget.row() {
            continue;
        }
        if let Some(reading) = row.cell.filter(|cell| seen.insert(*cell)).and_then(|cell| known.get(&cell)) {
            view.id = format!("{prefix}{}", reading.record.cell.id);
            view.reasons = reading.reasons.iter().map(sentence).collect();
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
    let place = sheet.columns.iter().position(|c| c.title == "runs").map_or(sheet.columns.len(), |i| i + 1);
    let drawn = if is_drawn { place } else { 0 };
    SheetView { title: "Every thread count".to_owned(), columns: columns(sheet), drawn, rows: views }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().to_string() + letters.as_str())
}
