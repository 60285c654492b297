//! Tasks on one device and on several.

use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

use paw_data::outcome::{Check, CheckVerdict};
use paw_data::secondary::{MetricName, SecondaryMetric};
use paw_devices::devices::Devices;
use paw_devices::operation::{IssueMode, Operation};
use paw_devices::tasks::{DeviceTasks, Task, TaskContext};
use paw_foreign::device::{Device, DeviceError, HostKind, Queue};
use paw_measure::clock::Clock;
use paw_measure::clock::scripted::Script;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_native::affinity;

use crate::device::{Behind, HONEST, Habits, device, driver};
use crate::timing::CopyIn;

const BYTES: usize = 90_000;
const COPY_S: f64 = 100e-6;

/// A copy that finds its answer right, except on the device of number 1 where that is asked for.
struct Copies {
    copy: CopyIn,
    verdict: CheckVerdict,
}

impl Operation for Copies {
    fn enqueue(&mut self, queue: &Queue) -> Result<(), DeviceError> {
        self.copy.enqueue(queue)
    }

    fn may_be_gated(&self) -> bool {
        true
    }
}

impl Task for Copies {
    fn verify(&mut self, _: &Queue) -> Result<Check, DeviceError> {
        let (method, note) = ("a script".to_owned(), String::new());
        Ok(Check { method, error: 0.0, bound: 0.0, verdict: self.verdict, note, accuracy: None })
    }
}

fn copies(place: &TaskContext<'_>, verdict: CheckVerdict) -> Copies {
    Copies { copy: CopyIn::new(place.device(), BYTES, HostKind::Pinned), verdict }
}

fn drive(list: Vec<Device>, wrong: bool) -> DeviceTasks<Copies> {
    let devices = Rc::new(Devices::of(list));
    DeviceTasks::begin(&devices, IssueMode::Isolated, move |place| {
        let verdict = if wrong && place.index == 1 { CheckVerdict::Fail } else { CheckVerdict::Pass };
        Ok(copies(place, verdict))
    })
    .expect("there is memory")
}

fn value(extra: &[(MetricName, f64)], name: impl Into<MetricName>) -> Option<f64> {
    let name = name.into();
    extra.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

#[test]
fn one_device_is_timed_by_three_clocks_and_tells_its_state() {
    let script = Script::new(1e-9, 0.0);
    let mut alone = drive(vec![device(0, HONEST, &script)], false);
    let elapsed_s = alone.time(4, &Clock::Scripted(script)).expect("it copies");
    let extra = alone.extra();
    let names: Vec<&str> = extra.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["event_s", "gated_s"]);
    assert!(value(&extra, SecondaryMetric::Gated).is_some_and(|gated_s| (gated_s / (4.0 * COPY_S) - 1.0).abs() < 1e-6));
    assert!(elapsed_s > 4.0 * COPY_S);
    assert_eq!(alone.caveats(), []);
}

#[test]
fn a_gate_that_opened_by_itself_is_reported_and_not_tried_again() {
    let script = Script::new(1e-9, 0.0);
    let driver = driver(0, Habits { behind: Behind::TimesOut, ..HONEST }, &script);
    let mut alone = drive(vec![Device::new(driver.clone())], false);
    let clock = Clock::Scripted(script);
    alone.time(4, &clock).expect("it copies");
    assert_eq!(driver.most_waiting(), 6);
    alone.time(100, &clock).expect("it copies");
    assert_eq!(driver.most_waiting(), 6);
    let ids: Vec<String> = alone.caveats().into_iter().map(|caveat| caveat.id).collect();
    assert_eq!(ids, ["gate-timed-out"]);
}

#[test]
fn times_that_cannot_be_are_counted_and_reported() {
    let script = Script::new(1e-9, 0.0);
    let mut alone = drive(vec![device(0, Habits { shown: |_| 0.0, ..HONEST }, &script)], false);
    let clock = Clock::Scripted(script);
    for _ in 0..3 {
        alone.time(4, &clock).expect("it copies");
    }
    let caveats = alone.caveats();
    assert_eq!(caveats[0].id, "untrusted-events");
    assert!(caveats[0].cause.contains("3 of 3 samples"), "{}", caveats[0].cause);
}

