//! Endings are a pure function of the samples.

use paw_data::cell::Role;
use paw_data::method::{EndRule, LoopRule, Method};
use paw_data::outcome::{Check, CheckVerdict, Ending};
use paw_data::run::{ClockKind, Instrument};
use paw_data::secondary::MetricName;
use paw_measure::ending::{SeriesProgress, Stage, ending};
use paw_measure::fault::Fault;
use paw_measure::measure::measure;
use paw_measure::prepared_cell::{Drive, PreparedCell};
use paw_measure::workload::{Reading, Workload};

use crate::bench::{cell, check, free_clock, plan, preset, session};
use crate::diary::Diary;

/// The ending after each prefix of `times` (milliseconds, all undisturbed), until there is one.
fn ends(rule: &EndRule, times: &[f64]) -> Option<(usize, Ending)> {
    ends_at(rule, times, 1e-3)
}

fn of_one_process(clean: &[f64], taken: usize, sample_s: f64) -> SeriesProgress<'_> {
    SeriesProgress { clean, clean_of: &[], taken, sample_s, stage: Stage::Alike }
}

fn ends_at(rule: &EndRule, times: &[f64], sample_s: f64) -> Option<(usize, Ending)> {
    (1..=times.len()).find_map(|n| {
        let progress = of_one_process(&times[..n], n, sample_s);
        ending(rule, &progress).map(|ending| (n, ending))
    })
}

fn rule(name: &str) -> EndRule {
    preset(name).ending
}

/// Values that alternate around 1 by ± `by`, whose median's interval never shrinks.
fn alternating(by: f64) -> Vec<f64> {
    (0..200).map(|i| if i % 2 == 0 { 1.0 - by } else { 1.0 + by }).collect()
}

#[test]
fn quiet_samples_converge_at_the_fewest() {
    assert_eq!(ends(&rule("adaptive"), &[1.0; 128]), Some((16, Ending::Converged)));
    assert_eq!(ends_at(&rule("adaptive"), &[2.0; 128], 2.0), Some((6, Ending::Converged)));
}

#[test]
fn an_interval_that_narrows_ends_at_the_next_look() {
    // Six slow starters: at n = 20 the interval ends at rank 15 of 14 fast ones, at n = 24 at rank 18 of 18.
    let mut times = vec![1.0; 60];
    for slow in &mut times[..6] {
        *slow = 1.05;
    }
    assert_eq!(ends(&rule("adaptive"), &times), Some((24, Ending::Converged)));
}

#[test]
fn hopeless_samples_end_at_twice_the_fewest_and_at_once_where_they_are_long() {
    // ±5 % at 32 samples needs 800 for ±1 %.
    assert_eq!(ends(&rule("adaptive"), &alternating(0.05)), Some((32, Ending::NoisyStable)));
    assert_eq!(ends_at(&rule("adaptive"), &alternating(0.05), 1.5), Some((6, Ending::NoisyStable)));
}

#[test]
fn an_interval_that_stopped_shrinking_is_noisy_but_stable() {
    // ±1.3 % at 64 samples would need 109: not hopeless, but no narrower than at 32.
    assert_eq!(ends(&rule("adaptive"), &alternating(0.013)), Some((64, Ending::NoisyStable)));
}

#[test]
fn the_most_samples_end_a_series_that_still_narrows() {
    let rule = EndRule::Interval { within: 0.01, min: 16, max: 40, min_long: 6 };
    assert_eq!(ends(&rule, &alternating(0.0105)), Some((40, Ending::MaxSamples)));
}

#[test]
fn k_best_ends_where_k_agree_with_the_best() {
    let rule = EndRule::KBest { k: 4, within: 0.05, min: 1, max: 32, best_counts: true };
    let mut times = vec![100.0, 104.0, 105.0, 105.01, 110.0];
    assert_eq!(ends(&rule, &times), None);
    times.push(103.0);
    assert_eq!(ends(&rule, &times), Some((6, Ending::Valid)));
    let apart = EndRule::KBest { k: 4, within: 0.05, min: 1, max: 32, best_counts: false };
    assert_eq!(ends(&apart, &times), None);
}

