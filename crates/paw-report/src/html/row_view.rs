//! One cell as a row of the page: its numbers, its samples, and what speaks against it.

use paw_data::cell::Combine;
use serde::Serialize;

use crate::align::Blanks;
use crate::html::budget::Budget;
use crate::html::page::class;
use crate::number;
use crate::participants::spelled;
use crate::plot::strip;
use crate::reading::{Reading, share_word};
use crate::reason::codes;
use crate::secondary::Side;
use crate::section::Section;
use crate::table::Align;
use crate::text_section::{interval, key_columns, key_pieces, samples};

/// A text and the class that aligns it.
pub type Key = (String, &'static str);

/// One row.
#[derive(Debug, Serialize)]
pub struct RowView {
    id: String,
    keys: Vec<Key>,
    before: Vec<String>,
    value: String,
    half: String,
    behind: Vec<String>,
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

/// The row of `reading`, with `prefix` and the cell's number as identifier.
pub fn row(section: &Section<'_>, reading: &Reading<'_>, prefix: &str, budget: &mut Budget) -> RowView {
    let drawn = budget.strip();
    let share = reading.share;
    RowView {
        id: format!("{prefix}{}", reading.record.cell.id),
        keys: key_views(section, reading),
        before: secondary_metrics(section, reading, Side::Before),
        value: section.aligned(reading, Blanks::Page),
        half: interval(reading),
        behind: secondary_metrics(section, reading, Side::Behind),
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

fn secondary_metrics(section: &Section<'_>, reading: &Reading<'_>, side: Side) -> Vec<String> {
    section.secondary.iter().filter(|b| b.side == side).map(|b| b.aligned(reading, Blanks::Page)).collect()
}

/// The reason as a sentence.
pub fn sentence(reason: &paw_data::trust::Reason) -> String {
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
    if record.cell.combine != Combine::Single {
        facts.push(record.cell.combine.words().to_owned());
    }
    if let Some(library) = &record.cell.library {
        let parts = [&library.path, &library.version, &library.core];
        facts.push(parts.into_iter().filter(|p| !p.is_empty()).cloned().collect::<Vec<_>>().join(" · "));
    }
    facts
}

/// Titles of the columns that say which cell a row is.
pub fn keys(section: &Section<'_>) -> Vec<Key> {
    let columns = key_columns(section);
    columns.into_iter().map(|c| (spelled(&c.title), align(c.align))).collect()
}

/// What stands in those columns.
pub fn key_views(section: &Section<'_>, reading: &Reading<'_>) -> Vec<Key> {
    let columns = key_columns(section);
    let pieces = key_pieces(section, reading).into_iter();
    pieces.zip(columns).map(|(piece, column)| (piece.text, align(column.align))).collect()
}

fn align(align: Align) -> &'static str {
    match align {
        Align::Left => "text",
        Align::Right => "number",
    }
}
