//! A load that lasts: the rate over time, with clock, power and temperature, what became of the rate, and why.

use paw_data::secondary::SecondaryMetric;
use paw_data::throttle;
use paw_stats::quantile::median;

use crate::axis::{Axis, TickLabels};
use crate::model::{Picture, Sentence};
use crate::number;
use crate::plot::RowLinks;
use crate::plot::lines::{self, Dot, Line, LinePlot};
use crate::reading::Reading;
use crate::section::Section;
use crate::series::{Series, series};

/// Seconds at the beginning and at the end that are compared; a shorter load is halved.
const ENDS_S: f64 = 5.0;
/// A rate that has fallen by less than this is kept: single samples differ by as much.
const KEPT_WITHIN: f64 = 0.02;
/// More points on a line are closer than a pixel.
const POINTS: usize = 400;

/// What is drawn over time, with its unit in words and the unit's size.
const DRAWN: &[(SecondaryMetric, &str, f64)] = &[
    (SecondaryMetric::DeviceClock, "clock GHz", 1e-9),
    (SecondaryMetric::Power, "power W", 1.0),
    (SecondaryMetric::Temperature, "temperature °C", 1.0),
];

/// A sample: seconds since the first began, the headline's rate, and its number in the series.
struct Moment {
    at_s: f64,
    rate: f64,
    sample: usize,
}

/// Whether a section is of a load whose device was looked at while it lasted.
pub fn lasts(section: &Section<'_>) -> bool {
    section.rows.iter().any(|reading| reasons(reading).is_some())
}

fn reasons(reading: &Reading<'_>) -> Option<Vec<f64>> {
    reading.record.samples.secondary(SecondaryMetric::ThrottleReasons).map(|column| column.to_vec())
}

/// All samples of a cell with a number, disturbed ones too: what happens to a device is what is asked.
fn moments(reading: &Reading<'_>) -> Vec<Moment> {
    let (samples, cell) = (&reading.record.samples, &reading.record.cell);
    let began_s = samples.at_s.first().zip(samples.elapsed_s.first()).map_or(0.0, |(at, elapsed)| at - elapsed);
    let moment = |(sample, per_loop_s): (usize, f64)| Moment {
        at_s: samples.at_s[sample] - began_s,
        rate: cell.work.value(cell.headline, per_loop_s),
        sample,
    };
    let all = samples.per_loop_s().into_iter().enumerate().map(moment);
    all.filter(|moment| reading.value.is_some() && moment.at_s.is_finite() && moment.rate.is_finite()).collect()
}

/// The rate, and each thing that was looked at beside it, over time.
pub fn pictures(section: &Section<'_>, links: &RowLinks) -> Vec<Picture> {
    let (all, Some(scale)) = (series(section), section.scale.clone()) else { return Vec::new() };
    let rate = |_: &Reading<'_>, moment: &Moment| Some(moment.rate);
    let mut pictures: Vec<Picture> =
        picture(&all, links, rate, (TickLabels::Scaled(scale), section.unit())).into_iter().collect();
    for (metric, name, factor) in DRAWN {
        let of = |reading: &Reading<'_>, moment: &Moment| {
            let column = reading.record.samples.secondary(*metric)?;
            column.get(moment.sample).map(|value| value * factor)
        };
        pictures.extend(picture(&all, links, of, (TickLabels::Plain, name)));
    }
    if let Some(first) = pictures.first_mut() {
        first.caption = "The rate of every sample over the time since the first began (higher is better), and what the device said of itself meanwhile.".to_owned();
    }
    pictures
}

