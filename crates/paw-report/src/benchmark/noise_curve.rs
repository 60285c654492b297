//! The noise of the operating system as a histogram: how many detours a second, over their length.

use paw_data::secondary::SecondaryMetric;

use crate::axis::{Axis, TickLabels};
use crate::model::Picture;
use crate::number::{self, Scale};
use crate::plot::RowLinks;
use crate::plot::curve::looks;
use crate::plot::lines::{self, DIRECT_LABELS, Dot, Line, LinePlot};
use crate::reading::Reading;
use crate::secondary::total;
use crate::section::Section;
use crate::series::series;

/// The shortest detour of each class, in seconds.
const LEAST_S: [f64; SecondaryMetric::DETOURS.len()] = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2];
/// The end of the last class as it is drawn.
const END_S: f64 = 1e-1;

/// Whether the cells of `section` have counts of detours.
pub fn is_noise(section: &Section<'_>) -> bool {
    section.rows.iter().any(|reading| total(reading, SecondaryMetric::QuantaTime).is_some())
}

/// Detours of a second of a thread, over their length, a line for each cell.
pub fn pictures(section: &Section<'_>, links: &RowLinks) -> Vec<Picture> {
    let all = series(section);
    let all_looks = looks(section, &all);
    let of = |series: &crate::series::Series<'_, '_>, look: (usize, usize)| {
        let dots = series.rows.iter().flat_map(|reading| dots(reading, links)).collect();
        Line { label: series.label.clone(), look, pieces: vec![dots], is_level: false }
    };
    let lines: Vec<Line> = all.iter().zip(&all_looks).map(|(own, look)| of(own, *look)).collect();
    let rates = || lines.iter().flat_map(Line::dots).map(|dot| dot.y);
    let (low, high) = rates().fold((f64::INFINITY, 0.0_f64), |(low, high), rate| (low.min(rate), high.max(rate)));
    if high <= 0.0 {
        return Vec::new();
    }
    let x = Axis::decades(LEAST_S[0], END_S, TickLabels::Scaled(Scale { factor: 1e-6, unit: "µs".to_owned() }));
    let y = Axis::decades(low, high, TickLabels::Plain);
    let label = format!("{}: detours a second over their length, {} lines", section.title(), lines.len());
    let svg = lines::plot(
        &lines,
        LinePlot { x, x_name: "µs", y, y_name: "1/s", ideal: Vec::new(), boundaries: &[], level: None, label },
    );
    let legend = lines.iter().filter(|_| lines.len() > DIRECT_LABELS);
    let legend = legend.map(|line| (line.look.0, line.look.1, line.label.clone())).collect();
    let caption = "Detours a second of one thread, by length: each point counts those from its length to ten times that, the last one all \
                   longer ones (lower is better). A length without a point had none.";
    vec![Picture { svg, title: String::new(), caption: caption.to_owned(), legend }]
}

/// A point for each length that occurred.
fn dots(reading: &Reading<'_>, links: &RowLinks) -> Vec<Dot> {
    let Some(elapsed_s) = total(reading, SecondaryMetric::QuantaTime).filter(|seconds| *seconds > 0.0) else {
        return Vec::new();
    };
    let dot = |(metric, x): (&SecondaryMetric, f64)| {
        let count = total(reading, *metric).filter(|count| *count > 0.0)?;
        let y = count / elapsed_s;
        let words =
            format!("{count:.0} detours from {} on: {} a second", number::duration(x), number::significant(y, 3));
        Some(Dot { x, y, ends: (y, y), grade: reading.grade, words, href: links.link(reading.record.cell.id) })
    };
    SecondaryMetric::DETOURS.iter().zip(LEAST_S).filter_map(dot).collect()
}
