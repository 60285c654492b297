//! Series over runs as an SVG document, a panel each.

use super::words::{day, percent};
use super::{History, Track};
use crate::axis::{Axis, AxisScale, TickLabels};
use crate::number::Scale;
use crate::plot::frame::{Frame, SIZE};
use crate::svg::{Anchor, Drawing, polyline, rings};

/// Most panels of a picture.
pub const PANELS_MAX: usize = 24;

/// Room above a panel for its name.
const HEAD: f64 = 22.0;

/// Colours for light and for dark pages.
const STYLE: &str = "\
    svg{background:#fff;font:11px system-ui,sans-serif}text{fill:#1a1c20}.tick,.name{fill:#5a6068}.grid{stroke:#e3e1dc}.grid.minor{opacity:.5}\
    .axis{stroke:#5a6068}.band{fill:#2a6fb5;opacity:.16}.point{fill:#2a6fb5}.level{stroke:#1a1c20;stroke-width:1.4}.between{fill:#c4622d;opacity:.18}\
    .change{stroke:#c4622d;stroke-width:1.2;stroke-dasharray:3 2}.size{fill:#a04a1c;font-weight:600}.title{font-weight:600}\
    @media (prefers-color-scheme:dark){svg{background:#181b20}text{fill:#e8e6e1}.tick,.name{fill:#a1a6ae}.grid{stroke:#30353c}.axis{stroke:#a1a6ae}\
    .level{stroke:#e8e6e1}.band,.point{fill:#6aa9e9}.size{fill:#f0a070}}";

/// The first [`PANELS_MAX`] series of `history`, one below the other.
pub fn history_svg(history: &History<'_>) -> String {
    let mut drawing = Drawing::new();
    let shown = &history.tracks[..history.tracks.len().min(PANELS_MAX)];
    drawing.text("title", (8.0, 16.0), Anchor::Start, &history.title);
    for (i, track) in shown.iter().enumerate() {
        drawing.open_at((0.0, HEAD + i as f64 * (SIZE.1 + HEAD)));
        drawing.text("title", (8.0, 14.0), Anchor::Start, &track.name());
        drawing.open_at((0.0, HEAD - 6.0));
        panel(&mut drawing, track);
        drawing.close("");
        drawing.close("");
    }
    let height = HEAD + shown.len() as f64 * (SIZE.1 + HEAD) + 4.0;
    drawing.document(STYLE, (SIZE.0, height), &history.title)
}

fn panel(drawing: &mut Drawing, track: &Track<'_>) {
    let series = &track.series;
    let values = series.values();
    let ends = series.items.iter().flat_map(|item| [item.figure.low, item.figure.high]).flatten();
    let scale = Scale::of_measure(&values, series.measure);
    let unit = scale.unit.clone();
    let y = Axis::close(values.iter().copied().chain(ends), TickLabels::Scaled(scale));
    let last = values.len().max(2) as f64;
    let x = Axis { kind: AxisScale::Linear, low: 0.5, high: last + 0.5, labels: TickLabels::Plain };
    let frame = Frame { x, y, right: 14.0 };
    for change in &track.levels.changes {
        let (low, high) = (change.between.0 as f64 + 0.5, change.between.1 as f64 + 0.5);
        let corner = (frame.across(low) - 1.0, frame.top());
        drawing.rectangle(
            "between",
            corner,
            (frame.across(high) - frame.across(low) + 2.0, frame.bottom() - frame.top()),
        );
    }
    let [first, latest] =
        [series.items.first(), series.items.last()].map(|item| item.map_or("", |item| day(&item.entry.utc)));
    frame.draw(drawing, &format!("run, {first} … {latest}"), &unit);
    points(drawing, &frame, track);
    for (i, median) in track.levels.medians.iter().enumerate() {
        let from = if i == 0 { 0 } else { track.levels.changes[i - 1].first };
        let to = track.levels.changes.get(i).map_or(values.len(), |change| change.first);
        drawing.line("level", frame.place(from as f64 + 0.6, *median), frame.place(to as f64 + 0.4, *median));
    }
    for change in &track.levels.changes {
        let at = frame.across(change.first as f64 + 0.5);
        drawing.line("change", (at, frame.top()), (at, frame.bottom()));
        if let Some(ratio) = change.ratio {
            drawing.text("size", (at, frame.top() - 4.0), Anchor::Middle, &percent(ratio));
        }
    }
}

/// Every run with its interval, and its name and level as a tooltip.
fn points(drawing: &mut Drawing, frame: &Frame, track: &Track<'_>) {
    for (i, item) in track.series.items.iter().enumerate() {
        let x = i as f64 + 1.0;
        drawing.open("cell", "");
        drawing.title(&format!("{} {} (level {})", item.entry.run, day(&item.entry.utc), track.level(i) + 1));
        if let Some((low, high)) = item.figure.low.zip(item.figure.high) {
            let corners = [(x - 0.25, high), (x + 0.25, high), (x + 0.25, low), (x - 0.25, low)];
            drawing.path("band", &(polyline(&corners.map(|(x, y)| frame.place(x, y))) + "Z"));
        }
        drawing.path("point", &rings(&[frame.place(x, item.figure.value)], 2.2));
        drawing.close("");
    }
}
