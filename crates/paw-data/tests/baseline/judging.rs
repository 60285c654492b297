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
    check(REFERENCE, std::slice::from_ref(&twice), Verdict::Ambiguous, "2 cells fit");
    check(REFERENCE, &[run("a", &steady(1.0)), twice], Verdict::Ambiguous, "a: 2 cells fit");
}

#[test]
fn a_bound_that_is_not_there_is_not_judged() {
    let without = |line: &str| REFERENCE.replace(line, "");
    let [no_lower, no_upper] = [without("lower = -0.05\n"), without("upper = 0.10\n")];
    let neither = no_lower.replace("upper = 0.10\n", "");
    let slow = [run("a", &steady(2.0))];
    for text in [&no_lower, &neither] {
        check(text, &slow, Verdict::NoBound, "the reference has no `lower`: nothing says what would be worse");
        check(text, &[run("a", &[vec![2.0; 4]])], Verdict::NoBound, "no `lower`");
    }
    check(&no_upper, &slow, Verdict::Regression, "");
    let fast = [run("a", &steady(0.5))];
    check(&no_lower, &fast, Verdict::Suspicious, "");
    check(&no_upper, &fast, Verdict::Pass, "");
    check(&no_lower.replace("GB/s", "s"), &slow, Verdict::Regression, "");
    check(&no_upper.replace("GB/s", "s"), &slow, Verdict::NoBound, "no `upper`");
}

#[test]
fn runs_of_different_hardware_make_no_number() {
    let on = |id: &str, host: &str| {
        let mut run = run(id, &steady(1.0));
        run.header.machine.identity.host = host.into();
        run
    };
    // A container has a host name of its own each time.
    check(REFERENCE, &[on("a", "x"), on("b", "x"), on("c", "y")], Verdict::Pass, "of 3 runs");
    let mut other = on("c", "x");
    other.header.machine.identity.cpu = "Another CPU".into();
    let both = [on("a", "x"), other];
    check(
        &REFERENCE.replace("machine = \"Some*\"\n", ""),
        &both,
        Verdict::Ambiguous,
        "a is of Some CPU 7 on host x, and c is of Another CPU on host x",
    );
    // The reference is for the first alone.
    check(REFERENCE, &both, Verdict::Pass, "");
}

#[test]
fn a_run_without_a_number_is_named_beside_those_that_have_one() {
    let sound = |id: &str| run(id, &steady(1.0));
    let named = |id: &str, change: fn(&mut Record)| {
        let mut run = changed(change);
        run.header.id = id.into();
        run
    };
    let cut_off = named("b", |record| record.outcome = None);
    let skipped = named("c", |record| record.outcome = Some(outcome(Status::Skipped, Some("no such library"))));
    let disturbed = named("d", |record| record.samples.disturbed.fill(true));
    let cut = "of 1 of 2 runs, without b: the run was cut off before this cell ended";
    check(REFERENCE, &[sound("a"), cut_off.clone()], Verdict::Pass, cut);
    check(
        REFERENCE,
        &[sound("a"), skipped.clone()],
        Verdict::Pass,
        "of 1 of 2 runs, without c: skipped: no such library",
    );
    check(REFERENCE, &[disturbed.clone(), sound("a")], Verdict::Pass, "of 1 of 2 runs, without d: ");
    let all = [sound("a"), cut_off.clone(), skipped, disturbed, sound("e")];
    check(
        REFERENCE,
        &all,
        Verdict::Pass,
        "of 2 of 5 runs, without b: the run was cut off before this cell ended, and 2 more",
    );
    check(REFERENCE, &[cut_off], Verdict::Missing, "the run was cut off");
    only(REFERENCE, &[sound("a")], |judgement| assert_eq!(judgement.why, ""));
}
