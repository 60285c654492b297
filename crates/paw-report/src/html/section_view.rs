//! A benchmark as the page's templates read it: plots, a ladder, and a row for each cell with its samples.

use paw_data::machine::Identity;
use serde::Serialize;

use crate::absence::absences;
use crate::assessment::best_reading;
use crate::html::page::class;
use crate::latency::data_caches;
use crate::number;
use crate::plot::curve::{Boundary, DIRECT_LABELS, curves, looks};
use crate::plot::strip;
use crate::reading::{Reading, share_word};
use crate::reason::codes;
use crate::section::{Blanks, Section, Spread, in_bytes};
use crate::series::{Series, series};
use crate::text_section::{interval, is_long, samples};

/// Cells of one page whose samples are drawn: each costs about three kilobytes.
const STRIPS_MAX: usize = 500;
/// Rows of one page: a browser stays quick with so many.
const ROWS_MAX: usize = 3000;

/// How much of a page is still to be given away.
#[derive(Debug, Default)]
pub struct Budget {
    rows: usize,
    strips: usize,
    rows_left_out: usize,
    strips_left_out: usize,
}

impl Budget {
    /// What the page leaves out, in sentences; counted from the last time it was asked.
    pub fn notes(&mut self) -> Vec<String> {
        let (rows, strips) = (std::mem::take(&mut self.rows_left_out), std::mem::take(&mut self.strips_left_out));
        let mut notes = Vec::new();
        if rows > 0 {
            notes.push(format!("{} have no row here, to keep the page quick; curves and figures count them. The run's own file has them all.", number::plural(rows, "more cell")));
        }
        if strips > 0 {
            notes.push(format!(
                "The samples of {} are not drawn here, to keep the page small. The run's own file has them all.",
                number::plural(strips, "cell")
            ));
        }
        notes
    }

    /// Whether there is room for one more row.
    pub fn row(&mut self) -> bool {
        self.rows += 1;
        self.rows_left_out += usize::from(self.rows > ROWS_MAX);
        self.rows <= ROWS_MAX
    }

    fn strip(&mut self) -> bool {
        self.strips += 1;
        self.strips_left_out += usize::from(self.strips > STRIPS_MAX);
        self.strips <= STRIPS_MAX
    }
}

