//! Each method measures as often as it says, keeps warm-up apart, and measures disturbed samples again.

use std::cell::Cell as Counter;
use std::rc::Rc;

use paw_data::method::Method;
use paw_data::outcome::{Ending, Outcome, Status};
use paw_measure::clock::scripted::Script;
use paw_measure::fault::Fault;
use paw_measure::measure::measure;
use paw_measure::method::{NAMES, Overrides};

use crate::bench::{Bench, entry, free_clock, plan, preset, session, steady};
use crate::diary::Diary;

/// Measures one cell by `method`.
fn measured<F>(method: Method, script: &Script, region: F) -> (Diary, Outcome)
where
    F: FnMut(&Script, u64) -> Result<(), Fault> + 'static,
{
    let mut diary = Diary::default();
    let mut group = [entry(1, method, script, Bench::new(script, region))];
    let outcomes = measure(&mut group, &plan(1), &session(script), &mut diary);
    (diary, outcomes.into_iter().next().expect("one entry, one outcome"))
}

#[test]
fn quiet_cells_are_measured_as_often_as_their_method_says() {
    for (name, samples, ending) in [
        ("adaptive", 16, Ending::Converged),
        ("kbest", 16, Ending::Valid),
        ("csapp", 3, Ending::Valid),
        ("meta31", 31, Ending::Complete),
        ("paw", 10, Ending::Complete),
        ("paw16", 10, Ending::Complete),
    ] {
        let (diary, outcome) = measured(preset(name), &free_clock(), steady(25e-9));
        assert_eq!(diary.samples[&1].len(), samples, "{name}");
        assert_eq!((outcome.status, outcome.ending), (Status::Measured, Some(ending)), "{name}");
    }
}

#[test]
fn every_sample_reads_the_scripted_cost() {
    for name in NAMES {
        let (diary, _) = measured(preset(name), &free_clock(), steady(25e-9));
        assert!(diary.samples[&1].per_loop_s().iter().all(|s| (s - 25e-9).abs() < 1e-18), "{name}");
    }
}

#[test]
fn warm_up_is_kept_apart_and_not_less_than_asked_for() {
    let (diary, _) = measured(preset("adaptive"), &free_clock(), steady(25e-9));
    let loops = diary.samples[&1].loops[0];
    assert!(diary.warmups[&1].iter().any(|sample| sample.loops == loops), "regions as long as the samples warm up");
    let set = Overrides { warmup: Some(50), loops: Some(7), reps: Some(3), ..Overrides::default() };
    let (diary, _) = measured(set.over(preset("adaptive")), &free_clock(), steady(2e-3));
    assert_eq!((diary.warmups[&1].len(), diary.samples[&1].len()), (50, 3));
    assert_eq!(diary.samples[&1].loops, [7, 7, 7]);
}

#[test]
fn fresh_memory_is_renewed_and_warmed_up_before_every_sample() {
    let (script, renewals) = (free_clock(), Script::new(1.0, 0.0));
    let bench = Bench::new(&script, steady(25e-9)).counting(&renewals);
    let mut diary = Diary::default();
    measure(&mut [entry(1, preset("meta31"), &script, bench)], &plan(1), &session(&script), &mut diary);
    assert_eq!(renewals.now_s(), 31.0);
    let first_round = diary.events.iter().position(|e| e == "sample 1").expect("there are samples");
    let rounds: Vec<_> = diary.events[first_round - 1..].chunks(3).take(31).map(|round| round.join(", ")).collect();
    for (i, round) in rounds.iter().enumerate() {
        assert_eq!(*round, format!("warmup 1, sample 1, round {i}"));
    }
}

#[test]
fn disturbed_samples_are_kept_flagged_and_measured_again() {
    let mut calls = 0;
    let (diary, outcome) = measured(preset("paw"), &free_clock(), move |script, loops| {
        calls += 1;
        script.advance(loops as f64 * 1e-6);
        if calls % 3 == 0 {
            script.delay(5e-3);
        }
        Ok(())
    });
    let samples = &diary.samples[&1];
    let clean = samples.clean_per_loop_s();
    assert_eq!((clean.len(), outcome.ending), (10, Some(Ending::Complete)));
    assert!(clean.iter().all(|s| (s - 1e-6).abs() < 1e-15), "{clean:?}");
    let slow = samples.elapsed_s.iter().map(|s| *s > 5e-3).collect::<Vec<_>>();
    assert_eq!(samples.disturbed, slow);
    assert!((14..=15).contains(&samples.len()), "{}", samples.len());
}

#[test]
fn a_slow_sample_that_nothing_disturbed_is_not_flagged() {
    let calls = Rc::new(Counter::new(0));
    let (diary, _) = measured(preset("paw"), &free_clock(), move |script, loops| {
        calls.set(calls.get() + 1);
        let slow = if calls.get() % 3 == 0 { 10.0 } else { 1.0 };
        script.advance(loops as f64 * 1e-6 * slow);
        Ok(())
    });
    assert_eq!(diary.samples[&1].disturbed, [false; 10]);
}

#[test]
fn a_cell_that_is_always_disturbed_ends_at_twice_its_samples() {
    let (diary, outcome) = measured(preset("paw"), &free_clock(), |script, loops| {
        script.advance(loops as f64 * 1e-6);
        script.delay(5e-3);
        Ok(())
    });
    assert_eq!((diary.samples[&1].len(), outcome.ending), (20, Some(Ending::Disturbed)));
}

#[test]
fn short_fixed_loops_get_a_caveat_with_the_bias() {
    let script = Script::new(1e-9, 50e-9);
    let set = Overrides { loops: Some(4), ..Overrides::default() };
    let (diary, outcome) = measured(set.over(preset("adaptive")), &script, steady(20e-9));
    assert_eq!(diary.samples[&1].elapsed_s[0], 130e-9, "80 ns of work read 130 ns");
    let caveat = outcome.caveats.iter().find(|caveat| caveat.id == "too-short").expect("ten readings are too short");
    assert!(caveat.cause.contains("38.5 %"), "{}", caveat.cause);
}

#[test]
fn the_floor_keeps_the_bias_under_a_thousandth_where_paws_floor_has_a_tenth() {
    let bias = |name: &str| {
        let script = Script::new(1e-12, 50e-9);
        let set = Overrides { loops_max: Some(10), ..Overrides::default() };
        let (diary, _) = measured(set.over(preset(name)), &script, steady(23.4e-9));
        diary.samples[&1].per_loop_s()[0] / 23.4e-9 - 1.0
    };
    assert!(bias("adaptive") < 1e-3, "{}", bias("adaptive"));
    assert!(bias("paw") > 0.1, "{}", bias("paw"));
}
