//! A chapter on a terminal.

use crate::colour::{BAD, Colour, FAINT, STRONG};
use crate::model::{Best, Chapter, LongTable, Part, Sentence, Table};
use crate::text::bars::bars_text;
use crate::text::compared::compared_text;
use crate::text::listing::listings_text;
use crate::text::table::{split, table_text};
use crate::wrap::{hang, printable, shorten, width as columns_of, wrap};

/// The chapter after an empty line.
pub fn chapter_text(chapter: &Chapter<'_>, width: usize, colour: Colour) -> String {
    let mut out = String::from("\n");
    if chapter.facts.is_empty() {
        out.push_str(&heading(chapter, width, colour));
    }
    // The margin fits the widest name and a gap.
    let margin = chapter.facts.iter().map(|fact| columns_of(&fact.name) + 2).max().unwrap_or(0);
    for fact in &chapter.facts {
        out.push_str(&colour.faint(&hang(&fact.name, &fact.text, margin, width)));
    }
    for part in &chapter.parts {
        // No empty line separates a heading from its table.
        let is_apart = !chapter.facts.is_empty();
        out.push_str(&match part {
            Part::Plots(..) | Part::Builds(_) | Part::Protocol(_) => String::new(),
            Part::Compared(table) => {
                let title = format!("\n{}", lines(&table.title, width, STRONG, colour));
                title + &compared_text(table, width, colour)
            }
            Part::Listings(listings) => listings_text(listings, width, colour),
            Part::Bars(bars) => bars_text(bars, width, colour),
            Part::Table(table, _) => titled(table, width, colour),
            Part::Long(long) => long_text(long, is_apart, width, colour),
            Part::Pairs(table) => lines(&table.title, width, FAINT, colour) + &table_text(table, width, colour),
            Part::Remarks(sentences) => remarks(sentences, width, colour),
            Part::Notes(notes) => colour.faint(&indented(notes, width)),
        });
    }
    out
}

/// Title, unit and fixed axes; below the title if they do not fit beside it.
pub fn heading(chapter: &Chapter<'_>, width: usize, colour: Colour) -> String {
    let is_long = chapter.parts.iter().any(|part| matches!(part, Part::Long(long) if long.is_long));
    // Other tables have the unit in the title of a column.
    let unit = Some(chapter.unit.as_str()).filter(|_| is_long);
    let note: Vec<&str> = unit.into_iter().chain([chapter.note.as_str()]).filter(|part| !part.is_empty()).collect();
    let (name, note) = (shorten(&chapter.title, width), printable(&note.join(" · ")).into_owned());
    let painted = colour.paint(&name, STRONG);
    if note.is_empty() {
        return format!("{painted}\n");
    }
    if columns_of(&note) <= width.saturating_sub(columns_of(&name) + 2) {
        return format!("{painted}  {}\n", colour.paint(&note, FAINT));
    }
    let below = wrap(&note, width.saturating_sub(2));
    let below = below.iter().map(|line| format!("  {}\n", colour.paint(line, FAINT)));
    below.fold(format!("{painted}\n"), |out, line| out + &line)
}

fn lines(text: &str, width: usize, style: anstyle::Style, colour: Colour) -> String {
    wrap(text, width).iter().map(|line| format!("{}\n", colour.paint(line, style))).collect()
}

/// A table under its title, after an empty line; empty text for an empty table.
fn titled(table: &Table, width: usize, colour: Colour) -> String {
    if table.is_empty() {
        return String::new();
    }
    let title = if table.title.is_empty() { String::new() } else { lines(&table.title, width, STRONG, colour) };
    format!("\n{title}{}", table_text(table, width, colour))
}

/// Every row, or the overview if they are more than a screen.
fn long_text(long: &LongTable, is_apart: bool, width: usize, colour: Colour) -> String {
    let gap = if is_apart { "\n" } else { "" };
    if !long.is_long {
        return format!("{gap}{}", table_text(&long.full, width, colour));
    }
    let overview = &long.overview;
    let mut out = String::new();
    for (i, mut part) in split(&overview.table, overview.keys, width).into_iter().enumerate() {
        if i > 0 {
            part.title.clear();
        }
        let text = titled(&part, width, colour);
        out.push_str(if i == 0 { text.strip_prefix(if is_apart { "" } else { "\n" }).unwrap_or(&text) } else { &text });
    }
    overview.bests.iter().for_each(|best| out.push_str(&colour.faint(&hang("", &best_line(best), 2, width))));
    overview.absent.iter().for_each(|line| out.push_str(&hang("", line, 2, width)));
    out + &overview.excerpt.iter().map(|table| titled(table, width, colour)).collect::<String>()
}

fn best_line(best: &Best) -> String {
    let Best { label, value, half, place, doubt } = best;
    format!("{label}: {value}{half} {place}{doubt}")
}

fn remarks(sentences: &[Sentence], width: usize, colour: Colour) -> String {
    let line = |sentence: &Sentence| {
        let label = &sentence.label;
        if label.is_empty() {
            return hang("", &sentence.text, 2, width);
        }
        let text = hang("", &format!("{label}: {}", sentence.text), 2, width);
        text.replacen(label, &colour.paint(label, BAD), 1)
    };
    let text: String = sentences.iter().map(line).collect();
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// Sentences after an empty line.
fn indented(sentences: &[String], width: usize) -> String {
    let text: String = sentences.iter().map(|text| hang("", text, 2, width)).collect();
    if text.is_empty() { text } else { format!("\n{text}") }
}
