//! Curves over a ladder: a line for each series, a point for each cell.

use paw_data::quantity::Quantity;

use crate::axis::{Axis, TickLabels};
use crate::grade::doubted;
use crate::number::{self, Scale};
use crate::plot::RowLinks;
use crate::plot::lines::{self, Boundary, DASHES, Dot, HUES, Line, LinePlot};
use crate::reading::Reading;
use crate::secondary::in_quantity;
use crate::section::{Section, Variation};
use crate::series::Series;
use crate::step;

/// More points on a curve than this are closer than a pixel.
const POINTS: usize = 400;

/// Hue and dash of each of `all`: if providers differ, the hue is the provider's and the dash shows the other axes.
pub fn looks(section: &Section<'_>, all: &[Series<'_, '_>]) -> Vec<(usize, usize)> {
    if section.providers == Variation::Same {
        return (0..all.len()).map(|i| (i % HUES, i / HUES % DASHES)).collect();
    }
    let provider = |s: &Series<'_, '_>| s.rows.first().map(|r| r.record.cell.provider.to_string());
    let rest = |s: &Series<'_, '_>| provider(s).map(|p| s.label.replacen(&p, "", 1));
    let place = |keys: &mut Vec<Option<String>>, key: Option<String>| {
        keys.iter().position(|k| *k == key).unwrap_or_else(|| {
            keys.push(key);
            keys.len() - 1
        })
    };
    let (mut providers, mut rests) = (Vec::new(), Vec::new());
    all.iter().map(|s| (place(&mut providers, provider(s)) % HUES, place(&mut rests, rest(s)) % DASHES)).collect()
}

/// The curves of `all` with their `looks`, over the ladder of `section`; points link to their cell's row.
pub fn curves(
    section: &Section<'_>,
    all: &[&Series<'_, '_>],
    looks: &[(usize, usize)],
    boundaries: &[Boundary],
    rows: &RowLinks,
) -> Option<String> {
    let ladder = section.ladder?;
    let scale = section.scale.clone()?;
    let one =
        |(series, look): (&&Series<'_, '_>, &(usize, usize))| line(section, series, *look, section.quantity, rows);
    let lines: Vec<Line> = all.iter().zip(looks).map(one).collect();
    lines.iter().flat_map(Line::dots).nth(1)?;
    let y = Axis::quantity(values(&lines), TickLabels::Scaled(scale));
    let label = format!("{} in {} over {ladder}, {} curves", section.title(), section.unit(), all.len());
    let (x, x_name) = (ladder_axis(section, &lines), section.ladder_name());
    Some(lines::plot(
        &lines,
        LinePlot { x, x_name, y, y_name: section.unit(), ideal: Vec::new(), boundaries, level: None, label },
    ))
}

/// All values of `lines`, with the ends of their intervals.
pub fn values<'l>(lines: impl IntoIterator<Item = &'l Line>) -> impl Iterator<Item = f64> {
    lines.into_iter().flat_map(Line::dots).flat_map(|dot| [dot.ends.0, dot.y, dot.ends.1])
}

/// The axis of the ladder of `section`, as far as `lines` reach.
pub fn ladder_axis<'l>(section: &Section<'_>, lines: impl IntoIterator<Item = &'l Line>) -> Axis {
    let cell = section.rows.first().map(|r| &r.record.cell);
    let has_bytes = cell.zip(section.ladder).is_some_and(|(cell, ladder)| step::bytes(cell, ladder).is_some());
    let labels = if has_bytes { TickLabels::Bytes } else { TickLabels::Plain };
    Axis::ladder(lines.into_iter().flat_map(Line::dots).map(|dot| dot.x), labels)
}

/// The line of `series` in `quantity`: broken where a cell has no number.
pub fn line(
    section: &Section<'_>,
    series: &Series<'_, '_>,
    look: (usize, usize),
    quantity: Quantity,
    rows: &RowLinks,
) -> Line {
    let stride = series.rows.len().div_ceil(POINTS).max(1);
    let dots: Vec<Option<Dot>> =
        series.rows.iter().step_by(stride).map(|reading| dot(section, series, reading, quantity, rows)).collect();
    let pieces = dots.split(Option::is_none).filter(|piece| !piece.is_empty());
    Line {
        label: series.label.clone(),
        look,
        pieces: pieces.map(|piece| piece.iter().flatten().cloned().collect()).collect(),
        is_level: false,
    }
}

/// The point of `reading` on the curve of `series`; `None` where it has no number.
pub fn dot(
    section: &Section<'_>,
    series: &Series<'_, '_>,
    reading: &Reading<'_>,
    quantity: Quantity,
    rows: &RowLinks,
) -> Option<Dot> {
    let ladder = section.ladder?;
    let x = step::position(&reading.record.cell, ladder)?;
    let (y, interval) = in_quantity(reading, quantity).filter(|(y, _)| y.is_finite())?;
    let half_width = interval.map(|(low, high)| (high - low) / 2.0);
    let half = half_width.map_or(String::new(), |h| format!(" ±{}", number::half_width(h / y.abs())));
    let figure = Scale::of(y, quantity);
    let figure = format!("{} {}", figure.digits(y, half_width), figure.unit);
    let at = section.at(reading, ladder);
    let words = format!("{}, {}={at}: {figure}{half}", series.label, section.axis_name(ladder));
    let words = doubted(words, reading.grade.doubt());
    let href = rows.link(reading.record.cell.id);
    Some(Dot { x, y, ends: interval.unwrap_or((y, y)), grade: reading.grade, words, href })
}
