//! What METHOD.md claims of change points, on histories of known truth: seeded, so that it holds or fails on every machine alike.

use calibration::history::{CORRELATED, INDEPENDENT, false_alarms, power};

/// Series of each scatter and length.
const SERIES: u64 = 600;

#[test]
fn one_series_of_a_thousand_shows_a_change_that_is_none() {
    let mut alarms = 0;
    let mut series = 0;
    for scatter in INDEPENDENT {
        for runs in [10, 14, 20, 50, 100] {
            let found = false_alarms(scatter, runs, SERIES);
            // A rate of a thousandth shows four of 600 once in 300 tables.
            assert!(found.count <= 4, "{}, {runs} runs: {found:?}", scatter.name);
            alarms += found.count;
            series += found.of;
        }
    }
    assert!(alarms as f64 <= series as f64 / 1000.0, "{alarms} of {series}");
}

#[test]
fn runs_that_resemble_each_other_show_no_more() {
    for scatter in CORRELATED {
        for runs in [14, 20, 50] {
            let found = false_alarms(scatter, runs, SERIES);
            assert!(found.count <= 4, "{}, {runs} runs: {found:?}", scatter.name);
        }
    }
}

#[test]
fn steps_are_found_with_their_place_and_size() {
    for (step, noise, runs, after, least) in
        [(0.1, 0.01, 14, 7, 0.85), (0.05, 0.01, 20, 10, 0.7), (0.1, 0.03, 50, 25, 0.95), (0.05, 0.01, 50, 5, 0.95)]
    {
        let found = power(&INDEPENDENT[0], runs, noise, (after, 1.0 + step), 100);
        assert!(found.found.share() >= Some(least), "{step} {noise} {runs} {after}: {:?}", found.found);
        assert!(found.placed.share() >= Some(0.85), "{step} {noise} {runs} {after}: {:?}", found.placed);
        assert!(found.sized.share() >= Some(0.85), "{step} {noise} {runs} {after}: {:?}", found.sized);
    }
}
