//! Two runs against each other as the page's templates read it.

use paw_data::run::Run;
use paw_stats::verdict::Verdict;
use serde::Serialize;

use crate::align::Blanks;
use crate::alternatives::{Alternatives, alternatives};
use crate::compare::{missing, ratio};
use crate::html::budget::Budget;
use crate::html::row_view::{Key, key_views, keys};
use crate::number::plural;
use crate::pairs::{Pair, pairs};
use crate::plot;
use crate::section::Section;

/// Two runs against each other.
#[derive(Debug, Serialize)]
pub struct ComparisonView {
    anchor: String,
    a: String,
    b: String,
    identity: Vec<String>,
    circumstances: Vec<String>,
    counts: Vec<(&'static str, usize)>,
    notes: Vec<String>,
    sections: Vec<PairedSection>,
}

/// Pairs of cells of one section.
#[derive(Debug, Serialize)]
pub struct PairedSection {
    title: String,
    note: String,
    unit: String,
    keys: Vec<Key>,
    rows: Vec<PairView>,
}

#[derive(Debug, Serialize)]
struct PairView {
    keys: Vec<Key>,
    a: String,
    b: String,
    ratio: String,
    interval: String,
    drawing: String,
    word: &'static str,
    class: &'static str,
}

/// Run `b` against run `a`.
pub fn comparison_view(a: &Run, b: &Run, place: usize, budget: &mut Budget) -> ComparisonView {
    let pairs = pairs(a, b);
    let mut notes = Vec::new();
    if let Some(hint) = pairs.hint() {
        notes.push(format!("{hint}: what changed between the runs cannot be told from what changed in them."));
    }
    for (n, run) in [(pairs.only_a, "A"), (pairs.only_b, "B")] {
        if n > 0 {
            notes.push(format!("{} only in {run}.", plural(n, "cell")));
        }
    }
    let sections = pairs.sections.iter().map(|(section, rows)| paired(section, rows, budget)).collect();
    notes.extend(budget.notes());
    ComparisonView {
        anchor: format!("against{place}"),
        a: a.header.id.clone(),
        b: b.header.id.clone(),
        counts: pairs.counts(),
        identity: pairs.identity,
        circumstances: pairs.circumstances,
        notes,
        sections,
    }
}

/// The providers of `section` against the first of them; `None` where there is one provider.
pub fn alternatives_view(section: &Section<'_>, budget: &mut Budget) -> Option<(String, PairedSection)> {
    let Alternatives { base, pairs } = alternatives(section)?;
    Some((base.to_owned(), paired(section, &pairs, budget)))
}

fn paired(section: &Section<'_>, rows: &[Pair<'_>], budget: &mut Budget) -> PairedSection {
    let shown = rows.iter().filter(|p| p.a.value.is_some() || p.b.value.is_some());
    PairedSection {
        title: section.title(),
        note: section.note(),
        unit: section.unit().to_owned(),
        keys: keys(section),
        rows: shown.filter(|_| budget.row()).map(|p| pair_view(section, p)).collect(),
    }
}

fn pair_view(section: &Section<'_>, pair: &Pair<'_>) -> PairView {
    let [a, b] = [&pair.a, &pair.b].map(|r| section.aligned(r, Blanks::Page));
    let (ratio, interval) = ratio(pair);
    let (word, class) = match pair.comparison.map(|c| c.verdict) {
        None => (missing(pair), "absent"),
        Some(Verdict::Faster) => (Verdict::Faster.word(), "good"),
        Some(Verdict::Slower) => (Verdict::Slower.word(), "poor"),
        Some(Verdict::Same) => (Verdict::Same.word(), "absent"),
        Some(Verdict::Inconclusive) => (Verdict::Inconclusive.word(), "fair"),
    };
    let drawing = pair.comparison.map(|c| plot::ratio::ratio(c.ratio, c.interval.map(|i| (i.low, i.high)), class));
    let drawing = drawing.unwrap_or_default();
    PairView { keys: key_views(section, &pair.b), a, b, ratio, interval, drawing, word, class }
}
