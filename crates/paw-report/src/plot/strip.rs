//! The samples of one cell in the order they were taken: small in a row, large beneath it.

use crate::axis::{Axis, AxisScale, TickLabels};
use crate::number::{self, Scale};
use crate::reading::Reading;
use crate::svg::{Anchor, Drawing, dots, rings};

/// Width and height of the small strip.
const SMALL: (f64, f64) = (120.0, 22.0);
/// Width and height of the large strip: as wide as a plot.
const LARGE: (f64, f64) = (480.0, 150.0);
/// Most samples drawn; more dots would cover each other.
const SAMPLES: usize = 600;

#[derive(Debug, Clone, Copy)]
struct Dot {
    at_s: f64,
    value: f64,
    disturbed: bool,
}

/// The samples of `reading` in the headline's unit, thinned evenly where there are too many.
fn samples(reading: &Reading<'_>) -> Vec<Dot> {
    let (samples, cell) = (&reading.record.samples, &reading.record.cell);
    let stride = samples.len().div_ceil(SAMPLES).max(1);
    let times = samples.per_loop_s();
    let all = (0..samples.len()).step_by(stride).map(|i| Dot {
        at_s: samples.at_s.get(i).copied().unwrap_or(i as f64),
        value: cell.work.value(cell.headline, times[i]),
        disturbed: samples.disturbed.get(i).copied().unwrap_or(false),
    });
    all.filter(|d| d.value.is_finite() && d.at_s.is_finite()).collect()
}

/// The axis close around the samples that count; disturbed ones may fall off it.
fn vertical(all: &[Dot], labels: TickLabels) -> Axis {
    let clean: Vec<f64> = all.iter().filter(|d| !d.disturbed).map(|d| d.value).collect();
    let every = all.iter().map(|d| d.value);
    if clean.len() > 1 { Axis::close(clean.into_iter(), labels) } else { Axis::close(every, labels) }
}

/// The axis of time, from the first sample to the last.
fn horizontal(all: &[Dot]) -> Axis {
    let times = all.iter().map(|d| d.at_s);
    let (low, high) = times.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), t| (l.min(t), h.max(t)));
    // A single sample is drawn in the middle.
    let margin = if high > low { (high - low) * 0.02 } else { 1.0 };
    Axis { kind: AxisScale::Linear, low: low - margin, high: high + margin, labels: TickLabels::Plain }
}

/// The samples as a strip that fits into a row of a table; `None` without samples.
pub fn small(reading: &Reading<'_>) -> Option<String> {
    let all = samples(reading);
    all.first()?;
    let (x, y) = (horizontal(&all), vertical(&all, TickLabels::Plain));
    let place = |d: &Dot| {
        let up = y.place(d.value).clamp(0.0, 1.0);
        (3.0 + x.place(d.at_s) * (SMALL.0 - 6.0), SMALL.1 - 3.0 - up * (SMALL.1 - 6.0))
    };
    let mut drawing = Drawing::new();
    let (off, on): (Vec<&Dot>, Vec<&Dot>) = all.iter().partition(|d| d.disturbed);
    drawing.path("dots", &dots(&on.into_iter().map(place).collect::<Vec<_>>()));
    drawing.path("off", &rings(&off.into_iter().map(place).collect::<Vec<_>>(), 1.5));
    Some(drawing.finish("spark", SMALL, &said(reading)))
}

/// The samples with axes, the headline and its interval; `None` without samples.
pub fn large(reading: &Reading<'_>) -> Option<String> {
    let all = samples(reading);
    let scale = Scale::of(all.first()?.value, reading.quantity());
    let (x, y) = (horizontal(&all), vertical(&all, TickLabels::Scaled(scale.clone())));
    let (left, right, top, bottom) = (52.0, LARGE.0 - 10.0, 22.0, LARGE.1 - 26.0);
    let up = |v: f64| bottom - y.place(v).clamp(0.0, 1.0) * (bottom - top);
    let place = |d: &Dot| (left + x.place(d.at_s) * (right - left), up(d.value));
    let mut drawing = Drawing::new();
    if let Some((low, high)) = reading.value.and_then(|value| value.interval) {
        drawing.rectangle("band", (left, up(high)), (right - left, (up(low) - up(high)).max(0.5)));
    }
    for tick in y.ticks(3) {
        drawing.line("grid", (left, up(tick.value)), (right, up(tick.value)));
        drawing.text("tick", (left - 6.0, up(tick.value) + 4.0), Anchor::End, &tick.label);
    }
    if let Some(value) = reading.value {
        drawing.line("headline", (left, up(value.middle)), (right, up(value.middle)));
    }
    let (off, on): (Vec<&Dot>, Vec<&Dot>) = all.iter().partition(|d| d.disturbed);
    drawing.path("dots", &dots(&on.into_iter().map(place).collect::<Vec<_>>()));
    drawing.path("off", &rings(&off.iter().map(|d| place(d)).collect::<Vec<_>>(), 2.4));
    let outside = off.iter().filter(|d| !(0.0..=1.0).contains(&y.place(d.value))).count();
    let note = if outside > 0 { format!(" · {outside} disturbed off the scale") } else { String::new() };
    drawing.text("name", (left - 44.0, 13.0), Anchor::Start, &format!("{}{note}", scale.unit));
    let (first, last) = (all[0].at_s, all[all.len() - 1].at_s);
    drawing.text("tick", (left, LARGE.1 - 8.0), Anchor::Start, &number::duration(first));
    let end = format!("{} after the run began", number::duration(last));
    drawing.text("tick", (right, LARGE.1 - 8.0), Anchor::End, &end);
    let scales = [x.low, x.high, y.low / scale.factor, y.high / scale.factor, left, right, top, bottom];
    let data = scales.map(|v| format!("{v:e}")).join(" ");
    let svg = drawing.finish("strip", LARGE, &said(reading));
    // The page's script needs the scale to compute values from positions.
    Some(svg.replacen(
        "<svg ",
        &format!(r#"<svg tabindex="0" data-scales="{data}" data-unit="{}" "#, crate::svg::escape(&scale.unit)),
        1,
    ))
}

fn said(reading: &Reading<'_>) -> String {
    let samples = &reading.record.samples;
    let disturbed = samples.disturbed.iter().filter(|disturbed| **disturbed).count();
    let disturbed = if disturbed > 0 { format!(", {disturbed} disturbed") } else { String::new() };
    format!("{} in time order{disturbed}", number::plural(samples.len(), "sample"))
}