#[test]
fn k_best_takes_sixteen_at_least_and_times_out_at_thirty_two() {
    let spread: Vec<f64> = (0..40).map(|i| 1.1_f64.powi(i)).collect();
    assert_eq!(ends(&rule("kbest"), &[1.0; 40]), Some((16, Ending::Valid)));
    assert_eq!(ends(&rule("kbest"), &spread), Some((32, Ending::Timeout)));
}

#[test]
fn csapp_ends_as_soon_as_three_agree_and_gives_up_at_twenty() {
    let spread: Vec<f64> = (0..40).map(|i| 1.1_f64.powi(i)).collect();
    assert_eq!(ends(&rule("csapp"), &[1.0; 40]), Some((3, Ending::Valid)));
    assert_eq!(ends(&rule("csapp"), &spread), Some((20, Ending::Timeout)));
}

#[test]
fn fixed_numbers_are_complete() {
    assert_eq!(ends(&rule("meta31"), &[1.0; 40]), Some((31, Ending::Complete)));
    assert_eq!(ends(&rule("paw"), &[1.0; 40]), Some((10, Ending::Complete)));
}

#[test]
fn measuring_again_ends_at_twice_the_most() {
    for (name, most) in [("adaptive", 128), ("kbest", 32), ("csapp", 20), ("meta31", 31), ("paw", 10)] {
        let after = |taken| ending(&rule(name), &of_one_process(&[], taken, 1e-3));
        assert_eq!(after(2 * most - 1), None, "{name}");
        assert_eq!(after(2 * most), Some(Ending::Disturbed), "{name}");
    }
}

/// A program whose wall time never agrees, and which tells of a number that does.
struct Teller {
    runs: u32,
    tells: f64,
}

impl Workload for Teller {
    fn resume(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn sample(&mut self, _loops: u64) -> Result<Option<Reading>, Fault> {
        self.runs += 1;
        let extra = vec![(MetricName::of_program("told"), self.tells)];
        Ok(Some(Reading { elapsed_s: 1.2_f64.powi(self.runs as i32), extra, ..Reading::default() }))
    }

    fn pause(&mut self) {}

    fn renew(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn instrument(&self) -> Instrument {
        Instrument { id: 0, clock: ClockKind::Scripted, resolution_s: 1e-9, overhead_s: 1e-9, hz: None }
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        Ok(check(CheckVerdict::Pass))
    }
}

/// The ending of a series of k-best, and its samples, where this drives it.
fn driven(drive: Drive, tells: f64) -> (Option<Ending>, usize) {
    let script = free_clock();
    let method = Method { loops: LoopRule::Fixed(1), warmup: 0, ..preset("kbest") };
    let entry = PreparedCell::new(cell(1, Role::Subject), method, Box::new(Teller { runs: 0, tells })).driven(drive);
    let mut diary = Diary::default();
    let outcomes = measure(&mut [entry], &plan(1), &session(&script), &mut diary);
    (outcomes[0].ending, diary.samples[&1].len())
}

#[test]
fn a_further_reading_may_decide_the_end() {
    assert_eq!(driven(Drive::Time, 5.0), (Some(Ending::Timeout), 32));
    assert_eq!(driven(Drive::Lower(MetricName::of_program("told")), 5.0), (Some(Ending::Valid), 16));
    assert_eq!(driven(Drive::Higher(MetricName::of_program("told")), 5.0), (Some(Ending::Valid), 16));
}

#[test]
fn a_reading_that_never_comes_still_ends() {
    assert_eq!(driven(Drive::Lower(MetricName::of_program("silent")), 5.0), (Some(Ending::Disturbed), 64));
}
