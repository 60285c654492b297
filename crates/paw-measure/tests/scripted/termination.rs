//! Whatever times come, measuring ends within its bounds.

use paw_data::cell::Role;
use paw_data::method::EndRule;
use paw_data::outcome::{Check, CheckVerdict, Status};
use paw_data::run::{ClockKind, Instrument};
use paw_measure::disturbance::{Disturbance, Sight};
use paw_measure::fault::Fault;
use paw_measure::measure::measure;
use paw_measure::method::NAMES;
use paw_measure::prepared_cell::PreparedCell;
use paw_measure::workload::{Reading, Workload};
use proptest::prelude::*;
use proptest::test_runner::Config;

use crate::bench::{cell, free_clock, plan, preset, session};
use crate::diary::Diary;

/// A workload that recites these times, round and round, whatever it is asked; a negative one was disturbed.
pub struct Recital {
    times_s: Vec<f64>,
    next: usize,
}

impl Recital {
    /// A workload that recites these times, in seconds.
    pub fn of(times_s: Vec<f64>) -> Self {
        Self { times_s, next: 0 }
    }
}

impl Workload for Recital {
    fn resume(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn sample(&mut self, _loops: u64) -> Result<Option<Reading>, Fault> {
        let time_s = self.times_s[self.next % self.times_s.len()];
        self.next += 1;
        let run_delay_s = if time_s < 0.0 { 2.0 - time_s } else { 0.0 };
        let disturbance = Disturbance { run_delay_s, sight: Sight::Seen, ..Disturbance::default() };
        Ok(Some(Reading { elapsed_s: time_s.abs(), disturbance, ..Reading::default() }))
    }

    fn pause(&mut self) {}

    fn renew(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn instrument(&self) -> Instrument {
        Instrument { id: 0, clock: ClockKind::Scripted, resolution_s: 1e-9, overhead_s: 2e-8, hz: None }
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        let method = "none".to_owned();
        Ok(Check { method, error: 0.0, bound: 1.0, verdict: CheckVerdict::Pass, note: String::new(), accuracy: None })
    }
}

fn most(rule: &EndRule) -> usize {
    let (EndRule::Fixed { samples: max } | EndRule::Interval { max, .. } | EndRule::KBest { max, .. }) = rule;
    2 * *max as usize
}

fn garbage() -> impl Strategy<Value = Vec<f64>> {
    let time =
        prop_oneof![Just(0.0), 1e-12..1e-6, 1e-6..1e-2, 0.5..5.0, -5.0..-1e-9, Just(f64::MIN_POSITIVE), Just(1e300),];
    prop::collection::vec(time, 1..40)
}

proptest! {
    #![proptest_config(Config { cases: 400, failure_persistence: None, ..Config::default() })]

    #[test]
    fn every_method_ends_whatever_the_times(times in garbage(), others in garbage(), name in prop::sample::select(NAMES)) {
        let script = free_clock();
        let entry = |id, times: &[f64]| {
            PreparedCell::new(cell(id, Role::Subject), preset(name), Box::new(Recital::of(times.to_vec())))
        };
        let mut diary = Diary::default();
        let mut group = [entry(1, &times), entry(2, &others)];
        let outcomes = measure(&mut group, &plan(1), &session(&script), &mut diary);
        prop_assert_eq!(outcomes.len(), 2);
        for outcome in outcomes {
            let taken = diary.samples.get(&outcome.cell).map_or(0, |samples| samples.len());
            let warmups = diary.warmups.get(&outcome.cell).map_or(0, Vec::len);
            prop_assert!(taken <= most(&preset(name).ending));
            prop_assert!(warmups <= 200 + taken, "{} warm-ups", warmups);
            prop_assert_eq!(outcome.status == Status::Measured, outcome.ending.is_some());
        }
    }
}
