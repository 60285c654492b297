//! A table as Markdown.

use crate::markdown::{escape, line};
use crate::sheet::{Entry, Sheet};
use crate::table::Align;

impl Sheet {
    /// As a table of GitHub-flavoured Markdown under its title; empty where there is nothing to show.
    pub fn markdown(&self) -> String {
        if self.is_empty() {
            return String::new();
        }
        let mut out = format!("\n### {}\n\n", escape(&self.title));
        out.push_str(&line(self.columns.iter().map(|column| escape(&spoken(&column.title)))));
        out.push_str(&line(
            self.columns.iter().map(|c| if c.align == Align::Right { "--:" } else { ":--" }.to_owned()),
        ));
        for row in &self.rows {
            let mut cells: Vec<String> = row.entries.iter().map(|e: &Entry| escape(&e.text)).collect();
            cells.extend(row.why.iter().map(|(_, why)| escape(why)));
            cells.resize(self.columns.len(), String::new());
            out.push_str(&line(cells.into_iter()));
        }
        out
    }
}

/// Sentences as list items, with a line before them; empty without any.
pub fn list(sentences: &[String]) -> String {
    let items: String = sentences.iter().map(|text| format!("- {}\n", escape(text))).collect();
    if items.is_empty() { items } else { format!("\n{items}") }
}

/// A title of several lines in one: `effi-` and `ciency` are one word.
pub fn spoken(title: &str) -> String {
    title.replace("effi-\n", "effi").replace("-\n", "-").replace("\n/", "/").replace('\n', " ")
}
