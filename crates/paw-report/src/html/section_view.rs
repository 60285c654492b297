//! A benchmark as the page's templates read it: plots, a ladder, and a row for each cell with its samples.

use paw_data::machine::Identity;
use serde::Serialize;

use crate::absence::absences;
use crate::align::Blanks;
use crate::assessment::best_reading;
use crate::family::is_of_ranks;
use crate::html::budget::Budget;
use crate::html::comparison_view::{PairedSection, alternatives_view};
use crate::html::page::class;
use crate::html::row_view::{Key, RowView, keys, row};
use crate::latency::data_caches;
use crate::number;
use crate::plot::RowLinks;
use crate::plot::curve::{curves, looks};
use crate::plot::lines::{Boundary, DIRECT_LABELS};
use crate::reading::{Reading, share_word};
use crate::secondary::{SecondaryMetric, Side};
use crate::section::{Section, Variation};
use crate::series::{Series, series};
use crate::step::in_bytes;
use crate::text_section::is_long;

/// A value of a ladder: its text, its class, and the row it leads to.
type LadderEntry = (String, &'static str, String);

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
    before: Vec<String>,
    behind: Vec<String>,
    share: &'static str,
    rows: Vec<RowView>,
    absences: Vec<(String, String, &'static str)>,
    long: Option<String>,
    against: Option<(String, PairedSection)>,
}

/// A plot.
#[derive(Debug, Serialize)]
pub struct PlotView {
    /// The drawing.
    pub svg: String,
    /// What stands over it; empty where the page says it.
    pub title: String,
    /// What stands under it.
    pub caption: String,
    /// Hue, dash and name of each curve, where they do not stand beside them.
    pub legend: Vec<(usize, usize, String)>,
}

#[derive(Debug, Serialize)]
struct LadderView {
    axis: String,
    columns: Vec<Vec<String>>,
    rows: Vec<(String, Vec<LadderEntry>)>,
}

/// The view of `section`; the cells that get a row join `links`.
pub fn section_view(
    section: &Section<'_>,
    identity: &Identity,
    anchor: &str,
    links: &mut RowLinks,
    budget: &mut Budget,
) -> SectionView {
    let all = series(section);
    let long = is_long(section, &all);
    let measured = section.rows.iter().filter(|r| r.absence().is_none());
    let mut rows = Vec::new();
    for reading in measured.filter(|_| budget.row()) {
        links.present.insert(reading.record.cell.id);
        rows.push(reading);
    }
    let rows: Vec<RowView> = rows.into_iter().map(|r| row(section, r, &links.prefix, budget)).collect();
    let absent = absences(section).into_iter().map(|a| {
        let axis =
            section.ladder.filter(|_| !a.steps.is_empty()).map(|l| format!("{}={}", section.axis_name(l), a.steps));
        let place = std::iter::once(crate::series::label(section, a.first)).chain(axis).collect::<Vec<_>>().join(", ");
        (place, a.why, if a.status == paw_data::outcome::Status::Skipped { "absent" } else { "poor" })
    });
    SectionView {
        anchor: anchor.to_owned(),
        title: section.title(),
        suite: section.suite.to_owned(),
        note: section.note(),
        unit: section.unit().to_owned(),
        // Those of ranks are drawn with their family.
        plots: if is_of_ranks(section) { Vec::new() } else { plots(section, &all, identity, links) },
        bests: bests(section, &all),
        ladder: if long { ladder(section, &all, links) } else { None },
        keys: keys(section),
        before: titles(section, Side::Before),
        behind: titles(section, Side::Behind),
        share: if section.rows.iter().any(|r| r.share.is_some()) { "share" } else { "" },
        long: long
            .then(|| format!("{}: interval, share, trust, samples in time order", number::plural(rows.len(), "cell"))),
        rows,
        absences: absent.collect(),
        against: alternatives_view(section, budget),
    }
}

/// Titles of the further figures on one side of the headline.
fn titles(section: &Section<'_>, side: Side) -> Vec<String> {
    section.secondary.iter().filter(|b| b.side == side).map(SecondaryMetric::title).collect()
}

/// One plot where its curves can be told apart, else one for each number of threads.
fn plots(section: &Section<'_>, all: &[Series<'_, '_>], identity: &Identity, links: &RowLinks) -> Vec<PlotView> {
    let looks = looks(section, all);
    let caches = section.ladder.filter(|l| in_bytes(l)).map(|_| data_caches(identity)).unwrap_or_default();
    let boundaries: Vec<Boundary> =
        caches.iter().map(|c| Boundary { name: format!("L{}", c.level), at: c.size_bytes as f64 }).collect();
    let together = all.len() <= DIRECT_LABELS || section.participant_counts == Variation::Same;
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for i in 0..all.len() {
        match parts.iter_mut().find(|p| together || all[p[0]].participants == all[i].participants) {
            Some(part) => part.push(i),
            None => parts.push(vec![i]),
        }
    }
    let plot = |part: &Vec<usize>| {
        let chosen: Vec<&Series<'_, '_>> = part.iter().map(|i| &all[*i]).collect();
        let chosen_looks: Vec<(usize, usize)> = part.iter().map(|i| looks[*i]).collect();
        let svg = curves(section, &chosen, &chosen_looks, &boundaries, links)?;
        let crowded = chosen.len() > DIRECT_LABELS;
        let legend = chosen.iter().zip(&chosen_looks).map(|(s, look)| (look.0, look.1, s.label.clone()));
        let legend = if crowded { legend.collect() } else { Vec::new() };
        Some(PlotView { svg, title: String::new(), caption: caption(section, &boundaries), legend })
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
        let place =
            format!("at {}={}{}", section.ladder_name(), section.at(reading, ladder), share.unwrap_or_default());
        Some((
            format!("best of {}", s.label),
            number::quantity(value.middle, section.quantity, value.half_width()),
            place,
        ))
    };
    all.iter().filter_map(best).take(12).collect()
}

fn caption(section: &Section<'_>, boundaries: &[Boundary]) -> String {
    let caches = if boundaries.is_empty() { "" } else { " Vertical lines are the sizes of the caches." };
    let better = if section.quantity.more_is_better() { "higher is better" } else { "lower is better" };
    format!("{} ({better}). Bands are 95 % intervals; hollow points are to be doubted.{caches}", section.title())
}

fn ladder(section: &Section<'_>, all: &[Series<'_, '_>], links: &RowLinks) -> Option<LadderView> {
    let axis = section.ladder?;
    let mut steps: Vec<String> = section.rows.iter().map(|r| section.at(r, axis)).collect();
    steps.dedup();
    // A page is no place for longer ladders than a reader can walk.
    steps.truncate(200);
    let measured: Vec<&Series<'_, '_>> = all.iter().filter(|s| s.rows.iter().any(|r| r.value.is_some())).collect();
    let known: Vec<_> = measured.iter().map(|s| s.by_step(section, axis)).collect();
    let cell = |reading: Option<&&Reading<'_>>| {
        reading.map_or((String::new(), "absent", String::new()), |r| match r.value {
            Some(_) => (section.aligned(r, Blanks::Page), class(r.grade), links.link(r.record.cell.id)),
            None => ("–".to_owned(), class(r.grade), String::new()),
        })
    };
    let rows = steps.iter().map(|step| (step.clone(), known.iter().map(|s| cell(s.get(step))).collect())).collect();
    Some(LadderView {
        axis: section.axis_name(axis).to_owned(),
        columns: measured.iter().map(|s| s.label.split(", ").map(str::to_owned).collect()).collect(),
        rows,
    })
}