/// A text and the class that aligns it.
pub type Key = (String, &'static str);

/// A value of a ladder: its text, its class, and the row it leads to.
type Rung = (String, &'static str, String);

/// One section of the page.
#[derive(Debug, Serialize)]
pub struct SectionView {
    anchor: String,
    title: String,
    suite: String,
    note: String,
    unit: String,
    plots: Vec<PlotView>,
    bests: Vec<(String, String, String)>,
    ladder: Option<LadderView>,
    keys: Vec<Key>,
    share: &'static str,
    rows: Vec<RowView>,
    absences: Vec<(String, String, &'static str)>,
    cells: String,
    long: Option<String>,
}

#[derive(Debug, Serialize)]
struct PlotView {
    svg: String,
    caption: String,
    legend: Vec<(usize, usize, String)>,
}

#[derive(Debug, Serialize)]
struct LadderView {
    axis: String,
    columns: Vec<Vec<String>>,
    rows: Vec<(String, Vec<Rung>)>,
}

#[derive(Debug, Serialize)]
struct RowView {
    id: String,
    keys: Vec<Key>,
    value: String,
    half: String,
    share: String,
    bar: String,
    samples: String,
    check: Option<(&'static str, &'static str)>,
    word: &'static str,
    class: &'static str,
    codes: String,
    reasons: Vec<String>,
    facts: Vec<String>,
    small: Option<String>,
    large: Option<String>,
}

/// The view of `section`; rows have the identifiers `cells` with the number of their cell.
pub fn section_view(
    section: &Section<'_>,
    identity: &Identity,
    anchor: &str,
    cells: &str,
    budget: &mut Budget,
) -> SectionView {
    let all = series(section);
    let long = is_long(section, &all);
    let measured = section.rows.iter().filter(|r| r.absence().is_none());
    let rows: Vec<RowView> =
        measured.filter_map(|r| if budget.row() { Some(row(section, r, cells, budget)) } else { None }).collect();
    let absent = absences(section).into_iter().map(|a| {
        let axis = section.ladder.filter(|_| !a.rungs.is_empty()).map(|l| format!("{l}={}", a.rungs));
        let place = std::iter::once(crate::series::label(section, a.first)).chain(axis).collect::<Vec<_>>().join(", ");
        (place, a.why, if a.status == paw_data::outcome::Status::Skipped { "absent" } else { "poor" })
    });
    SectionView {
        anchor: anchor.to_owned(),
        title: section.title(),
        suite: section.suite.to_owned(),
        note: section.note(),
        unit: section.unit().to_owned(),
        plots: plots(section, &all, identity, cells),
        bests: bests(section, &all),
        ladder: if long { ladder(section, &all, cells) } else { None },
        keys: keys(section),
        share: if section.rows.iter().any(|r| r.share.is_some()) { "share" } else { "" },
        long: long
            .then(|| format!("{}: interval, share, trust, samples in time order", number::plural(rows.len(), "cell"))),
        rows,
        absences: absent.collect(),
        cells: cells.to_owned(),
    }
}

/// One plot where its curves can be told apart, else one for each number of threads.
fn plots(section: &Section<'_>, all: &[Series<'_, '_>], identity: &Identity, cells: &str) -> Vec<PlotView> {
    let looks = looks(section, all);
    let caches = section.ladder.filter(|l| in_bytes(l)).map(|_| data_caches(identity)).unwrap_or_default();
    let boundaries: Vec<Boundary> =
        caches.iter().map(|c| Boundary { name: format!("L{}", c.level), at: c.size_bytes as f64 }).collect();
    let together = all.len() <= DIRECT_LABELS || section.threads == Spread::Same;
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for i in 0..all.len() {
        match parts.iter_mut().find(|p| together || all[p[0]].threads == all[i].threads) {
            Some(part) => part.push(i),
            None => parts.push(vec![i]),
        }
    }
    let plot = |part: &Vec<usize>| {
        let chosen: Vec<&Series<'_, '_>> = part.iter().map(|i| &all[*i]).collect();
        let chosen_looks: Vec<(usize, usize)> = part.iter().map(|i| looks[*i]).collect();
        let svg = curves(section, &chosen, &chosen_looks, &boundaries, cells)?;
        let crowded = chosen.len() > DIRECT_LABELS;
        let legend = chosen.iter().zip(&chosen_looks).map(|(s, look)| (look.0, look.1, s.label.clone()));
        let legend = if crowded { legend.collect() } else { Vec::new() };
        Some(PlotView { svg, caption: caption(section, &boundaries), legend })
    };
    parts.iter().filter_map(plot).collect()
}

/// What stands beside a plot: latency by level, else the best of each series with its place and share.
fn bests(section: &Section<'_>, all: &[Series<'_, '_>]) -> Vec<(String, String, String)> {
    if !section.levels.is_empty() {
        let level = |l: &crate::latency::Level| {
            let value = number::quantity(l.seconds, section.quantity, None);
            (l.name.clone(), value, format!("working set {}", number::size(l.bytes)))
        };
        return section.levels.iter().map(level).collect();
    }
    let Some(ladder) = section.ladder else { return Vec::new() };
    let best = |s: &Series<'_, '_>| {
        let reading = best_reading(s.rows.iter().copied())?;
        let value = reading.value?;
        let share = reading.share.map(|s| format!(", {} of {}", number::percent(s.value), share_word(&s)));
        let place = format!("at {ladder}={}{}", section.at(reading, ladder), share.unwrap_or_default());
        Some((s.label.clone(), number::quantity(value.middle, section.quantity, value.half_width()), place))
    };
    all.iter().filter_map(best).take(12).collect()
}

fn caption(section: &Section<'_>, boundaries: &[Boundary]) -> String {
    let caches = if boundaries.is_empty() { "" } else { " Vertical lines are the sizes of the caches." };
    let better = if section.quantity.more_is_better() { "higher is better" } else { "lower is better" };
    format!("{} ({better}). Bands are 95 % intervals; hollow points are to be doubted.{caches}", section.title())
}

/// Titles of the columns that say which cell a row is.
pub fn keys(section: &Section<'_>) -> Vec<Key> {
    let columns = crate::text_section::key_columns(section);
    columns.into_iter().map(|c| (c.title.replace("thr", "threads"), align(c.align))).collect()
}

/// What stands in those columns.
pub fn key_views(section: &Section<'_>, reading: &Reading<'_>) -> Vec<Key> {
    let columns = crate::text_section::key_columns(section);
    let pieces = crate::text_section::key_pieces(section, reading).into_iter();
    pieces.zip(columns).map(|(piece, column)| (piece.text, align(column.align))).collect()
}

fn align(align: crate::table::Align) -> &'static str {
    match align {
        crate::table::Align::Left => "text",
        crate::table::Align::Right => "number",
    }
}

fn ladder(section: &Section<'_>, all: &[Series<'_, '_>], cells: &str) -> Option<LadderView> {
    let axis = section.ladder?;
    let mut rungs: Vec<String> = section.rows.iter().map(|r| section.at(r, axis)).collect();
    rungs.dedup();
    // A page is no place for longer ladders than a reader can walk.
    rungs.truncate(200);
    let measured: Vec<&Series<'_, '_>> = all.iter().filter(|s| s.rows.iter().any(|r| r.value.is_some())).collect();
    let cell = |series: &Series<'_, '_>, rung: &str| {
        let reading = series.rows.iter().find(|r| section.at(r, axis) == rung);
        reading.map_or((String::new(), "absent", String::new()), |r| match r.value {
            Some(_) => (section.aligned(r, Blanks::Page), class(r.grade), format!("{cells}{}", r.record.cell.id)),
            None => ("–".to_owned(), class(r.grade), String::new()),
        })
    };
    let rows = rungs.iter().map(|rung| (rung.clone(), measured.iter().map(|s| cell(s, rung)).collect())).collect();
    Some(LadderView {
        axis: axis.to_owned(),
        columns: measured.iter().map(|s| s.label.split(", ").map(str::to_owned).collect()).collect(),
        rows,
    })
}

fn row(section: &Section<'_>, reading: &Reading<'_>, cells: &str, budget: &mut Budget) -> RowView {
    let drawn = budget.strip();
    let share = reading.share;
    RowView {
        id: format!("{cells}{}", reading.record.cell.id),
        keys: key_views(section, reading),
        value: section.aligned(reading, Blanks::Page),
        half: interval(reading),
        share: share.map_or(String::new(), |s| format!("{} of {}", number::percent(s.value), share_word(&s))),
        bar: share.map_or(String::new(), |s| format!("{:.1}", (s.value * 100.0).clamp(0.0, 100.0))),
        samples: samples(reading),
        check: reading.check(),
        word: reading.grade.word(),
        class: class(reading.grade),
        codes: codes(&reading.reasons).join(", "),
        reasons: reading.reasons.iter().map(sentence).collect(),
        facts: facts(reading),
        small: if drawn { strip::small(reading) } else { None },
        large: if drawn { strip::large(reading) } else { None },
    }
}

/// The reason as a sentence.
fn sentence(reason: &paw_data::trust::Reason) -> String {
    let text = reason.to_string();
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str().trim_end_matches('.'))
}

/// What else is known of the cell: loops, ending, check, library.
fn facts(reading: &Reading<'_>) -> Vec<String> {
    let record = reading.record;
    let mut facts = Vec::new();
    if let (Some(first), Some(most)) = (record.samples.loops.first(), record.samples.loops.iter().max()) {
        let loops = if first == most {
            number::count(*most as usize)
        } else {
            format!("up to {}", number::count(*most as usize))
        };
        facts.push(format!("{loops} iterations a sample"));
    }
    if let Some(check) = record.outcome.as_ref().and_then(|o| o.check.as_ref()) {
        facts.push(format!("answer checked by {}: error {:.2} of {} allowed", check.method, check.error, check.bound));
    }
    if let Some(library) = &record.cell.library {
        let parts = [&library.path, &library.version, &library.core];
        facts.push(parts.into_iter().filter(|p| !p.is_empty()).cloned().collect::<Vec<_>>().join(" · "));
    }
    facts
}
