//! Cells of a group are interleaved in rounds that end together.

use std::cell::RefCell;
use std::rc::Rc;

use paw_data::cell::Role;
use paw_data::method::{EndRule, LoopRule, Memory, Method, Plan};
use paw_data::outcome::{Check, Ending, Status};
use paw_data::run::{ClockKind, Instrument};
use paw_data::sample::Samples;
use paw_measure::clock::scripted::Script;
use paw_measure::ending::CONFIDENCE;
use paw_measure::fault::Fault;
use paw_measure::measure::{measure, rounds_needed};
use paw_measure::method::Overrides;
use paw_measure::prepared_cell::PreparedCell;
use paw_measure::workload::{Reading, Workload};
use paw_stats::kbest::{Agreement, Best, k_best};
use paw_stats::precision::half_width;
use paw_stats::rng::Rng;

use crate::bench::{Bench, cell, entry, free_clock, plan, preset, session, steady, swinging};
use crate::diary::Diary;

/// So many cells of 2 ms an iteration, in one script.
fn equal_cells(script: &Script, n: u32) -> Vec<PreparedCell> {
    (1..=n).map(|id| entry(id, preset("adaptive"), script, Bench::new(script, steady(2e-3)))).collect()
}

fn diary_of(n: u32, seed: u64) -> Diary {
    let script = free_clock();
    let mut diary = Diary::default();
    measure(&mut equal_cells(&script, n), &plan(seed), &session(&script), &mut diary);
    diary
}

#[test]
fn the_order_of_rounds_follows_from_the_seed() {
    assert_eq!(diary_of(3, 8713).events, diary_of(3, 8713).events);
    assert_ne!(diary_of(3, 8713).order(), diary_of(3, 8714).order());
}

#[test]
fn every_round_times_every_cell_once() {
    let diary = diary_of(3, 1);
    for round in diary.order().chunks(3) {
        let mut round = round.to_vec();
        round.sort_unstable();
        assert_eq!(round, ["1", "2", "3"]);
    }
    for id in 1..=3 {
        assert_eq!(diary.samples[&id].round, (0..16).collect::<Vec<_>>());
    }
}

#[test]
fn samples_know_their_position_and_their_time() {
    let diary = diary_of(2, 1);
    let (one, two) = (&diary.samples[&1], &diary.samples[&2]);
    for i in 0..16 {
        assert_eq!(one.position[i] + two.position[i], 1);
        assert_eq!(one.position[i] < two.position[i], one.at_s[i] < two.at_s[i]);
    }
}

#[test]
fn a_converged_cell_goes_on_while_its_partner_needs_rounds() {
    let script = free_clock();
    let quiet = entry(1, preset("adaptive"), &script, Bench::new(&script, steady(2e-3)));
    let noisy = entry(2, preset("adaptive"), &script, Bench::new(&script, swinging(0.013)));
    let mut diary = Diary::default();
    let outcomes = measure(&mut [quiet, noisy], &plan(1), &session(&script), &mut diary);
    assert_eq!([diary.samples[&1].len(), diary.samples[&2].len()], [64, 64]);
    assert_eq!(outcomes[0].ending, Some(Ending::Converged));
    assert_eq!(outcomes[1].ending, Some(Ending::NoisyStable));
}

/// Regions of 1 s with noise of this seed: some of them far below all others.
fn noisy(seed: u64) -> impl FnMut(&Script, u64) -> Result<(), Fault> {
    let mut random = Rng::new(seed);
    move |script, loops| {
        let lucky = if random.uniform() < 0.03 { 0.7 } else { 1.0 };
        script.advance(loops as f64 * lucky * (0.02 * random.normal()).exp());
        Ok(())
    }
}

/// Whether the ending is what the samples of the file say.
fn is_true(rule: &EndRule, samples: &Samples, ending: Ending) -> bool {
    let times = samples.per_loop_s();
    match (rule, ending) {
        (EndRule::KBest { k, within, .. }, _) => {
            let found = k_best(&times, *k as usize, *within, Best::Counts).expect("times are positive");
            (ending == Ending::Valid) == (found.agreement == Agreement::Valid)
        }
        (EndRule::Interval { within, .. }, _) => {
            let narrow = half_width(&times, CONFIDENCE).is_some_and(|half_width| half_width <= *within);
            (ending == Ending::Converged) == narrow
        }
        (EndRule::Fixed { samples }, Ending::Complete) => times.len() == *samples as usize,
        (EndRule::Fixed { .. }, _) => false,
    }
}

