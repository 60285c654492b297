//! Speed-ups on a terminal: a bar for each thread count, and where it would end if every thread did its part.

use paw_data::scaling::{ScalingRow, Sweep};

use crate::application::figure;
use crate::bar::{MARK, bar};
use crate::colour::{Colour, FAINT, STRONG};
use crate::wrap::{shorten, width as columns_of};

/// Fewer columns than this show nothing.
const NARROWEST: usize = 8;

/// The bars of `sweep`; empty where fewer than two rows have a speed-up.
pub fn bars(sweep: &Sweep<'_>, width: usize, colour: Colour) -> String {
    let rows: Vec<(&ScalingRow<'_>, f64)> = sweep.rows.iter().filter_map(|r| Some((r, r.speedup?.value))).collect();
    let labels: Vec<String> = rows.iter().map(|(row, _)| figure::threads(row)).collect();
    let values: Vec<String> =
        rows.iter().map(|(row, _)| row.speedup.map_or(String::new(), |s| figure::speedup(&s))).collect();
    let widest = |texts: &[String]| texts.iter().map(|t| columns_of(t)).max().unwrap_or(0);
    let (left, right) = (widest(&labels), widest(&values));
    let room = width.saturating_sub(left + right + 4).min(80);
    if rows.len() < 2 || room < NARROWEST {
        return String::new();
    }
    let ideal = |row: &ScalingRow<'_>| f64::from(row.effective_threads());
    let most = rows.iter().map(|(row, value)| value.max(ideal(row))).fold(0.0, f64::max);
    let at = if sweep.label().is_empty() { String::new() } else { format!(" at {}", sweep.label()) };
    let title = shorten(&format!("speed-up{at} by threads ({MARK} ideal)"), width);
    let mut out = format!("{}\n", colour.paint(&title, STRONG));
    for (((row, value), label), text) in rows.iter().zip(&labels).zip(&values) {
        let bar = bar(value / most * room as f64, Some(ideal(row) / most * room as f64), room);
        let style = if row.oversubscribed() { FAINT } else { anstyle::Style::new() };
        let pad = " ".repeat(left - columns_of(label));
        let gap = " ".repeat(right - columns_of(text));
        out.push_str(&format!("{pad}{label}  {}  {gap}{text}\n", colour.paint(&bar, style)));
    }
    out
}
