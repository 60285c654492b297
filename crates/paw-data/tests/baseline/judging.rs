//! What constructed runs say about a reference.

use paw_data::baseline::judgement::Verdict;
use paw_data::outcome::{Caveat, Check, CheckVerdict, Status};
use paw_data::run::{Record, Run};

use crate::constructed::{REFERENCE, empty, machine, only, outcome, record, run, steady};

#[track_caller]
fn check(text: &str, runs: &[Run], verdict: Verdict, why: &str) {
    only(text, runs, |judgement| {
        assert_eq!(judgement.verdict, verdict, "{judgement:?}");
        assert!(judgement.why.contains(why), "{}", judgement.why);
    });
}

/// A run whose only record was changed.
fn changed(change: impl FnOnce(&mut Record)) -> Run {
    let mut run = run("a", &steady(1.0));
    change(&mut run.records[0]);
    run
}

#[test]
fn the_interval_decides() {
    for (time_s, verdict) in [
        (1.0, Verdict::Pass),
        (1.03, Verdict::Pass),
        (1.05, Verdict::Inconclusive),
        (1.10, Verdict::Regression),
        (0.95, Verdict::Pass),
        (0.85, Verdict::Suspicious),
    ] {
        check(REFERENCE, &[run("a", &steady(time_s))], verdict, "");
    }
    // In a unit of time the other bound is the bad one.
    let time = REFERENCE
        .replace("GB/s", "s")
        .replace("lower = -0.05", "lower = -0.10")
        .replace("upper = 0.10", "upper = 0.05");
    for (time_s, verdict) in [(1.0, Verdict::Pass), (1.10, Verdict::Regression), (0.85, Verdict::Suspicious)] {
        check(&time, &[run("a", &steady(time_s))], verdict, "");
    }
}

#[test]
fn the_spread_that_the_reference_recorded_widens_a_single_run() {
    let slow = run("a", &steady(1.10));
    let recorded =
        |runs, days, spread| format!("{REFERENCE}provenance = {{ runs = {runs}, days = {days}, spread = {spread} }}\n");
    check(&recorded(20, 5, 0.005), std::slice::from_ref(&slow), Verdict::Regression, "");
    check(&recorded(20, 5, 0.04), std::slice::from_ref(&slow), Verdict::Inconclusive, "more runs would tell");
    // Two runs know nothing of their spread.
    check(&recorded(2, 1, 0.04), std::slice::from_ref(&slow), Verdict::Regression, "");
    // One afternoon on a virtual machine does not show what its neighbours do on another day.
    let on_vm = Run { records: slow.records.clone(), ..empty("a", 0, machine("KVM")) };
    check(&recorded(20, 1, 0.001), std::slice::from_ref(&on_vm), Verdict::Inconclusive, "");
    check(&recorded(20, 3, 0.001), std::slice::from_ref(&on_vm), Verdict::Regression, "");
}

#[test]
fn several_runs_are_judged_together() {
    let runs = |times: &[f64]| -> Vec<Run> {
        (0..).zip(times).map(|(i, time_s): (u32, _)| run(&i.to_string(), &steady(*time_s))).collect()
    };
    check(REFERENCE, &runs(&[1.09, 1.10, 1.11]), Verdict::Regression, "");
    check(REFERENCE, &runs(&[1.00, 1.25, 1.0]), Verdict::Inconclusive, "");
    check(REFERENCE, &runs(&[1.00, 1.01]), Verdict::Pass, "");
    only(REFERENCE, &runs(&[1.0, 1.01, 0.99]), |judgement| {
        assert_eq!((judgement.verdict, judgement.runs), (Verdict::Pass, 3));
        assert!(judgement.change().unwrap().abs() < 0.002);
    });
}

#[test]
fn without_an_interval_there_is_no_verdict() {
    let few = vec![vec![2.0; 4]];
    check(REFERENCE, &[run("a", &few)], Verdict::Inconclusive, "has no interval");
    let two = vec![vec![2.0; 8], vec![2.0; 8]];
    check(REFERENCE, &[run("a", &two)], Verdict::Inconclusive, "has no interval");
}

#[test]
fn a_number_that_cannot_be_relied_on_is_neither_good_nor_bad() {
    let other_work = Caveat::new("other-work", "other work ran", "stop it");
    let contended = changed(|record| record.outcome.as_mut().unwrap().caveats.push(other_work));
    check(REFERENCE, std::slice::from_ref(&contended), Verdict::Contended, "other work ran");
    let half = changed(|record| record.samples.disturbed.iter_mut().step_by(2).for_each(|disturbed| *disturbed = true));
    check(REFERENCE, &[half], Verdict::Contended, "50 % of the samples were disturbed");
    let wide = run("a", &[vec![1.0; 8], vec![1.5; 8], vec![2.0; 8]]);
    check(REFERENCE, &[wide], Verdict::Unstable, "known to ±");
    // Another run, which nothing disturbed, decides.
    check(REFERENCE, &[contended, run("b", &steady(1.10))], Verdict::Regression, "");
}

#[test]
fn wrong_and_failed_cells_are_said() {
    let check_failed = Check {
        method: "sum".into(),
        error: 2.0,
        bound: 1.0,
        verdict: CheckVerdict::Fail,
        note: "b[3] is 7".into(),
        accuracy: None,
    };
    let wrong = changed(|record| record.outcome.as_mut().unwrap().check = Some(check_failed));
    check(REFERENCE, std::slice::from_ref(&wrong), Verdict::Wrong, "b[3] is 7");
    check(REFERENCE, &[run("b", &steady(1.0)), wrong], Verdict::Wrong, "b[3] is 7");
    let failed = changed(|record| record.outcome = Some(outcome(Status::Failed, Some("it crashed"))));
    check(REFERENCE, &[failed], Verdict::Failed, "it crashed");
    let skipped = changed(|record| record.outcome = Some(outcome(Status::Skipped, Some("no such library"))));
    check(REFERENCE, &[skipped], Verdict::Missing, "skipped: no such library");
}

#[test]
fn what_the_runs_lack_is_said() {
    let cut_off = changed(|record| record.outcome = None);
    check(REFERENCE, &[cut_off], Verdict::Missing, "cut off before this cell ended");
    let damaged = Run { damage: Some("the last line".into()), ..empty("a", 0, machine("")) };
    check(REFERENCE, &[damaged], Verdict::Missing, "its file is cut off or damaged");
    let there = [run("a", &steady(1.0))];
    check(&REFERENCE.replace("4096", "8192"), &there, Verdict::Missing, "no such cell");
    check(&REFERENCE.replace("\"native\"", "\"mkl\""), &there, Verdict::Missing, "no such cell");
    check(&REFERENCE.replace("4096", "4096.0"), &there, Verdict::Pass, "");
    check(&REFERENCE.replace("GB/s", "GFLOP/s"), &there, Verdict::OtherUnit, "has no FLOP/s: it is measured in B/s");
    check(&REFERENCE.replace("Some*", "Other*"), &there, Verdict::OtherMachine, "`Other*`, and this is `Some CPU 7`");
    let twice = Run { records: vec![record(&steady(1.0)), record(&steady(1.0))], ..empty("a", 0, machine("")) };
    check(REFERENCE, &[twice], Verdict::Missing, "2 cells fit");
}
