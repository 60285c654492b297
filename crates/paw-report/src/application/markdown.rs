//! An application as Markdown.

use paw_data::run::Run;
use paw_data::scaling::{Scaling, Sweep};

use crate::application::sheet::{Entry, Sheet};
use crate::application::sheets::{further, matrix};
use crate::application::threads::threads;
use crate::application::verdict;
use crate::markdown::{code, escape, line};
use crate::table::Align;

/// What the run comes to, as list items.
pub fn verdict_markdown(run: &Run, scaling: &Scaling<'_>) -> String {
    let text = verdict::verdict(run, scaling).join(" ");
    format!("- **{}**: {}\n", escape(scaling.program), escape(&text))
}

/// The tables and what they mean.
pub fn application_markdown(run: &Run, scaling: &Scaling<'_>) -> String {
    let mut out = format!("\n## {}\n\n", escape(scaling.program));
    for (name, text) in verdict::subject(scaling) {
        let text = if ["command", "other"].contains(&name) { code(&text) } else { escape(&text) };
        out.push_str(&format!("- {name}: {text}\n"));
    }
    if scaling.sweeps.len() > 1 {
        out.push_str(&sheet_markdown(&matrix(scaling)));
    }
    let all: Vec<&Sweep<'_>> = scaling.sweeps.iter().collect();
    out.push_str(&sheet_markdown(&Sheet { title: "every thread count".to_owned(), ..threads(scaling, &all) }));
    out.push_str(&list(&verdict::remarks(scaling)));
    further(scaling).iter().for_each(|sheet| out.push_str(&sheet_markdown(sheet)));
    out.push_str(&list(&verdict::notes(run, scaling)));
    out
}

fn list(sentences: &[String]) -> String {
    let items: String = sentences.iter().map(|text| format!("- {}\n", escape(text))).collect();
    if items.is_empty() { items } else { format!("\n{items}") }
}

fn sheet_markdown(sheet: &Sheet) -> String {
    if sheet.is_empty() {
        return String::new();
    }
    let mut out = format!("\n### {}\n\n", escape(&sheet.title));
    out.push_str(&line(sheet.columns.iter().map(|column| escape(&spoken(&column.title)))));
    out.push_str(&line(sheet.columns.iter().map(|c| if c.align == Align::Right { "--:" } else { ":--" }.to_owned())));
    for row in &sheet.rows {
        let mut cells: Vec<String> = row.entries.iter().map(|e: &Entry| escape(&e.text)).collect();
        cells.extend(row.why.iter().map(|(_, why)| escape(why)));
        cells.resize(sheet.columns.len(), String::new());
        out.push_str(&line(cells.into_iter()));
    }
    out
}

/// A title of several lines in one: `effi-` and `ciency` are one word.
pub fn spoken(title: &str) -> String {
    title.replace("effi-\n", "effi").replace("-\n", "-").replace("\n/", "/").replace('\n', " ")
}
