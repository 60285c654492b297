//! A fault costs one cell; a wrong answer is no number.

use paw_data::outcome::{Check, CheckVerdict, Outcome, Status};
use paw_measure::clock::scripted::Script;
use paw_measure::fault::Fault;
use paw_measure::measure::measure;
use paw_measure::prepared_cell::PreparedCell;

use crate::bench::{Bench, check, entry, free_clock, plan, preset, session, steady};
use crate::diary::Diary;

/// A cell that answers its `call`-th call with `fault`.
fn faulty(script: &Script, call: u32, fault: Fault) -> PreparedCell {
    let mut calls = 0;
    let region = move |script: &Script, loops: u64| {
        calls += 1;
        script.advance(loops as f64 * 0.5);
        if calls == call { Err(fault.clone()) } else { Ok(()) }
    };
    entry(1, preset("kbest"), script, Bench::new(script, region))
}

fn healthy(script: &Script) -> PreparedCell {
    entry(2, preset("kbest"), script, Bench::new(script, steady(0.5)))
}

fn with_a_healthy_partner(call: u32, fault: Fault) -> (Diary, Vec<Outcome>) {
    let script = free_clock();
    let mut diary = Diary::default();
    let mut group = [faulty(&script, call, fault), healthy(&script)];
    let outcomes = measure(&mut group, &plan(1), &session(&script), &mut diary);
    (diary, outcomes)
}

#[test]
fn a_cell_that_breaks_keeps_its_samples_and_costs_nobody_else() {
    // One call starts the cell, one calibrates it; an iteration this long is not called again when it resumes.
    let (diary, outcomes) = with_a_healthy_partner(8, Fault::Broken("the library wrote past its matrix".to_owned()));
    assert_eq!(outcomes[0].status, Status::Failed);
    assert_eq!(outcomes[0].why.as_deref(), Some("the library wrote past its matrix"));
    assert_eq!(diary.samples[&1].len(), 5);
    assert_eq!((outcomes[1].status, diary.samples[&2].len()), (Status::Measured, 16));
    assert_eq!(diary.count("ended 1"), 1);
}

#[test]
fn a_wrong_answer_of_a_sample_is_a_failed_check() {
    let wrong = Check { method: "by eye".to_owned(), note: "c[3] is off".to_owned(), ..check(CheckVerdict::Fail) };
    let (diary, outcomes) = with_a_healthy_partner(8, Fault::Wrong(Box::new(wrong.clone())));
    assert_eq!((outcomes[0].status, outcomes[0].check.as_ref()), (Status::Failed, Some(&wrong)));
    assert_eq!(outcomes[0].why.as_deref(), Some("wrong answer: c[3] is off"));
    assert_eq!((diary.samples[&1].len(), diary.samples[&2].len()), (5, 16));
}

#[test]
fn what_a_sample_left_wrong_fails_the_cell_and_names_the_sample() {
    let wrong = Check { method: "a glance".to_owned(), note: "c[3] is off".to_owned(), ..check(CheckVerdict::Fail) };
    let (diary, outcomes) = with_a_healthy_partner(8, Fault::Spoiled(Box::new(wrong.clone())));
    let named = Check { note: "in sample 6: c[3] is off".to_owned(), ..wrong.clone() };
    assert_eq!((outcomes[0].status, outcomes[0].check.as_ref()), (Status::Failed, Some(&named)));
    assert_eq!(outcomes[0].why.as_deref(), Some("wrong answer: in sample 6: c[3] is off"));
    assert_eq!((diary.samples[&1].len(), diary.samples[&2].len()), (5, 16));
    let (_, outcomes) = with_a_healthy_partner(2, Fault::Spoiled(Box::new(wrong)));
    assert_eq!(outcomes[0].why.as_deref(), Some("wrong answer: in warm-up sample 1: c[3] is off"));
}

#[test]
fn a_cell_that_cannot_start_is_skipped_and_still_told_of() {
    let (diary, outcomes) = with_a_healthy_partner(1, Fault::Missing("libnone.so: not found".to_owned()));
    assert_eq!(outcomes[0].status, Status::Skipped);
    assert_eq!(outcomes[0].why.as_deref(), Some("libnone.so: not found"));
    assert_eq!((diary.count("begun 1"), diary.count("ended 1")), (1, 1));
    assert_eq!(outcomes[1].status, Status::Measured);
}

#[test]
fn an_interrupted_workload_ends_the_group() {
    let (diary, outcomes) = with_a_healthy_partner(8, Fault::Interrupted);
    assert!(diary.samples[&2].len() <= 7, "{}", diary.samples[&2].len());
    assert!(outcomes.iter().all(|outcome| outcome.status == Status::Measured), "{outcomes:?}");
}

fn answered(verdict: CheckVerdict) -> Outcome {
    let script = free_clock();
    let bench = Bench::new(&script, steady(0.5)).answering(verdict);
    measure(&mut [entry(1, preset("kbest"), &script, bench)], &plan(1), &session(&script), &mut Diary::default())
        .remove(0)
}

#[test]
fn a_wrong_answer_fails_and_says_where() {
    let outcome = answered(CheckVerdict::Fail);
    assert_eq!(outcome.status, Status::Failed);
    assert!(outcome.why.as_ref().is_some_and(|why| why.contains("c[3] is off")), "{outcome:?}");
    assert_eq!(outcome.check.map(|check| check.verdict), Some(CheckVerdict::Fail));
}

#[test]
fn a_poor_answer_is_measured_with_a_caveat_and_a_right_one_without() {
    let ids = |outcome: Outcome| outcome.caveats.into_iter().map(|caveat| caveat.id).collect::<Vec<_>>();
    assert_eq!(ids(answered(CheckVerdict::Warn)), ["reduced-precision"]);
    assert_eq!(ids(answered(CheckVerdict::Pass)), [""; 0]);
}

#[test]
fn a_reading_that_is_no_time_fails_the_cell() {
    let script = free_clock();
    let mut group = [PreparedCell::new(
        crate::bench::cell(1, paw_data::cell::Role::Subject),
        preset("paw"),
        Box::new(crate::termination::Recital::of(vec![f64::NAN])),
    )];
    let outcomes = measure(&mut group, &plan(1), &session(&script), &mut Diary::default());
    assert!(outcomes[0].why.as_ref().is_some_and(|why| why.contains("clock is broken")), "{outcomes:?}");
}
