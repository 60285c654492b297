//! A ratio with its interval, small enough for a row of a table: the middle of the strip is 1.

use crate::svg::{Drawing, rings};

const SIZE: (f64, f64) = (120.0, 16.0);
/// Ratio of times at the edges of the strip.
const EDGE: f64 = 1.25;

/// `ratio` and its interval, clamped to the edges of the strip.
pub fn ratio(ratio: f64, interval: Option<(f64, f64)>, class: &str) -> String {
    let (middle, height) = (SIZE.0 / 2.0, SIZE.1 / 2.0);
    let across = |r: f64| middle + (r.ln() / EDGE.ln()).clamp(-1.0, 1.0) * (middle - 4.0);
    let mut drawing = Drawing::new();
    drawing.line("grid", (3.0, height), (SIZE.0 - 3.0, height));
    drawing.line("axis", (middle, 2.0), (middle, SIZE.1 - 2.0));
    drawing.open(class, "");
    if let Some((low, high)) = interval {
        drawing.line("reach", (across(low), height), (across(high), height));
    }
    drawing.path("point", &rings(&[(across(ratio), height)], 3.0));
    drawing.close("");
    drawing.finish("spark", SIZE, &format!("ratio {ratio:.3}"))
}
