//! A chapter as Markdown.

use crate::markdown::escape::{code, escape};
use crate::markdown::listing::listings_markdown;
use crate::markdown::table::{list, table_markdown};
use crate::model::{Chapter, Fact, LongTable, Part, Sentence};

/// The chapter under its heading.
pub fn chapter_markdown(chapter: &Chapter<'_>) -> String {
    let mut out = format!("\n## {}\n", escape(&chapter.title));
    if !chapter.note.is_empty() {
        out.push_str(&format!("\n{}\n", escape(&chapter.note)));
    }
    let facts: String = chapter.facts.iter().map(|f| fact("", f)).collect();
    out.push_str(&if facts.is_empty() { facts } else { format!("\n{facts}") });
    let mut is_list = false;
    for part in &chapter.parts {
        let text = part_markdown(part);
        // Adjacent lists are printed as one.
        let is_next = matches!(part, Part::Remarks(_) | Part::Notes(_)) && !text.is_empty();
        out.push_str(if is_list && is_next { text.trim_start_matches('\n') } else { &text });
        is_list = is_next || is_list && text.is_empty();
    }
    out
}

fn part_markdown(part: &Part<'_>) -> String {
    match part {
        Part::Plots(..) | Part::Bars(_) => String::new(),
        Part::Table(table, _) | Part::Pairs(table) | Part::Compared(table) => table_markdown(table),
        Part::Long(long) => long_markdown(long),
        Part::Remarks(sentences) => list(&sentences.iter().map(remark).collect::<Vec<_>>()),
        Part::Notes(notes) => list(notes),
        Part::Builds(builds) if builds.is_empty() => String::new(),
        Part::Builds(builds) => {
            let build = |(name, facts): &(String, Vec<Fact>)| {
                let facts: String = facts.iter().map(|f| fact("  ", f)).collect();
                format!("- {}\n{facts}", escape(name))
            };
            format!("\n### builds\n\n{}", builds.iter().map(build).collect::<String>())
        }
        Part::Listings(listings) => listings_markdown(listings),
        Part::Protocol(sentences) => format!("\n### protocol\n{}", list(sentences)),
    }
}

fn long_markdown(long: &LongTable) -> String {
    // An overview without a title only repeats the full table.
    let overview = Some(&long.overview.table).filter(|table| !table.title.is_empty());
    overview.map(table_markdown).unwrap_or_default() + &table_markdown(&long.full)
}

fn remark(sentence: &Sentence) -> String {
    let Sentence { label, text } = sentence;
    if label.is_empty() { text.clone() } else { format!("{label}: {text}.") }
}

fn fact(indent: &str, fact: &Fact) -> String {
    let text = if fact.is_code { code(&fact.text) } else { escape(&fact.text) };
    format!("{indent}- {}: {text}\n", fact.name)
}