/// The lines of all series for one thing over time; `None` where no series has two values of it.
fn picture(
    all: &[Series<'_, '_>],
    links: &RowLinks,
    value: impl Fn(&Reading<'_>, &Moment) -> Option<f64>,
    (labels, name): (TickLabels, &str),
) -> Option<Picture> {
    let line = |(hue, own): (usize, &Series<'_, '_>)| {
        let dots = own.rows.iter().flat_map(|reading| {
            let moments = moments(reading);
            let stride = moments.len().div_ceil(POINTS).max(1);
            let dot = |moment: &Moment| {
                let y = value(reading, moment).filter(|y| y.is_finite())?;
                let words = format!("{}, after {}", own.label, number::duration(moment.at_s));
                let href = links.link(reading.record.cell.id);
                Some(Dot { x: moment.at_s, y, ends: (y, y), grade: reading.grade, words, href })
            };
            moments.iter().step_by(stride).filter_map(dot).collect::<Vec<_>>()
        });
        Line { label: own.label.clone(), look: (hue % lines::HUES, 0), pieces: vec![dots.collect()], is_level: false }
    };
    let drawn: Vec<Line> = all.iter().enumerate().map(line).collect();
    let dots = || drawn.iter().flat_map(Line::dots);
    dots().nth(1)?;
    let x = Axis::close(dots().map(|dot| dot.x).chain([0.0]), TickLabels::Plain);
    let y = Axis::quantity(dots().map(|dot| dot.y), labels);
    let label = format!("{name} over seconds, {} lines", drawn.len());
    let svg = lines::plot(
        &drawn,
        LinePlot { x, x_name: "s", y, y_name: name, ideal: Vec::new(), boundaries: &[], level: None, label },
    );
    Some(Picture { svg, title: name.to_owned(), caption: String::new(), legend: Vec::new() })
}

/// What became of the rate of every series, and why.
pub fn sentences(section: &Section<'_>) -> Vec<Sentence> {
    let all = series(section);
    let is_one = all.len() == 1;
    let told = all.iter().flat_map(|own| {
        let name = if is_one { String::new() } else { format!("{}: ", own.label) };
        own.rows.iter().filter_map(move |reading| Some(Sentence::from(name.clone() + &sentence(reading)?)))
    });
    told.collect()
}

/// The rate of the first seconds, of the last, their ratio, and the reasons that were given; `None` without four samples.
fn sentence(reading: &Reading<'_>) -> Option<String> {
    let moments = moments(reading);
    let (first, last) = (moments.first()?, moments.last()?);
    let ends_s = ENDS_S.min((last.at_s - first.at_s) / 2.0);
    let within = |from_s: f64, to_s: f64| {
        let rates: Vec<f64> =
            moments.iter().filter(|m| m.at_s >= from_s && m.at_s <= to_s).map(|moment| moment.rate).collect();
        median(&rates).filter(|_| rates.len() > 1)
    };
    let begin = within(first.at_s, first.at_s + ends_s)?;
    let end = within(last.at_s - ends_s, last.at_s)?;
    let ratio = end / begin;
    let quantity = reading.record.cell.headline;
    let rates = format!(
        "{} in the first {}, {} in the last, {:.2} of it",
        number::quantity(begin, quantity, None),
        number::duration(ends_s),
        number::quantity(end, quantity, None),
        ratio
    );
    let kept =
        if ratio >= 1.0 - KEPT_WITHIN { "the device kept its speed" } else { "the device did not keep its speed" };
    Some(format!("{kept}: {rates}; {}.", why(reading, &moments, ratio)))
}

/// The reasons that the device gave, each with the share of samples in which it did, and when the first of them began.
fn why(reading: &Reading<'_>, moments: &[Moment], ratio: f64) -> String {
    let Some(reasons) = reasons(reading) else {
        return "it does not say whether anything held its clock down".to_owned();
    };
    let bits = |moment: &Moment| reasons.get(moment.sample).filter(|bits| **bits >= 0.0).map_or(0, |bits| *bits as u64);
    let all = moments.iter().map(bits).fold(0, |all, bits| all | bits);
    let named: Vec<String> = throttle::words(all)
        .into_iter()
        .map(|word| {
            let bit = throttle::bits([word]);
            let held = moments.iter().filter(|moment| bits(moment) & bit != 0).count();
            format!("{word} in {} of the samples", number::percent(held as f64 / moments.len() as f64))
        })
        .collect();
    let since = moments.iter().find(|moment| bits(moment) != 0).map(|moment| number::duration(moment.at_s));
    match (since, ratio >= 1.0 - KEPT_WITHIN) {
        (Some(since), _) => format!("its clock was held down from {since} on: {}", named.join(", ")),
        (None, true) => "nothing held its clock down".to_owned(),
        (None, false) => "it gave no reason for a lower clock: look at what else ran on it and on the host".to_owned(),
    }
}
