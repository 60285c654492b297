//! The noise of the operating system as a histogram: how many detours a second, over their length.

use paw_data::secondary::SecondaryMetric;

use crate::axis::{Axis, TickLabels};
use crate::model::{Align, Column, ColumnKind, Field, Picture, Row, Table, Tone, Value};
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
/// The lengths of each class in words.
const LENGTHS: [&str; LEAST_S.len()] = ["1 to 10 µs", "10 to 100 µs", "0.1 to 1 ms", "1 to 10 ms", "10 ms and more"];
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

/// Detours of a second of a thread by their length: bars on a terminal, which grow by equal steps for equal factors.
pub fn histogram(section: &Section<'_>) -> Table {
    let columns = vec![
        Column::new("", Align::Left, Column::ALWAYS),
        Column::new("detours of", Align::Left, Column::ALWAYS),
        Column::new("a second\nof a thread", Align::Right, Column::ALWAYS),
        Column::new("", Align::Left, Column::ALWAYS).of(ColumnKind::Bar),
    ];
    let all: Vec<(String, &Reading<'_>)> =
        series(section).iter().flat_map(|own| own.rows.iter().map(|reading| (own.label.clone(), *reading))).collect();
    let positive = all.iter().filter_map(|(_, reading)| rates(reading)).flatten().filter(|rate| *rate > 0.0);
    let (least, most) =
        positive.fold((f64::INFINITY, 0.0_f64), |(least, most), rate| (least.min(rate), most.max(rate)));
    let length = |rate: f64| if rate > 0.0 { decades(rate, least) / decades(most, least) } else { 0.0 };
    let row = |label: &str, class: usize, rate: f64| {
        let fields = vec![
            Field::from(label),
            LENGTHS[class].into(),
            Field::new(number::significant(rate, 3), Tone::Strong),
            Field::default().with(Value::Bar(length(rate), None)),
        ];
        Row { fields, ..Row::default() }
    };
    let is_one = all.len() == 1;
    let rows = all.iter().filter_map(|(label, reading)| Some((label, rates(reading)?))).flat_map(|(label, rates)| {
        let name = |class: usize| if is_one || class > 0 { "" } else { label.as_str() };
        rates.iter().enumerate().map(|(class, rate)| row(name(class), class, *rate)).collect::<Vec<_>>()
    });
    let rows: Vec<Row> = rows.collect();
    Table { note: "a bar is one step longer for every tenfold".to_owned(), ..Table::dense("", columns, rows) }
}

/// Steps of a bar: one for the least of all, and one more for every tenfold.
fn decades(rate: f64, least: f64) -> f64 {
    1.0 + (rate / least).log10()
}

/// Detours a second of each length.
fn rates(reading: &Reading<'_>) -> Option<Vec<f64>> {
    let elapsed_s = total(reading, SecondaryMetric::QuantaTime).filter(|seconds| *seconds > 0.0)?;
    let rate = |metric: &SecondaryMetric| total(reading, *metric).map(|count| count / elapsed_s);
    SecondaryMetric::DETOURS.iter().map(rate).collect()
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
