//! The noise of the operating system: what is lost, and how often for how long.

use paw_data::headline::{Family, ReportPlace};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::secondary::SecondaryMetric;
use paw_report::{Colour, text};

use crate::handmade::{QUIET, cell, measured, run};

#[test]
fn detours_of_all_samples_are_rates_and_a_share() {
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
    each(SecondaryMetric::LongestDetour, 0.05);
    let text = text(&run(vec![record]), 200, Colour::Plain);
    let row = text.lines().find(|line| line.contains("10%")).unwrap_or_else(|| panic!("{text}"));
    let words: Vec<&str> = row.split_whitespace().collect();
    let place = words.iter().position(|word| *word == "10%").expect("the share");
    assert_eq!(words[place + 1..place + 7], ["50.0", "20.0", "0", "0", "0", "2.00"], "{text}");
}
