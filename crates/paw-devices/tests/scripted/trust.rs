//! What the self-test believes.

use std::time::Duration;

use paw_devices::trust::Trust;
use paw_measure::clock::Clock;
use paw_measure::clock::scripted::Script;
use paw_measure::fault::Fault;

use crate::device::{ABSURD, Behind, HONEST, Habits, device};

/// A driver that hangs has hung after any time.
const SOON: Duration = Duration::from_millis(50);

fn examined(habits: Habits) -> Result<Trust, Fault> {
    let script = Script::new(1e-9, 0.0);
    Trust::examine_within(&device(0, habits, &script), &Clock::Scripted(script), SOON)
}

#[test]
fn an_honest_device_is_believed() {
    let script = Script::new(1e-9, 0.0);
    let trust = Trust::examine(&device(0, HONEST, &script), &Clock::Scripted(script)).expect("it copies");
    assert_eq!(trust, Trust { marks: Ok(true), gate: Ok(true) });
}

#[test]
fn a_clock_that_stands_still_runs_back_or_runs_ahead_is_not_believed() {
    for shown in ABSURD {
        let trust = examined(Habits { shown, ..HONEST }).expect("it copies");
        let why = trust.marks.expect_err("no honest clock");
        assert!(why.starts_with("a copy of 1048576 bytes took "), "{why}");
    }
}

#[test]
fn a_clock_that_shows_the_same_whatever_was_done_is_not_believed() {
    let trust = examined(Habits { shown: |_| 1e-3, ..HONEST }).expect("it copies");
    let why = trust.marks.expect_err("no honest clock");
    assert_eq!(why, "the device's clock showed 1e-3 s after one copy and 1e-3 s after two");
}

#[test]
fn a_gate_that_opens_by_itself_is_no_gate() {
    let trust = examined(Habits { behind: Behind::TimesOut, ..HONEST }).expect("it copies");
    assert!(trust.gate.is_err_and(|why| why.contains("did not come to an end behind its gate")));
}

#[test]
fn a_gate_that_never_opens_costs_its_time_limit_and_no_more() {
    let trust = examined(Habits { behind: Behind::Hangs, ..HONEST }).expect("it copies");
    assert_eq!(trust.gate, Err("a copy behind its gate did not get through within 0.05 s".to_owned()));
    assert_eq!(trust.marks, Ok(true));
}

#[test]
fn a_device_that_changes_what_it_is_given_is_not_opened() {
    let fault = examined(Habits { loses_a_byte: true, ..HONEST }).expect_err("it is wrong");
    assert!(matches!(&fault, Fault::Broken(why) if why.contains("byte 3 came back changed")), "{fault}");
}
