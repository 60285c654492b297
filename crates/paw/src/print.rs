//! Standard output for results, standard error for talk; a reader that goes away is no error.

use std::io::{self, IsTerminal, Write};

use paw_report::Colour;

use crate::failure::Failure;

/// Columns where nothing tells how wide the reader is: what fits an editor window and a mail.
const WIDTH_UNKNOWN: usize = 100;
/// Below this no table of ours can be read.
const WIDTH_MIN: usize = 40;

/// Writes results to standard output, without styles where they are not wanted.
pub fn show(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Writes a line of talk to standard error. A reader that is gone does not matter.
pub fn tell(text: &str) {
    // Talk that nobody reads is no loss.
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Writes one warning that the user should act on.
pub fn warn(text: &str) {
    tell(&format!("warning: {text}"));
}

/// Columns of the reader: COLUMNS, else the terminal's, else a width that fits most places.
pub fn width() -> usize {
    let asked = std::env::var("COLUMNS").ok().and_then(|text| text.trim().parse().ok()).filter(|columns| *columns > 0);
    let seen = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    asked.or_else(seen).unwrap_or(WIDTH_UNKNOWN).max(WIDTH_MIN)
}

/// Whether text made for standard output carries styles; [`show`] takes them out again where they are not wanted.
pub fn colour() -> Colour {
    Colour::Ansi
}

/// Whether somebody watches standard error as it is written.
pub fn is_watched() -> bool {
    io::stderr().is_terminal()
}
