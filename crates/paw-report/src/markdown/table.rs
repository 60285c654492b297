//! Tables and lists of Markdown.

use crate::markdown::escape::escape;
use crate::model::{Align, ColumnKind, Row, Table};

/// A table of GitHub-flavoured Markdown under its title, with the cells that have no number as a list below; empty where there
/// is nothing to show.
pub fn table_markdown(table: &Table) -> String {
    // Only terminals show bars.
    let drawn: Vec<usize> = (0..table.columns.len()).filter(|i| table.columns[*i].kind != ColumnKind::Bar).collect();
    let table = table.choosing(&drawn);
    let title = if table.title.is_empty() { String::new() } else { format!("### {}\n\n", escape(&table.title)) };
    let mut out = if table.is_empty() { String::new() } else { format!("\n{title}") };
    if !table.rows.is_empty() {
        out.push_str(&line(table.columns.iter().map(|column| escape(&column.title))));
        let side = |align| if align == Align::Right { "--:" } else { ":--" }.to_owned();
        out.push_str(&line(table.columns.iter().map(|column| side(column.align))));
        table.rows.iter().for_each(|one| out.push_str(&row(one, table.columns.len())));
    }
    let absent = table.absent.iter().filter_map(|row| row.absent.as_ref());
    let absent: String = absent.map(|a| format!("- {}: {}\n", escape(&a.label), escape(&a.why))).collect();
    let gap = if table.rows.is_empty() || absent.is_empty() { "" } else { "\n" };
    let note = if table.note.is_empty() { String::new() } else { format!("\n{}\n", escape(&table.note)) };
    out + gap + &absent + &note
}

fn row(row: &Row, columns: usize) -> String {
    let mut cells: Vec<String> = row.fields.iter().map(|field| escape(&field.text)).collect();
    cells.extend(row.absent.iter().map(|absent| escape(&absent.why)));
    cells.resize(columns, String::new());
    line(cells.into_iter())
}

fn line(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

/// Sentences as list items, with a line before them; empty without any.
pub fn list(sentences: &[String]) -> String {
    let items: String = sentences.iter().map(|text| format!("- {}\n", escape(text))).collect();
    if items.is_empty() { items } else { format!("\n{items}") }
}