#[test]
fn the_ending_of_a_cell_is_true_of_its_samples_whatever_its_partners_need() {
    for method in ["kbest", "csapp", "adaptive", "meta31"] {
        let method = Method { loops: LoopRule::Fixed(1), memory: Memory::Kept, ..preset(method) };
        for seed in 0..200 {
            let script = free_clock();
            let of = |id: u32| entry(id, method.clone(), &script, Bench::new(&script, noisy(3 * seed + u64::from(id))));
            let mut diary = Diary::default();
            let outcomes = measure(&mut [of(0), of(1), of(2)], &plan(seed), &session(&script), &mut diary);
            for outcome in outcomes {
                let (ending, samples) = (outcome.ending.expect("it ended"), &diary.samples[&outcome.cell]);
                assert!(
                    is_true(&method.ending, samples, ending),
                    "{ending:?} after {} samples, seed {seed}",
                    samples.len()
                );
            }
        }
    }
}

#[test]
fn a_k_best_cell_is_not_run_again_once_k_agree() {
    let script = free_clock();
    let method = || Method { loops: LoopRule::Fixed(1), ..preset("kbest") };
    let quiet = entry(1, method(), &script, Bench::new(&script, steady(2e-3)));
    let mut run = 0;
    let apart = move |script: &Script, _: u64| -> Result<(), Fault> {
        run += 1;
        script.advance(2e-3 * 0.9_f64.powi(run));
        Ok(())
    };
    let apart = entry(2, method(), &script, Bench::new(&script, apart));
    let mut diary = Diary::default();
    let outcomes = measure(&mut [quiet, apart], &plan(1), &session(&script), &mut diary);
    assert_eq!([diary.samples[&1].len(), diary.samples[&2].len()], [16, 32]);
    assert_eq!([outcomes[0].ending, outcomes[1].ending], [Some(Ending::Valid), Some(Ending::Timeout)]);
}

#[test]
fn a_reference_joins_every_round_and_holds_nobody_up() {
    let script = free_clock();
    let subject = entry(1, preset("adaptive"), &script, Bench::new(&script, steady(2e-3)));
    let mut peak = entry(2, preset("adaptive"), &script, Bench::new(&script, swinging(0.013)));
    peak.cell.role = Role::Peak;
    let mut diary = Diary::default();
    let outcomes = measure(&mut [subject, peak], &plan(1), &session(&script), &mut diary);
    assert_eq!([diary.samples[&1].len(), diary.samples[&2].len()], [16, 16]);
    assert_eq!(outcomes[1].ending, Some(Ending::Complete));
}

#[test]
fn references_alone_are_measured_as_subjects() {
    let script = free_clock();
    let mut peak = entry(2, preset("adaptive"), &script, Bench::new(&script, steady(2e-3)));
    peak.cell.role = Role::Peak;
    let outcomes = measure(&mut [peak], &plan(1), &session(&script), &mut Diary::default());
    assert_eq!(outcomes[0].ending, Some(Ending::Converged));
}

#[test]
fn no_cell_has_no_outcome() {
    let script = free_clock();
    assert!(measure(&mut [], &plan(1), &session(&script), &mut Diary::default()).is_empty());
}

/// Samples and ending of 31 iterations that last so long, under a budget.
fn budgeted(iteration_s: f64, budget_s: f64) -> (usize, Option<Ending>) {
    let script = free_clock();
    let bench = Bench::new(&script, steady(iteration_s));
    let plan = Plan { budget_s: Some(budget_s), ..plan(1) };
    let mut diary = Diary::default();
    let outcomes = measure(&mut [entry(1, preset("meta31"), &script, bench)], &plan, &session(&script), &mut diary);
    assert_eq!(outcomes[0].status, Status::Measured);
    (diary.samples[&1].len(), outcomes[0].ending)
}

#[test]
fn a_budget_ends_a_group_after_a_few_rounds_or_one_long_region() {
    // Starting and calibrating take two seconds, and every fresh sample is warmed up by an iteration: nine rounds fit into 20 s.
    assert_eq!(budgeted(1.0, 20.0), (9, Some(Ending::Budget)));
    assert_eq!(budgeted(1.0, 2.5), (3, Some(Ending::Budget)));
    assert_eq!(budgeted(60.0, 2.5), (1, Some(Ending::Budget)));
    assert_eq!(budgeted(1.0, 1000.0), (31, Some(Ending::Complete)));
}

