//! What the nodes of a cluster reach of their median, small enough for a row of a table: the middle of the strip is the median.

use crate::svg::{Drawing, rings};

const SIZE: (f64, f64) = (180.0, 16.0);
/// Relative difference from the median at the edges of the strip.
const EDGE: f64 = 0.25;

/// The values from `least` to `most`, and nodes that are odd with whether they are worse, as shares of the median, clamped to the edges.
pub fn spread(least: f64, most: f64, odd: &[(f64, bool)]) -> String {
    let (middle, height) = (SIZE.0 / 2.0, SIZE.1 / 2.0);
    let across = |share: f64| middle + ((share - 1.0) / EDGE).clamp(-1.0, 1.0) * (middle - 4.0);
    let mut drawing = Drawing::new();
    drawing.line("grid", (3.0, height), (SIZE.0 - 3.0, height));
    drawing.line("axis", (middle, 2.0), (middle, SIZE.1 - 2.0));
    drawing.open("good", "");
    drawing.line("reach", (across(least), height), (across(most), height));
    drawing.close("");
    for (class, is_worse) in [("fair", false), ("poor", true)] {
        let places: Vec<_> = odd.iter().filter(|own| own.1 == is_worse).map(|own| (across(own.0), height)).collect();
        if !places.is_empty() {
            drawing.open(class, "");
            drawing.path("point", &rings(&places, 3.0));
            drawing.close("");
        }
    }
    let percent = |share: f64| format!("{:+.1} %", 100.0 * (share - 1.0));
    drawing.finish("spark", SIZE, &format!("from {} to {} of the median", percent(least), percent(most)))
}
