//! Machines of scripted time: right ones, and ones with a single thing wrong, so that every check is seen to fail.

use std::cell::Cell;
use std::rc::Rc;

use paw_binary::form::Probe;
use paw_data::selftest::{CheckResult, Selftest};
use paw_measure::clock::Clock;
use paw_measure::clock::scripted::Script;

use super::activity::Activity;
use super::machine::{Machine, NullCall, Timing, Wall, Work};
use super::{all, checks};

/// A machine of scripted time.
#[derive(Debug, Clone)]
struct Scripted {
    script: Script,
    counter: Script,
    /// Cycles of a step of additions, a multiplication, a chain with both, and a load.
    adds: f64,
    multiplies: f64,
    mixed: f64,
    chase: f64,
    /// Seconds that every region costs in addition to its work.
    fixed_s: f64,
    /// Seconds by which a sleep is longer than asked.
    late_s: f64,
    /// Seconds of a call through paw's wrappers of foreign libraries.
    call_s: Result<f64, String>,
    round_trip_s: Result<f64, String>,
    latency: Option<f64>,
    /// Factors of what generated code shows: of chains of both kinds, of loads, of no-operations, and of what was kept.
    model: [f64; 4],
    /// Factor by which the core's clock changes from region to region.
    wobble: f64,
    /// Processors that other programs keep busy.
    others: f64,
    /// Seconds after which the other programs end.
    others_until_s: f64,
    regions: Rc<Cell<u64>>,
}

const CYCLE_S: f64 = 0.4e-9;
/// Seconds of a call to an empty function.
const BARE_S: f64 = 1.6e-9;

impl Scripted {
    fn right() -> Self {
        let script = Script::new(1e-9, 20e-9);
        Self {
            counter: script.skewed(0.0, 0.0),
            script,
            adds: 1.0,
            multiplies: 3.0,
            mixed: 35.0,
            chase: 5.0,
            fixed_s: 0.0,
            late_s: 55e-6,
            call_s: Ok(1.8e-9),
            round_trip_s: Ok(15e-6),
            latency: Some(3.0),
            model: [1.0; 4],
            wobble: 0.0,
            others: 0.0,
            others_until_s: f64::INFINITY,
            regions: Rc::default(),
        }
    }

    fn tested(self) -> Selftest {
        let machine: Rc<dyn Machine> = Rc::new(self);
        all(&machine, checks::CHECKS)
    }
}

impl Machine for Scripted {
    fn clock(&self) -> Clock {
        Clock::Scripted(self.script.clone())
    }

    fn counter(&self) -> Result<Clock, String> {
        Ok(Clock::Scripted(self.counter.clone()))
    }

    fn run(&self, work: Work, steps: u64) {
        let cycles = match work {
            Work::Adds => self.adds,
            Work::Multiplies => self.multiplies,
            Work::AddsWithAMultiply => self.mixed,
            Work::Chase => self.chase,
        };
        self.regions.set(self.regions.get() + 1);
        let wobble = 1.0 + self.wobble * (self.regions.get() % 7) as f64;
        self.script.advance(self.fixed_s + steps as f64 * cycles * CYCLE_S * wobble);
    }

    fn multiply_cycles(&self) -> Option<f64> {
        self.latency
    }

    fn sleep(&self, seconds: f64) {
        self.script.advance(seconds + self.late_s);
    }

    fn null_calls(&self, wall: Wall) -> Result<Vec<NullCall>, String> {
        let timing = |call_s: f64| -> Timing { Box::new(move |calls| calls as f64 * call_s) };
        let slow_s = if wall == Wall::Blas { self.call_s.clone()? } else { BARE_S };
        Ok(vec![NullCall { through_s: timing(slow_s), bare_s: timing(BARE_S) }])
    }

    fn round_trips_s(&self, count: usize) -> Result<Vec<f64>, String> {
        self.round_trip_s.clone().map(|round_trip_s| vec![round_trip_s; count])
    }

    fn model(&self, probes: &[Probe]) -> Result<Vec<f64>, String> {
        let [both, load, width, _] = self.model;
        let cycles = |probe: &Probe| match probe {
            Probe::Additions => self.adds,
            Probe::Multiplications => self.multiplies,
            Probe::AdditionsAndMultiplications => (self.adds + self.multiplies) * both,
            Probe::IndependentAdditions => 0.2,
            Probe::Width => width / 6.0,
            Probe::Load | Probe::ForwardScalar | Probe::ForwardVector => self.chase * load,
        };
        self.script.advance(5e-3);
        Ok(probes.iter().map(cycles).collect())
    }

    fn kept_model(&self, probes: &[Probe]) -> Option<Vec<f64>> {
        let kept = self.model[3];
        self.model(probes).ok().map(|cycles| cycles.into_iter().map(|cycles| cycles * kept).collect())
    }

    fn activity(&self) -> Activity {
        let at_s = self.script.now_s();
        Activity { at_s, all_s: at_s + self.others * at_s.min(self.others_until_s), own_s: at_s, ..Activity::default() }
    }
}

/// The rows of `selftest` that ended with `result`.
fn rows(selftest: &Selftest, result: CheckResult) -> Vec<&str> {
    selftest.with(result).map(|check| check.check.trim()).collect()
}

