//! The bounds that runs give.

use paw_data::baseline::bounds::{Candidates, Rule};
use paw_data::baseline::{Baseline, Statistic};
use paw_data::machine::Machine;
use paw_data::run::Run;

use crate::constructed::{empty, machine, record, steady, stored};

const RULE: Rule = Rule { statistic: Statistic::Median, share: 0.05 };

/// Runs of these times, one a day.
fn runs(times: &[f64], machine: &Machine) -> Vec<Run> {
    let run = |(day, time_s): (usize, &f64)| Run {
        records: vec![record(&steady(*time_s))],
        ..empty(&day.to_string(), day % 28, machine.clone())
    };
    times.iter().enumerate().map(run).collect()
}

fn only(times: &[f64], machine: &Machine) -> (Baseline, Vec<String>) {
    let found = Candidates::of(&runs(times, machine), RULE);
    let [candidate] = &found.all[..] else { panic!("{found:?}") };
    (stored(candidate), found.notes)
}

#[test]
fn enough_runs_have_the_percentile_itself() {
    let times: Vec<f64> = (0..19).map(|i| 1.0 + 0.01 * f64::from(i)).collect();
    let (found, notes) = only(&times, &machine(""));
    // The slowest of 19 runs: one more is slower once in twenty times.
    let slowest = 1e9 / 1.18;
    assert!(found.lower.unwrap() <= slowest && found.lower.unwrap() > 0.9995 * slowest, "{found:?}");
    assert!(notes.is_empty(), "{notes:?}");
}

#[test]
fn fewer_runs_widen_their_bounds_and_say_so() {
    let (one, notes) = only(&[1.0], &machine("KVM"));
    // 1.645 deviations of 2.5 %, times the root of two.
    let width = (one.value / one.lower.unwrap()).ln();
    assert!((0.058..0.061).contains(&width), "{width}");
    assert_eq!(notes.len(), 1);
    assert!(notes[0].starts_with("a percentile of 5 takes 19 runs and 1 run is here"), "{notes:?}");
    let (three, _) = only(&[0.99, 1.0, 1.01], &machine(""));
    let width = (three.value / three.lower.unwrap()).ln();
    // Student's t of two degrees of freedom, 2.92, times the root of 4/3, times 1 %.
    assert!((0.033..0.035).contains(&width), "{width}");
    assert_eq!(three.provenance.measured().unwrap().days, 3);
}

#[test]
fn an_unknown_machine_needs_three_runs() {
    let found = Candidates::of(&runs(&[1.0, 1.01], &Machine::default()), RULE);
    assert!(found.all.is_empty());
    assert!(
        found.notes[0].contains("2 of 3 runs at least are here (19 for the percentile itself)"),
        "{:?}",
        found.notes
    );
    assert_eq!(Candidates::of(&runs(&[1.0, 1.01, 1.02], &Machine::default()), RULE).all.len(), 1);
}

#[test]
fn a_disturbed_run_makes_no_reference_beside_sound_ones() {
    let mut runs = runs(&[1.0, 1.0, 1.0, 2.0], &machine(""));
    runs[3].records[0].samples.disturbed.fill(true);
    let found = Candidates::of(&runs, RULE);
    assert_eq!(found.all[0].measured.runs, 3);
    assert!((found.all[0].value / 1e9 - 1.0).abs() < 1e-5, "{found:?}");
    let alone = Candidates::of(&runs[3..], RULE);
    assert!(alone.all[0].measured.doubt.contains("disturbed"), "{alone:?}");
    assert!(alone.notes.iter().any(|note| note.contains("disturbed")), "{alone:?}");
}

#[test]
fn the_latest_run_is_named_in_whatever_order_they_are_given() {
    let mut runs = runs(&[1.0, 1.01, 0.99], &machine(""));
    runs.rotate_left(1);
    let found = Candidates::of(&runs, RULE);
    let measured = &found.all[0].measured;
    assert_eq!((measured.run.as_str(), measured.date.as_str()), ("2", "2026-01-03"));
    assert_eq!(runs.last().unwrap().header.id, "0");
}