#[test]
fn an_interruption_keeps_what_was_measured() {
    let script = free_clock();
    let mut diary = Diary::stopping_at("round 2");
    let outcomes = measure(&mut equal_cells(&script, 2), &plan(1), &session(&script), &mut diary);
    assert_eq!([diary.samples[&1].len(), diary.samples[&2].len()], [3, 3]);
    for outcome in &outcomes {
        assert_eq!((outcome.status, outcome.ending), (Status::Measured, Some(Ending::Interrupted)));
        assert!(outcome.caveats.iter().any(|caveat| caveat.id == "unchecked"), "{:?}", outcome.caveats);
    }
    assert_eq!(diary.outcomes, outcomes);
}

#[test]
fn an_interruption_within_a_round_takes_no_further_sample() {
    let script = free_clock();
    let mut diary = Diary::stopping_at("sample 1");
    let outcomes = measure(&mut equal_cells(&script, 3), &plan(1), &session(&script), &mut diary);
    assert_eq!(diary.order().last(), Some(&"1"));
    let measured = outcomes.iter().filter(|outcome| outcome.status == Status::Measured).count();
    assert_eq!(measured, diary.order().len());
    assert_eq!(outcomes.len(), 3);
}

#[test]
fn an_interruption_before_the_first_sample_skips_and_still_tells_of_every_cell() {
    let script = free_clock();
    let mut diary = Diary::stopping_at("warmup 1");
    let outcomes = measure(&mut equal_cells(&script, 2), &plan(1), &session(&script), &mut diary);
    assert_eq!([diary.count("begun 1"), diary.count("begun 2")], [1, 1]);
    assert_eq!([diary.count("ended 1"), diary.count("ended 2")], [1, 1]);
    for outcome in &outcomes {
        assert_eq!(outcome.status, Status::Skipped);
        assert!(outcome.why.as_ref().is_some_and(|why| why.contains("interrupted")), "{outcome:?}");
    }
}

/// A workload that writes down what is asked of it.
struct Logged {
    name: char,
    log: Rc<RefCell<String>>,
}

impl Logged {
    fn entry(id: u32, name: char, log: &Rc<RefCell<String>>) -> PreparedCell {
        PreparedCell::new(cell(id, Role::Subject), preset("csapp"), Box::new(Self { name, log: log.clone() }))
    }

    fn note(&self, act: &str) {
        self.log.borrow_mut().push_str(&format!("{act}{} ", self.name));
    }
}

impl Workload for Logged {
    fn resume(&mut self) -> Result<(), Fault> {
        self.note("+");
        Ok(())
    }

    fn sample(&mut self, _loops: u64) -> Result<Option<Reading>, Fault> {
        self.note("");
        Ok(Some(Reading { elapsed_s: 5.0, ..Reading::default() }))
    }

    fn pause(&mut self) {
        self.note("-");
    }