/// Whether `machine` fails in `expected` alone when it is idle, and in nothing when it is busy.
fn check(machine: &Scripted, expected: &[&str]) {
    let idle = machine.clone().tested();
    assert_eq!(rows(&idle, CheckResult::Fail), expected, "{idle:#?}");
    let busy = Scripted { script: Script::new(1e-9, 20e-9), others: 2.5, ..machine.clone() };
    let busy = Scripted { counter: busy.script.skewed(0.0, 0.0), ..busy }.tested();
    let failed = rows(&busy, CheckResult::Fail);
    assert!(failed.is_empty(), "a busy machine is blamed on paw: {failed:?}");
}

#[test]
fn a_right_machine_passes_every_check() {
    let selftest = Scripted::right().tested();
    assert_eq!(rows(&selftest, CheckResult::Pass).len(), selftest.checks.len(), "{selftest:#?}");
}

#[test]
fn every_wrong_latency_is_found() {
    let right = Scripted::right;
    check(&Scripted { multiplies: 3.05, ..right() }, &["dependent multiply"]);
    check(
        &Scripted { multiplies: 3.2, ..right() },
        &["dependent multiply", "model: dependent multiply", "model: both in turn"],
    );
    check(&Scripted { chase: 5.3, ..right() }, &["off a whole number by"]);
    check(&Scripted { chase: 12.0, ..right() }, &["pointer chase in L1", "model: load from L1"]);
    check(&Scripted { mixed: 32.0, ..right() }, &["one more multiply: SLOWER", "ratio of their times"]);
}

#[test]
fn a_model_that_contradicts_itself_is_found() {
    let model = |model| Scripted { model, ..Scripted::right() };
    check(&model([0.9, 1.0, 1.0, 1.0]), &["model: both in turn"]);
    check(&model([1.0, 1.04, 1.0, 1.0]), &["off the pointer chase by"]);
    check(&model([1.0, 1.0, 1.5, 1.0]), &["additions a cycle above it"]);
    check(&model([1.0, 1.0, 1.0, 1.05]), &["model: before and now differ by"]);
    let failed = model([1.0, 1.0, 1.0, 1.05]).tested();
    let why = failed.with(CheckResult::Fail).find_map(|check| check.why.clone()).unwrap_or_default();
    assert!(why.contains("--fresh-model"), "{why}");
}

#[test]
fn a_cost_of_every_region_is_no_line() {
    let selftest = Scripted { fixed_s: 3e-6, ..Scripted::right() }.tested();
    let failed = rows(&selftest, CheckResult::Fail);
    for row in ["adds: twice the steps", "timer: k x work off k x time"] {
        assert!(failed.contains(&row), "{failed:?}");
    }
}

#[test]
fn slow_walls_and_workers_and_sleeps_are_found() {
    let right = Scripted::right;
    check(&Scripted { call_s: Ok(15.2e-9), ..right() }, &["null call of BLAS", "of which paw adds"]);
    check(&Scripted { round_trip_s: Ok(2e-3), ..right() }, &["worker round trip"]);
    check(&Scripted { late_s: 0.5e-3, ..right() }, &["late by"]);
}

#[test]
fn one_disturbed_attempt_of_three_proves_nothing() {
    let machine = Scripted { multiplies: 3.05, others: 2.5, others_until_s: 0.3, ..Scripted::right() };
    let selftest = machine.tested();
    assert_eq!(rows(&selftest, CheckResult::Fail), Vec::<&str>::new(), "{selftest:#?}");
    assert!(rows(&selftest, CheckResult::CannotTell).contains(&"dependent multiply"), "{selftest:#?}");
}

#[test]
fn a_sleep_that_reads_as_too_short_fails_on_a_busy_machine_too() {
    let selftest = Scripted { late_s: -1e-4, others: 2.0, ..Scripted::right() }.tested();
    assert_eq!(rows(&selftest, CheckResult::Fail), ["sleep of 2 ms: shortest"]);
}

#[test]
fn a_second_clock_of_another_pace_is_found() {
    let right = Scripted::right();
    let counter = right.script.skewed(0.0, 2e-3);
    let selftest = Scripted { counter, ..right }.tested();
    assert_eq!(rows(&selftest, CheckResult::Fail), ["timer against the counter"]);
}

#[test]
fn a_coarse_clock_is_found() {
    let script = Script::new(15e-6, 2e-6);
    let machine = Scripted { counter: script.skewed(0.0, 0.0), script, ..Scripted::right() };
    let failed = machine.tested();
    let failed = rows(&failed, CheckResult::Fail);
    assert!(failed.contains(&"timer: overhead") && failed.contains(&"timer: resolution"), "{failed:?}");
}

#[test]
fn what_the_machine_lacks_or_hides_is_not_passed_and_not_failed() {
    let missing = "no library of this kind was found".to_owned();
    let machine = Scripted { call_s: Err(missing.clone()), latency: None, wobble: 0.02, ..Scripted::right() };
    let selftest = machine.tested();
    assert_eq!(rows(&selftest, CheckResult::Fail), Vec::<&str>::new(), "{selftest:#?}");
    let unknown = rows(&selftest, CheckResult::CannotTell);
    for row in ["dependent multiply", "adds: twice the steps", "null call of BLAS"] {
        assert!(unknown.contains(&row), "{unknown:?}");
    }
    assert!(selftest.with(CheckResult::CannotTell).all(|check| check.why.is_some()));
}
