//! Bars on a terminal, each with a mark at its ideal length.

use crate::colour::{Colour, FAINT, STRONG};
use crate::model::Bars;
use crate::text::bar::{MARK, bar};
use crate::wrap::{shorten, width as columns_of};

/// Fewest columns in which bars are drawn.
const NARROWEST: usize = 8;

/// The bars after an empty line; empty text if there is no room.
pub fn bars_text(bars: &Bars, width: usize, colour: Colour) -> String {
    let left = bars.bars.iter().map(|bar| columns_of(&bar.label)).max().unwrap_or(0);
    let right = bars.bars.iter().map(|bar| columns_of(&bar.text)).max().unwrap_or(0);
    let room = width.saturating_sub(left + right + 4).min(80);
    if room < NARROWEST {
        return String::new();
    }
    let most = bars.bars.iter().map(|bar| bar.value.max(bar.ideal)).fold(0.0, f64::max);
    let title = shorten(&format!("{} ({MARK} ideal)", bars.title), width);
    let mut out = format!("\n{}\n", colour.paint(&title, STRONG));
    for one in &bars.bars {
        let scaled = |value: f64| value / most * room as f64;
        let style = if one.is_faint { FAINT } else { anstyle::Style::new() };
        let drawn = colour.paint(&bar(scaled(one.value), Some(scaled(one.ideal)), room), style);
        let pad = " ".repeat(left - columns_of(&one.label));
        let gap = " ".repeat(right - columns_of(&one.text));
        out.push_str(&format!("{pad}{}  {drawn}  {gap}{}\n", one.label, one.text));
    }
    out
}
