//! The file as people write it.

use std::path::Path;

use paw_data::baseline::file::parse;
use paw_data::baseline::judgement::Verdict;
use paw_data::baseline::unit::Counted;
use paw_data::baseline::{Provenance, Statistic};
use paw_data::document::Document;
use paw_data::quantity::Quantity;

use crate::constructed::{REFERENCE, baselines, only, run, steady};

#[track_caller]
fn refused(text: &str, first_line: &str, marked: &str) {
    let error = parse(&Document { path: Path::new("ref.toml"), text }).unwrap_err();
    let shown = error.to_string();
    assert_eq!(shown.lines().next().unwrap(), first_line, "{shown}");
    let place = error.place.as_ref().map(|place| &place.text[place.span.clone()]);
    assert_eq!(place.unwrap_or_default(), marked, "{shown}");
    assert!(marked.is_empty() || shown.contains('^'), "{shown}");
}

#[test]
fn an_entry_has_a_value_bounds_and_where_it_is_from() {
    let text = format!(
        "# by hand\n{REFERENCE}provenance = 'the vendor, page 3'\n\n[[reference]]\ncommand = './fit *'\nvalue = 12\nunit = 'ms'\nlower = '10 ms'\nupper = '+8%'\nstatistic = 'min'\nprovenance = {{ runs = 3, days = 2, spread = 0.01 }}\n"
    );
    let [rate, time] = &baselines(&text)[..] else { panic!() };
    assert_eq!((rate.value, rate.lower, rate.worse()), (1e9, Some(0.95e9), Some(0.95e9)));
    assert!((rate.better().unwrap() - 1.1e9).abs() < 1.0);
    assert_eq!(
        (rate.unit.counted, rate.line, rate.statistic),
        (Counted::Quantity(Quantity::Bytes), 2, Statistic::Median)
    );
    assert_eq!(rate.provenance, Provenance::Stated("the vendor, page 3".into()));
    assert_eq!(rate.title(), "read native bytes=4096");
    assert_eq!((time.value, time.lower, time.better(), time.line), (0.012, Some(0.01), Some(0.01), 13));
    assert!((time.worse().unwrap() - 0.01296).abs() < 1e-12);
    assert_eq!((time.provenance.measured().unwrap().runs, time.title().as_str()), (3, "./fit *"));
}

#[test]
fn what_is_wrong_is_pointed_at() {
    let with = |line: &str| format!("{REFERENCE}{line}\n");
    refused(
        &with("valeu = 3"),
        "ref.toml:10:1: there is no key `valeu` in `reference`: did you mean `value`?",
        "valeu",
    );
    refused(
        &with("statistic = 'mode'"),
        "ref.toml:10:13: `statistic` must be `median` or `min` or `mean`, not `mode`",
        "'mode'",
    );
    let unit = REFERENCE.replace("GB/s", "parsec");
    let said = "ref.toml:6:9: `parsec` is no unit: write s, FLOP/s, B/s, messages/s, updates/s or Hz, with a prefix (ms, GB/s)";
    refused(&unit, said, "parsec");
    let lower = REFERENCE.replace("lower = -0.05", "lower = 0.95");
    let said = "ref.toml:7:9: `lower` is a fraction of the value from -1 to 0, or a text with its unit: \"38.2 ms\"";
    refused(&lower, said, "0.95");
    let above = REFERENCE.replace("lower = -0.05", "lower = '1.2 GB/s'");
    refused(&above, "ref.toml:7:9: `lower` is above the value", "'1.2 GB/s'");
    let other = REFERENCE.replace("lower = -0.05", "lower = '1.2 ms'");
    refused(&other, "ref.toml:7:9: `1.2 ms` is in ms, and the value in GB/s", "'1.2 ms'");
    refused(&REFERENCE.replace("value = 1.0", "value = -1.0"), "ref.toml:5:1: `value` must be above 0", "value");
    refused(&REFERENCE.replace("value = 1.0", "value = nan"), "ref.toml:5:9: `value` must be a finite number", "nan");
    let neither = "[[reference]]\nvalue = 1\nunit = 's'\n";
    refused(
        neither,
        "ref.toml:1:1: there is neither `benchmark` nor `command`: write what was measured",
        "[[reference]]",
    );
}

