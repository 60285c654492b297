//! Facts of two builds on a terminal: each beside the other, and wrapped, because words that are cut off say nothing.

use crate::colour::{Colour, FAINT};
use crate::model::{Row, Table};
use crate::text::style::style;
use crate::wrap::{hang, width as columns_of, wrap};

/// From this width on the facts of the second stand beside those of the first, else below.
const BESIDE: usize = 72;
/// Columns between two facts.
const GAP: usize = 2;
/// Columns of the names of facts where they stand in a margin.
const MARGIN: usize = 16;

/// `table`, whose first column names the fact.
pub fn compared_text(table: &Table, width: usize, colour: Colour) -> String {
    let titles: Vec<&str> = table.columns.iter().map(|column| column.short.as_str()).collect();
    let mut out = String::new();
    if width >= BESIDE {
        let room = (width - MARGIN - GAP) / 2;
        let line = format!("{:MARGIN$}{:room$}{:GAP$}{}", "", titles[1], "", titles[2]);
        out.push_str(&format!("{}\n", colour.paint(line.trim_end(), FAINT)));
        table.rows.iter().for_each(|row| out.push_str(&beside(row, room, colour)));
    } else {
        for row in &table.rows {
            out.push_str(&hang("", &row.fields[0].text, 0, width));
            for (field, title) in row.fields[1..].iter().zip(&titles[1..]) {
                out.push_str(&hang(&format!("  {title}"), &field.text, 10, width));
            }
        }
    }
    out
}

fn beside(row: &Row, room: usize, colour: Colour) -> String {
    let name = wrap(&row.fields[0].text, MARGIN - GAP);
    let sides: Vec<Vec<String>> = row.fields[1..].iter().map(|field| wrap(&field.text, room)).collect();
    let lines = sides.iter().map(Vec::len).chain([name.len()]).max().unwrap_or(0);
    let mut out = String::new();
    for at in 0..lines {
        let padded = |text: &str, room: usize| " ".repeat(room.saturating_sub(columns_of(text)));
        let name = name.get(at).map_or("", String::as_str);
        let mut line = format!("{name}{}", padded(name, MARGIN));
        for (number, (side, field)) in sides.iter().zip(&row.fields[1..]).enumerate() {
            let text = side.get(at).map_or("", String::as_str);
            line.push_str(&colour.paint(text, style(field.tone)));
            if number == 0 {
                line.push_str(&padded(text, room + GAP));
            }
        }
        out.push_str(&format!("{}\n", line.trim_end()));
    }
    out
}