    fn renew(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn instrument(&self) -> Instrument {
        Instrument { id: 0, clock: ClockKind::Scripted, resolution_s: 1e-9, overhead_s: 1e-9, hz: None }
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.note("?");
        Err(Fault::Broken("no answer".to_owned()))
    }
}

#[test]
fn a_cell_alone_is_never_paused_between_samples() {
    let (script, log) = (free_clock(), Rc::default());
    measure(&mut [Logged::entry(1, 'a', &log)], &plan(1), &session(&script), &mut Diary::default());
    assert_eq!(*log.borrow(), "+a a a a a ?a -a ");
}

#[test]
fn only_the_cell_that_is_timed_runs() {
    let (script, log) = (free_clock(), Rc::default());
    let mut group = [Logged::entry(1, 'a', &log), Logged::entry(2, 'b', &log)];
    measure(&mut group, &plan(1), &session(&script), &mut Diary::default());
    let log = log.borrow();
    assert!(log.starts_with("+a a -a +b b -b "), "{log}");
    assert!(log.ends_with("+a ?a -a +b ?b -b "), "{log}");
    let turns = log.matches("+a a -a ").count() + log.matches("+b b -b ").count();
    assert_eq!(turns, 2 + 2 * rounds_needed(2), "{log}");
}

/// Loops of the samples of one group with cells of these costs.
fn loops_of(costs_s: &[f64], method: &str) -> Vec<u64> {
    let script = free_clock();
    let cell = |(id, cost_s): (u32, &f64)| entry(id, preset(method), &script, Bench::new(&script, steady(*cost_s)));
    let mut diary = Diary::default();
    measure(&mut (1..).zip(costs_s).map(cell).collect::<Vec<_>>(), &plan(1), &session(&script), &mut diary);
    diary.samples.values().map(|samples| samples.loops[0]).collect()
}

#[test]
fn compared_cells_share_one_loop_count() {
    assert_eq!(loops_of(&[50e-9, 60e-9, 800e-9], "adaptive"), [24_000; 3]);
    assert_eq!(loops_of(&[50e-9, 0.5], "adaptive"), [24_000, 1], "24,000 iterations of half a second are hours");
    assert_eq!(loops_of(&[50e-9, 800e-9], "paw"), [1000; 2], "PAW's ladder is its own");
}

#[test]
fn a_disturbed_calibration_does_not_leave_equal_cells_with_unequal_regions() {
    let script = free_clock();
    let mut calls = 0;
    // The neighbour takes three quarters of every region before the fortieth.
    let busy = move |script: &Script, loops: u64| {
        calls += 1;
        script.advance(loops as f64 * 42e-9);
        if calls < 40 {
            script.delay(4e-3);
        }
        Ok(())
    };
    let mut group = [
        entry(1, preset("adaptive"), &script, Bench::new(&script, busy)),
        entry(2, preset("adaptive"), &script, Bench::new(&script, steady(42e-9))),
    ];
    let mut diary = Diary::default();
    let outcomes = measure(&mut group, &plan(1), &session(&script), &mut diary);
    assert_eq!(diary.samples[&1].loops[0], diary.samples[&2].loops[0]);
    assert!(outcomes[0].caveats.iter().any(|caveat| caveat.id == "unverified-loops"), "{:?}", outcomes[0].caveats);
}

/// Samples of each of so many equal cells of one process, whose regions take 2 s each.
fn long(method: &Method, cells: u32) -> Vec<usize> {
    let script = free_clock();
    let mut group: Vec<_> =
        (1..=cells).map(|id| entry(id, method.clone(), &script, Bench::new(&script, steady(2.0)))).collect();
    let mut diary = Diary::default();
    measure(&mut group, &plan(1), &session(&script), &mut diary);
    (1..=cells).map(|id| diary.samples[&id].len()).collect()
}

#[test]
fn long_samples_that_are_compared_take_the_rounds_of_their_comparison() {
    assert_eq!(long(&preset("adaptive"), 1), [6], "nothing is compared");
    for cells in [2, 3, 4] {
        let needed = rounds_needed(cells as usize);
        assert_eq!(long(&preset("adaptive"), cells), vec![needed; cells as usize]);
        assert_eq!(long(&preset("csapp"), cells), vec![needed; cells as usize]);
        assert_eq!(long(&preset("kbest"), cells), vec![16; cells as usize], "more than are needed");
    }
    assert_eq!([2, 3, 4].map(rounds_needed), [8, 9, 10]);
    let asked = Overrides { reps: Some(6), ..Overrides::default() }.over(preset("adaptive"));
    assert_eq!(long(&asked, 2), [6, 6], "a number that was asked for stays");
}

#[test]
fn a_comparison_waits_for_undisturbed_rounds_but_not_for_ever() {
    let with = |every: u32| {
        let script = free_clock();
        let of = |id: u32| {
            let mut calls = 0;
            let region = move |script: &Script, loops: u64| {
                calls += 1;
                script.advance(2.0 * loops as f64);
                if id == 1 && calls % every == 0 {
                    script.delay(0.5);
                }
                Ok(())
            };
            entry(id, preset("csapp"), &script, Bench::new(&script, region))
        };
        let mut diary = Diary::default();
        measure(&mut [of(1), of(2)], &plan(1), &session(&script), &mut diary);
        let clean = diary.samples[&1].disturbed.iter().filter(|disturbed| !**disturbed).count();
        (clean, diary.samples[&1].len(), diary.samples[&2].len())
    };
    assert_eq!(with(3).0, rounds_needed(2));
    assert_eq!((with(1).0, with(1).2), (0, 2 * rounds_needed(2)));
}