#[test]
fn what_is_no_such_file_is_refused() {
    for text in ["", "# nothing\n", "reference = []"] {
        refused(text, "ref.toml: holds no [[reference]]: `paw gate set --from RUN --out FILE` writes some", "");
    }
    for text in
        ["[[reference", "reference = 3", "[reference]\nbenchmark = 'x'", "x = 1", "[[reference]]\nbenchmark = ''"]
    {
        let error = parse(&Document { path: Path::new("ref.toml"), text }).unwrap_err();
        assert!(error.place.is_some() && error.to_string().contains('^'), "{text}: {error}");
    }
}

#[test]
fn a_metric_says_what_is_better_and_nothing_else_does() {
    let missing = REFERENCE.replace("unit", "metric = 'rate'\nunit");
    let said = "ref.toml:1:1: of `rate` nobody knows what is better: write better = \"lower\" or \"higher\"";
    refused(&missing, said, "[[reference]]");
    let said = "ref.toml:6:10: `better` is of a `metric`: the unit says it of what paw measures";
    refused(&REFERENCE.replace("unit", "better = 'lower'\nunit"), said, "'lower'");
    let bound = format!("{missing}better = 'higher'\n").replace("0.10", "'2 MB/s'");
    refused(&bound, "ref.toml:9:9: `2 MB/s` is in MB/s, and the value in GB/s", "'2 MB/s'");
}

#[test]
fn a_provenance_that_cannot_be_is_refused() {
    let with = |keys: &str| format!("{REFERENCE}provenance = {{ {keys} }}\n");
    let percentile = "ref.toml:10:29: `percentile` must be a number from 0.01 to 40";
    for number in ["0.0", "-5", "90", "nan", "inf"] {
        refused(&with(&format!("percentile = {number}")), percentile, number);
    }
    for (key, column) in [("spread", 25), ("half_width", 29)] {
        let said = format!("ref.toml:10:{column}: `{key}` must be a finite number from 0 on");
        for number in ["-0.01", "nan", "inf"] {
            refused(&with(&format!("{key} = {number}")), &said, number);
        }
    }
    for (key, column) in [("runs", 23), ("days", 23)] {
        let said = format!("ref.toml:10:{column}: `{key}` must be a whole number from 0 to 10^9");
        for number in ["-1", "1000000001", "9223372036854775807", "1.5"] {
            refused(&with(&format!("{key} = {number}")), &said, number);
        }
        refused(&with(&format!("{key} = '3'")), &format!("{said}, not a text"), "'3'");
    }
    baselines(&with("runs = 1000000000, days = 0, spread = 0, percentile = 40, half_width = 0.0"));
}

#[test]
fn a_number_too_large_for_its_unit_is_refused() {
    let unit = REFERENCE.replace("GB/s", "EB/s");
    let value = unit.replace("value = 1.0", "value = 1e300");
    refused(&value, "ref.toml:5:1: `value` is too large for a number", "value");
    let upper = unit.replace("upper = 0.10", "upper = '1e300 EB/s'");
    refused(&upper, "ref.toml:8:9: `upper` is too large for a number", "'1e300 EB/s'");
    let upper = unit.replace("upper = 0.10", "upper = 1e300");
    refused(&upper, "ref.toml:8:9: `upper` is too large for a number", "1e300");
}

#[test]
fn a_recorded_number_of_runs_takes_no_time() {
    let text = format!("{REFERENCE}provenance = {{ runs = 1000000000, days = 9, spread = 0.01 }}\n");
    only(&text, &[run("a", &steady(1.0))], |judgement| assert_eq!(judgement.verdict, Verdict::Pass));
}
