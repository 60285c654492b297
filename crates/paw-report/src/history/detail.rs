//! One series or a few: each drawn over its runs, with its levels and changes.

use super::list::changes;
use super::scatter::scatter;
use super::words::{basis, day};
use super::{History, Track};
use crate::colour::{Colour, FAINT, STRONG};
use crate::number::{self, Scale};
use crate::wrap::{shorten, wrap};

/// The series of `history`, each in a drawing of its own, for a terminal of `width` columns.
pub fn detail_text(history: &History<'_>, width: usize, colour: Colour) -> String {
    let mut out =
        wrap(&history.title, width).iter().map(|line| format!("{}\n", colour.paint(line, STRONG))).collect::<String>();
    for track in &history.tracks {
        out.push_str(&format!("\n{}\n", wrap(&track.name(), width).join("\n")));
        out.push_str(&drawn(track, width, colour));
        out.push_str(&levels(track, width));
        out.push_str(&changes(track, width, colour));
    }
    out.push('\n');
    out.push_str(&colour.faint(&wrap(&basis(history), width).join("\n")));
    out
}

fn drawn(track: &Track<'_>, width: usize, colour: Colour) -> String {
    let series = &track.series;
    let values = series.values();
    let scale = Scale::of_measure(&values, series.measure);
    let label = |value: f64| scale.digits(value, None);
    let cuts: Vec<usize> = track.levels.changes.iter().map(|change| change.first).collect();
    let mut out = format!("{}\n", colour.paint(&scale.unit, FAINT));
    for line in scatter(&values, &cuts, width, label) {
        out.push_str(&format!("{}\n", line.trim_end()));
    }
    let [first, last] =
        [series.items.first(), series.items.last()].map(|item| item.map_or("", |item| day(&item.entry.utc)));
    let legend = format!("{}, {first} … {last}", number::plural(values.len(), "run"));
    out + &format!("{}\n", colour.paint(&shorten(&legend, width), FAINT))
}

/// The median of each level, and the trend of the latest.
fn levels(track: &Track<'_>, width: usize) -> String {
    let medians = track.levels.medians.iter().map(|median| number::measure(*median, track.series.measure, None));
    let word = if track.levels.medians.len() > 1 { "levels" } else { "level" };
    let text = format!(
        "{word} {}; trend of the latest: {}",
        medians.collect::<Vec<_>>().join(" → "),
        track.levels.trend.word()
    );
    wrap(&text, width).join("\n") + "\n"
}
