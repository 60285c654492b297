//! Instructions beside their source on a terminal.

use crate::colour::{Colour, FAINT, STRONG};
use crate::model::{Listing, Stretch};
use crate::wrap::{printable, shorten, width as columns_of, wrap};

/// From this width on instructions stand beside their source, else below it.
const BESIDE: usize = 72;
/// Instructions of a loop that are printed.
const MOST: usize = 48;
/// Columns of the number of a line.
const NUMBER: usize = 5;
/// Columns between source and instructions.
const GAP: usize = 2;

/// The title of the listings.
pub const TITLE: &str = "the hot loops beside their source";

/// The listings under their title, each below the name of its build.
pub fn listings_text(listings: &[Listing], width: usize, colour: Colour) -> String {
    let mut out = if listings.is_empty() { String::new() } else { format!("\n{}\n", colour.paint(TITLE, STRONG)) };
    for listing in listings {
        let parts = [listing.title.as_str(), listing.place.as_str()];
        let head = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
        wrap(&head, width).iter().for_each(|line| out.push_str(&format!("{}\n", colour.paint(line, FAINT))));
        out.push_str(&body(listing, width, colour));
        let left = listing.count().saturating_sub(MOST);
        let more = (left > 0).then(|| format!("{left} more instructions are on the page that --format html writes"));
        let notes = more.into_iter().chain((!listing.note.is_empty()).then(|| listing.note.clone()));
        for note in notes.flat_map(|note| wrap(&note, width)) {
            out.push_str(&format!("{}\n", colour.paint(&note, FAINT)));
        }
    }
    out
}

fn body(listing: &Listing, width: usize, colour: Colour) -> String {
    let has_source = listing.stretches.iter().any(|stretch| !stretch.line.is_empty());
    let widest = listing.stretches.iter().map(|stretch| columns_of(&label(stretch))).max().unwrap_or(0);
    let room = if has_source { widest.min((width - GAP) / 2) } else { 0 };
    let (mut out, mut shown) = (String::new(), 0);
    for stretch in &listing.stretches {
        let instructions = &stretch.instructions[..stretch.instructions.len().min(MOST - shown)];
        shown += instructions.len();
        if instructions.is_empty() {
            break;
        }
        let label = label(stretch);
        if width >= BESIDE {
            for (at, instruction) in instructions.iter().enumerate() {
                let source = if at == 0 { shorten(&label, room) } else { String::new() };
                let pad = " ".repeat(room - columns_of(&source) + GAP);
                let text = shorten(instruction, width - room - GAP);
                out.push_str(&format!("{}{pad}{text}\n", painted(&source, stretch, colour)));
            }
        } else {
            if has_source && !label.is_empty() {
                out.push_str(&format!("{}\n", painted(&shorten(&label, width), stretch, colour)));
            }
            let indent = if has_source { NUMBER + 1 } else { GAP };
            let text =
                |instruction: &String| format!("{}{}\n", " ".repeat(indent), shorten(instruction, width - indent));
            instructions.iter().for_each(|instruction| out.push_str(&text(instruction)));
        }
    }
    out
}

/// The number of a line and its text.
fn label(stretch: &Stretch) -> String {
    let text = format!("{:>NUMBER$} {}", stretch.line, printable(&stretch.source));
    text.trim_end().to_owned()
}

fn painted(text: &str, stretch: &Stretch, colour: Colour) -> String {
    colour.paint(text, if stretch.is_repeated { FAINT } else { STRONG })
}
