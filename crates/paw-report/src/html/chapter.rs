//! A chapter as the page's templates read it.

use paw_data::parts;
use serde::Serialize;

use crate::html::detail::Details;
use crate::html::table::{TableView, ladder_view, table_view};
use crate::model::{Best, Chapter, Fact, Listing, Multiple, Part, Picture, Sentence};
use crate::plot::RowLinks;

#[derive(Debug, Serialize)]
pub struct ChapterView {
    /// The identifier that links point to.
    pub anchor: String,
    subject: String,
    pub title: String,
    note: String,
    unit: String,
    facts: Vec<Fact>,
    parts: Vec<PartView>,
}

/// A family of benchmarks: drawn together.
#[derive(Debug, Serialize)]
pub struct FamilyView {
    /// The identifier that links point to.
    pub anchor: String,
    /// The family's name.
    pub title: &'static str,
    /// Sentences that define their numbers.
    pub lead: &'static str,
    pub multiples: Vec<Multiple>,
    /// Title and anchor of each benchmark.
    pub benchmarks: Vec<(String, String)>,
}

/// A part of a chapter; fields it lacks are empty.
#[derive(Debug, Default, Serialize)]
struct PartView {
    kind: &'static str,
    title: String,
    plots: Vec<Picture>,
    ladder: Option<TableView>,
    table: Option<TableView>,
    bests: Vec<Best>,
    fold: String,
    absent: Vec<String>,
    sentences: Vec<Sentence>,
    builds: Vec<(String, Vec<Fact>)>,
    listings: Vec<Listing>,
}

/// The views of `chapters` with these anchors. All their cells join the links before anything is drawn.
pub fn chapter_views(
    chapters: &[Chapter<'_>],
    anchor: impl Fn(usize) -> String,
    details: &mut Details<'_>,
) -> Vec<ChapterView> {
    let tables = |chapter: &Chapter<'_>| chapter.parts.iter().map(|part| table(part, details)).collect();
    let tables: Vec<Vec<Option<TableView>>> = chapters.iter().map(tables).collect();
    let links = &details.links;
    let plots = parts::each(chapters, 1, |chapter| -> Vec<Vec<Picture>> {
        chapter.parts.iter().map(|part| pictures(part, links)).collect()
    });
    let view = |(at, ((chapter, tables), plots)): (usize, ((&Chapter<'_>, Vec<_>), Vec<_>))| {
        let parts = chapter.parts.iter().zip(tables).zip(plots);
        let mut parts: Vec<PartView> =
            parts.map(|((part, table), plots)| part_view(part, table, plots, details)).collect();
        pair(&mut parts);
        ChapterView {
            anchor: anchor(at),
            subject: chapter.subject.clone(),
            title: chapter.title.clone(),
            note: chapter.note.clone(),
            unit: chapter.unit.clone(),
            facts: chapter.facts.clone(),
            parts,
        }
    };
    chapters.iter().zip(tables).zip(plots).enumerate().map(view).collect()
}

/// The plots of a part.
fn pictures(part: &Part<'_>, links: &RowLinks) -> Vec<Picture> {
    match part {
        Part::Plots(plots, _) | Part::Table(_, Some(plots)) => plots.draw(links),
        _ => Vec::new(),
    }
}

/// The table of a part.
fn table(part: &Part<'_>, details: &mut Details<'_>) -> Option<TableView> {
    match part {
        // The part itself shows the title, above its plots.
        Part::Table(table, Some(_)) => Some(table_view(table, "", details)),
        Part::Table(table, None) | Part::Pairs(table) | Part::Compared(table) => {
            Some(table_view(table, &table.title, details))
        }
        Part::Long(long) => {
            let title = if long.is_long { "" } else { long.full.title.as_str() };
            Some(table_view(&long.full, title, details))
        }
        _ => None,
    }
}

fn part_view(part: &Part<'_>, table: Option<TableView>, plots: Vec<Picture>, details: &Details<'_>) -> PartView {
    let sentences = |texts: &[String]| texts.iter().cloned().map(Sentence::from).collect();
    let view = PartView { table, ..PartView::default() };
    match part {
        Part::Plots(_, bests) => PartView { kind: "plots", plots, bests: bests.clone(), ..view },
        Part::Bars(_) => view,
        Part::Table(table, drawn) => {
            let title = if drawn.is_some() { crate::number::capitalised(&table.title) } else { String::new() };
            PartView { kind: "table", title, plots, ..view }
        }
        Part::Long(long) if long.is_long => PartView {
            kind: "long",
            fold: long.fold.clone(),
            ladder: (!long.is_drawn).then(|| ladder_view(&long.overview.table, details)),
            // The list below the table has the reasons already.
            absent: if long.full.absent.is_empty() { long.overview.absent.clone() } else { Vec::new() },
            ..view
        },
        Part::Long(_) => PartView { kind: "long", ..view },
        Part::Pairs(_) => PartView { kind: "table", ..view },
        Part::Compared(_) => PartView { kind: "compared", ..view },
        Part::Remarks(own) => PartView { kind: "remarks", sentences: own.clone(), ..view },
        Part::Notes(notes) => PartView { kind: "notes", sentences: sentences(notes), ..view },
        Part::Builds(builds) => PartView { kind: "builds", builds: builds.clone(), ..view },
        Part::Listings(listings) => PartView { kind: "listings", listings: listings.clone(), ..view },
        Part::Protocol(own) => PartView { kind: "protocol", sentences: sentences(own), ..view },
    }
}

/// Puts the ladder beside the plots of the same numbers, or else the best of each series.
fn pair(parts: &mut [PartView]) {
    let Some(at) = parts.iter().position(|part| part.kind == "plots" && !part.bests.is_empty()) else { return };
    let ladder = parts.get_mut(at + 1).and_then(|next| next.ladder.take());
    let is_drawn = !parts[at].plots.is_empty() || ladder.is_some();
    parts[at].kind = if is_drawn { "pair" } else { "" };
    parts[at].ladder = ladder;
}
