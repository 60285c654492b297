//! Counted events of programs: one further run for each group.

use paw_data::counters::{Scope, Source};

use crate::workplace::Workplace;

#[test]
fn a_programs_faults_are_counted_with_those_of_its_children() {
    let workplace = Workplace::new();
    let ran = workplace.app("--counters SW --reps 3 -- sh -c 'sh -c true; sh -c true; true'");
    if ran.code == 4 {
        assert!(ran.err.contains("perf_event"), "{}", ran.err);
        return;
    }
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("SW, counts by run"), "{}", ran.out);
    let run = workplace.run();
    let counters = &run.records[0].counters[0];
    assert_eq!((counters.scope, counters.seconds.len()), (Scope::Program, 1));
    let faults = counters.events.iter().find(|event| event.name == "PAGE_FAULTS").unwrap().value().unwrap();
    assert!((100.0..20_000.0).contains(&faults), "three shells: {faults}");
}

#[test]
fn a_program_that_exits_at_once_is_counted() {
    let workplace = Workplace::new();
    let ran = workplace.app("--counters sw --reps 3 -- true");
    if ran.code == 0 {
        let run = workplace.run();
        let faults = run.records[0].counters[0].events.iter().find(|event| event.name == "PAGE_FAULTS").unwrap();
        assert!(faults.value().unwrap() > 10.0, "{faults:?}");
    }
}

#[test]
fn an_unknown_group_is_refused_before_anything_runs() {
    let workplace = Workplace::new();
    let ran = workplace.app("--counters SWW -- touch ran");
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("did you mean `SW`?"), "{}", ran.err);
    assert!(!workplace.path("ran").exists());
}

#[test]
fn a_saved_campaign_keeps_its_groups() {
    let workplace = Workplace::new();
    workplace.app("--counters SW --reps 3 --save c.toml -- true");
    let ran = workplace.app("-c c.toml");
    // Where perf_event is refused, the group is asked for and cannot be counted.
    assert!(ran.code == 0 || (ran.code == 4 && ran.err.contains("perf_event")), "{}", ran.err);
    if ran.code == 0 {
        let run = workplace.run();
        assert_eq!(run.records[0].counters.iter().map(|own| own.group.as_str()).collect::<Vec<_>>(), ["SW"]);
    }
    // What is typed stands in place of what is saved.
    workplace.app("-c c.toml --simulate --save d.toml");
    let file = workplace.read("d.toml");
    assert!(file.contains("simulate = true") && !file.contains("counters"), "{file}");
}

#[test]
fn a_simulated_program_is_labelled_and_counts_its_children() {
    ::workplace::needs!(VALGRIND);
    let workplace = Workplace::new();
    let ran = workplace.app("--simulate --reps 3 -- sh -c 'sh -c true; true'");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let run = workplace.run();
    let counters = &run.records[0].counters[0];
    assert_eq!((counters.scope, counters.source), (Scope::Program, Source::Cachegrind));
    assert!(counters.seconds.is_empty(), "simulated time is no time");
    let instructions = counters.events.iter().find(|event| event.name == "Ir").unwrap().value().unwrap();
    // Starting two shells takes some hundred thousand instructions each.
    assert!((1e5..1e8).contains(&instructions), "{instructions}");
    assert!(ran.out.contains("CACHEGRIND, simulated"), "{}", ran.out);
}
