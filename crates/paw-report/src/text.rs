//! A run as terminal text: what the machine reaches first, then every benchmark's table, then the caveats.

use paw_data::run::Run;

use crate::colour::Colour;

/// The whole run for a terminal of `width` columns; no line is wider.
pub fn text(run: &Run, width: usize, colour: Colour) -> String {
    let _ = (width, colour);
    format!("{}\n", run.header.id)
}
