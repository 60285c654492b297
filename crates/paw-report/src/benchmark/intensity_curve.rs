//! The roofline of a device: the rate of one kernel over its operations per byte, under the roofs of memory and arithmetic.

use paw_data::axis;
use paw_data::quantity::Quantity;

use crate::model::{Picture, Sentence};
use crate::number;
use crate::plot::RowLinks;
use crate::plot::roofline::{self, Dot};
use crate::reading::Reading;
use crate::roofline::{MEMORY, Roof, Roofs};
use crate::section::Section;
use crate::series::{Series, series};

/// A rate this near to a roof has reached it.
const REACHED: f64 = 0.9;

/// Whether a section is a sweep of operations per byte.
pub fn is_swept(section: &Section<'_>) -> bool {
    section.ladder == Some(axis::INTENSITY)
}

/// A cell of a sweep with a number.
struct Point<'s, 'r> {
    intensity: f64,
    rate: f64,
    reading: &'s Reading<'r>,
}

fn points<'s, 'r>(own: &Series<'s, 'r>) -> Vec<Point<'s, 'r>> {
    let point = |reading: &&'s Reading<'r>| {
        let intensity = reading.record.cell.point.float(axis::INTENSITY)?;
        Some(Point { intensity, rate: reading.value?.middle, reading })
    };
    own.rows.iter().filter_map(point).collect()
}

/// The roofs that a sweep shows by itself: the most bytes a second and the most operations a second of any of its points.
fn roofs(points: &[Point<'_, '_>]) -> Option<Roofs> {
    let most = |rate: fn(&Point<'_, '_>) -> f64| points.iter().map(rate).reduce(f64::max);
    let roof = |name: &str, rate| vec![Roof { name: name.to_owned(), rate, doubt: "" }];
    let (peak, memory) = (most(|point| point.rate)?, most(|point| point.rate / point.intensity)?);
    Some(Roofs { threads: None, peaks: roof("arithmetic", peak), slopes: roof(MEMORY, memory) })
}

/// A picture of every series.
pub fn pictures(section: &Section<'_>, links: &RowLinks) -> Vec<Picture> {
    let all = series(section);
    let drawn = |own: &Series<'_, '_>| {
        let points = points(own);
        let dot = |point: &Point<'_, '_>| Dot {
            series: own.label.clone(),
            intensity: point.intensity,
            rate: point.rate,
            label: String::new(),
            title: format!(
                "{}, {} operations per byte: {}, {}",
                own.label,
                number::significant(point.intensity, 3),
                number::quantity(point.rate, Quantity::Flops, None),
                number::quantity(point.rate / point.intensity, Quantity::Bytes, None)
            ),
            cell: point.reading.record.cell.id,
        };
        let svg = roofline::draw(&[roofs(&points)?], &points.iter().map(dot).collect::<Vec<_>>(), links)?;
        let caption = "Operations a second over operations per byte (higher is better), under the most bytes and the most operations a second that any point of the sweep reached.";
        Some(Picture { svg, title: own.label.clone(), caption: caption.to_owned(), legend: Vec::new() })
    };
    all.iter().filter_map(drawn).collect()
}

/// Both roofs of every series, where they meet, and from where on the second is reached.
pub fn sentences(section: &Section<'_>) -> Vec<Sentence> {
    let all = series(section);
    all.iter().filter_map(|own| Some(Sentence::from(format!("{}: {}", own.label, sentence(&points(own))?)))).collect()
}

/// `None` with fewer than three points, which show no roof.
fn sentence(points: &[Point<'_, '_>]) -> Option<String> {
    let roofs = roofs(points).filter(|_| points.len() > 2)?;
    let (peak, memory) = (roofs.peak(), roofs.memory());
    let words = format!(
        "{} of memory and {} of arithmetic, which meet at {} operations per byte",
        number::quantity(memory, Quantity::Bytes, None),
        number::quantity(peak, Quantity::Flops, None),
        number::significant(peak / memory, 3)
    );
    // A roof shows where two points lie under it: the highest rate of a sweep that still rises is none.
    let flat = points.iter().filter(|point| point.rate >= REACHED * peak).count();
    let sloped = points.iter().filter(|point| point.rate / point.intensity >= REACHED * memory).count();
    Some(match (flat > 1, sloped > 1) {
        (true, true) => format!("{words}."),
        (false, _) => format!(
            "at least {words}: the rate still rose at the end, so that --set intensity= with larger values would tell."
        ),
        (true, false) => format!(
            "at least {words}: bytes a second still rose towards fewer operations, so that --set intensity= with smaller values would tell."
        ),
    })
}
