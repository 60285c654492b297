//! Instructions below their source as Markdown.

use crate::markdown::escape::escape;
use crate::model::Listing;
use crate::text::listing::TITLE;
use crate::wrap::printable;

/// The listings under a heading; empty without any.
pub fn listings_markdown(listings: &[Listing]) -> String {
    let each: String = listings.iter().map(listing).collect();
    if each.is_empty() { each } else { format!("\n### {TITLE}\n{each}") }
}

fn listing(listing: &Listing) -> String {
    let mut code = String::new();
    for stretch in &listing.stretches {
        if !stretch.line.is_empty() {
            code.push_str(format!("{:>5}  {}", stretch.line, printable(&stretch.source)).trim_end());
            code.push('\n');
        }
        stretch.instructions.iter().for_each(|own| code.push_str(&format!("           {}\n", printable(own))));
    }
    // No text of the source can end the block.
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let parts = [escape(&listing.title), escape(&listing.place)];
    let head = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
    let note = if listing.note.is_empty() { String::new() } else { format!("\n{}\n", escape(&listing.note)) };
    format!("\n{head}\n\n{fence}text\n{code}{fence}\n{note}")
}
