//! The noise of the operating system: what is lost, and how often for how long.

use paw_data::headline::{Family, ReportPlace};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::secondary::SecondaryMetric;
use paw_report::{Colour, text};

use crate::handmade::{QUIET, cell, measured, run};

#[test]
fn detours_of_all_samples_are_bars_a_share_and_a_median() {
    let point = Point::new().with("threads", 2_i64);
    let mut record = measured(cell("system", "os_noise", "native", Quantity::Time, point), 1e-6, &QUIET);
    assert_eq!(record.cell.family(), Some(Family::System), "{:?}", ReportPlace::named("system", "os_noise"));
    let taken = record.samples.elapsed_s.len();
    let mut each = |metric: SecondaryMetric, value: f64| {
        record.samples.extra.insert(metric.into(), vec![value; taken]);
    };
    // Half a second of each sample: 10 detours of 5 µs, and one of 50 ms.
    each(SecondaryMetric::QuantaTime, 0.5);
    SecondaryMetric::DETOURS.iter().zip([10.0, 0.0, 0.0, 0.0, 1.0]).for_each(|(metric, count)| each(*metric, count));
    each(SecondaryMetric::DetourTime, 0.05005);
    each(SecondaryMetric::MedianDetour, 5e-6);
    each(SecondaryMetric::LongestDetour, 0.05);
    let text = text(&run(vec![record]), 200, Colour::Plain);
    let row = text.lines().find(|line| line.contains("10%")).unwrap_or_else(|| panic!("{text}"));
    let words: Vec<&str> = row.split_whitespace().collect();
    let place = words.iter().position(|word| *word == "10%").expect("the share");
    assert_eq!(words[place + 1..place + 3], ["5.00", "50.0"], "the median and the longest: {text}");
    // Bars: the least rate has one step, ten times as much two, and none none.
    let bar = |length: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with(length)).unwrap_or_else(|| panic!("{text}"));
        (line.split_whitespace().rev().find_map(|word| word.parse::<f64>().ok()), line.matches('█').count())
    };
    let (most, least, none) = (bar("1 to 10 µs"), bar("10 ms and more"), bar("0.1 to 1 ms"));
    assert_eq!((most.0, least.0, none), (Some(20.0), Some(2.0), (Some(0.0), 0)), "{text}");
    assert!(least.1 > 3 && most.1.abs_diff(2 * least.1) <= 1, "{text}");
}