#[test]
fn two_devices_go_on_until_both_have_done_what_was_asked() {
    let script = Script::new(1e-9, 0.0);
    let slow = Habits { bandwidth: 1e8, ..HONEST };
    let mut both = drive(vec![device(0, HONEST, &script), device(1, slow, &script)], false);
    let elapsed_s = both.time(20, &Clock::Scripted(script)).expect("they copy");
    let extra = both.extra();
    let overlap = value(&extra, SecondaryMetric::Overlap).expect("it is given");
    assert!(overlap > 0.0 && overlap <= 1.0, "{overlap}");
    // The whole is between its parts: rates add up.
    let each = ["opencl0", "opencl1"].map(|id| value(&extra, MetricName::of_device(id)).expect("it is given"));
    let rates: f64 = each.iter().map(|seconds| 1.0 / seconds).sum();
    assert!((elapsed_s * rates / 2.0 - 1.0).abs() < 1e-9, "{elapsed_s} of {each:?}");
}

#[test]
fn a_device_that_breaks_ends_the_sample_of_all() {
    let script = Script::new(1e-9, 0.0);
    let list = vec![device(0, HONEST, &script), device(1, Habits { copies_max: 3, ..HONEST }, &script)];
    let fault = drive(list, false).time(50, &Clock::Scripted(script)).expect_err("one breaks");
    assert!(matches!(&fault, Fault::Broken(why) if why.contains("scripted_copy failed with 7")), "{fault}");
}

#[test]
fn a_device_without_operands_keeps_no_other_waiting() {
    let script = Script::new(1e-9, 0.0);
    let devices = Rc::new(Devices::of(vec![device(0, HONEST, &script), device(1, HONEST, &script)]));
    let made = AtomicU32::new(0);
    let mut both = DeviceTasks::begin(&devices, IssueMode::Isolated, move |place| {
        let is_second_time = place.index == 1 && made.fetch_add(1, Ordering::Relaxed) == 1;
        let refused = DeviceError::Absent("no memory left".to_owned());
        if is_second_time { Err(refused) } else { Ok(copies(place, CheckVerdict::Pass)) }
    })
    .expect("there is memory at first");
    both.renew().expect_err("the second device has none left");
    let fault = both.time(20, &Clock::Scripted(script)).expect_err("one has no operands");
    assert!(fault.to_string().contains("could not be made anew"), "{fault}");
}

#[test]
fn no_loops_end_as_soon_as_one_and_all_overlap_though_one_thread_waits_for_the_others_processor() {
    let allowed = affinity::allowed().expect("the kernel says");
    affinity::pin(&allowed[..1]).expect("one of the allowed");
    let script = Script::new(1e-9, 0.0);
    let mut both = drive(vec![device(0, HONEST, &script), device(1, HONEST, &script)], false);
    for _ in 0..400 {
        assert!(both.time(0, &Clock::Scripted(script.clone())).is_ok());
    }
}

#[test]
fn one_wrong_answer_of_several_devices_is_a_wrong_answer() {
    let script = Script::new(1e-9, 0.0);
    let list = || vec![device(0, HONEST, &script), device(1, HONEST, &script)];
    assert_eq!(drive(list(), false).verify().expect("checked").verdict, CheckVerdict::Pass);
    assert_eq!(drive(list(), true).verify().expect("checked").verdict, CheckVerdict::Fail);
}

#[test]
fn renewed_operands_take_the_place_of_the_old_ones() {
    let script = Script::new(1e-9, 0.0);
    let driver = driver(0, HONEST, &script);
    let mut alone = drive(vec![Device::new(driver.clone())], false);
    assert_eq!(driver.memories(), 2);
    alone.renew().expect("there is memory");
    assert_eq!(driver.memories(), 2);
    drop(alone);
    assert_eq!(driver.memories(), 0);
}
