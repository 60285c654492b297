//! Devices that break, lie or hang: a sentence each, and nothing that was measured is lost.

use paw_data::outcome::Status;
use paw_data::secondary::SecondaryMetric;

use crate::place::{caveats, ended, mocked, place, record, run};

const SMALL: &str = "--set n=65536 --reps 6 --quiet --out r";

#[test]
fn contents_that_arrive_changed_are_a_failure() {
    let place = place();
    let ran = mocked(&place, "MOCK_CUDA_WRONG=2", &format!("run gpu_in_pinned {SMALL}"));
    assert_eq!(ran.code & !2, 1, "wrong answers, or a device that was refused: {}{}", ran.out, ran.err);
    let run = run(&place);
    let (status, why) = ended(record(&run, "gpu_in_pinned", "cuda0"));
    assert_eq!(status, Status::Failed, "{why}");
}

#[test]
fn a_copy_that_goes_wrong_now_and_then_fails_its_cell_and_names_the_sample() {
    let place = place();
    // A sample shows what its last copy left: a fault that outlasts the copies of one sample is seen in it or in the next. The driver
    // counts the copies of one process.
    let line = "run gpu_in_pinned --set n=65536 --loops 1 --reps 60 --invocations 1 --quiet --out r";
    let ran = mocked(&place, "MOCK_CUDA_WRONG=149 MOCK_CUDA_WRONG_FOR=20", line);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    let run = run(&place);
    let (status, why) = ended(record(&run, "gpu_in_pinned", "cuda0"));
    assert_eq!(status, Status::Failed, "{why}");
    assert!(why.starts_with("wrong answer: in ") && why.contains("sample ") && why.contains(": byte "), "{why}");
}

#[test]
fn a_driver_that_does_not_start_is_skipped_in_one_line() {
    for (code, says) in [("34", "stub"), ("100", "no device"), ("803", "driver"), ("999", "kernel")] {
        let place = place();
        let ran = mocked(&place, &format!("MOCK_CUDA_INIT_ERROR={code}"), &format!("run gpu_in_pinned {SMALL}"));
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        let run = run(&place);
        let (status, why) = ended(&run.records[0]);
        assert_eq!(status, Status::Skipped);
        assert!(why.contains(says), "{code}: {why}");
        assert!(!why.contains('\n') && !ran.err.contains("panicked"), "{why}{}", ran.err);
    }
}

#[test]
fn a_clock_that_stands_still_is_not_believed() {
    let place = place();
    let ran = mocked(&place, "MOCK_CUDA_BOGUS_EVENTS=1", &format!("run gpu_in_pinned {SMALL}"));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let run = run(&place);
    let record = record(&run, "gpu_in_pinned", "cuda0");
    assert!(caveats(record).contains(&"untrusted-events"), "{:?}", caveats(record));
    assert!(!record.samples.extra.contains_key(&SecondaryMetric::Event.into()));
}

#[test]
fn a_gate_that_never_opens_costs_its_number_and_no_more() {
    let place = place();
    let ran = mocked(&place, "MOCK_CUDA_HANG=1 MOCK_CUDA_GATE_SCALE=0.01", &format!("run gpu_in_pinned {SMALL}"));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let run = run(&place);
    let record = record(&run, "gpu_in_pinned", "cuda0");
    assert_eq!(ended(record).0, Status::Measured, "{}", ended(record).1);
    let gated = record.samples.extra.get(&SecondaryMetric::Gated.into()).into_iter().flatten();
    assert!(gated.into_iter().all(|seconds| seconds.is_nan()), "nothing came through the gate");
    assert!(caveats(record).iter().any(|id| id.starts_with("gate-")), "{:?}", caveats(record));
}

#[test]
fn a_variable_that_makes_every_call_wait_is_reported_and_closes_the_gate() {
    let place = place();
    let ran = mocked(&place, "CUDA_LAUNCH_BLOCKING=1", &format!("run gpu_in_pinned {SMALL}"));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let run = run(&place);
    let record = record(&run, "gpu_in_pinned", "cuda0");
    assert!(caveats(record).contains(&"device-environment"), "{:?}", caveats(record));
    assert!(!record.samples.extra.contains_key(&SecondaryMetric::Gated.into()));
    assert_eq!(run.header.env.get("CUDA_LAUNCH_BLOCKING").map(String::as_str), Some("1"));
}

#[test]
fn a_size_beyond_the_devices_memory_is_skipped_and_the_rest_measured() {
    let place = place();
    let ran = mocked(
        &place,
        "MOCK_CUDA_MEMORY_BYTES=268435456",
        "run gpu_in_pinned --set n=65536,134217728 --reps 6 --quiet --out r",
    );
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let run = run(&place);
    let ends: Vec<_> = run.records.iter().map(ended).collect();
    assert_eq!(ends.iter().map(|(status, _)| *status).collect::<Vec<_>>(), [Status::Measured, Status::Skipped]);
    assert!(ends[1].1.contains("536870912"), "{}", ends[1].1);
}

#[test]
fn a_device_that_is_not_there_is_named_with_those_that_are() {
    let place = place();
    for (name, words) in [
        ("cuda3", "there is no device cuda3; here: cuda0"),
        ("ze0", "there is no device ze0; here: cuda0"),
        ("xe0", "unknown provider 'xe0'; devices here: cuda0"),
    ] {
        let ran = mocked(&place, "", &format!("run device --provider {name}"));
        assert_eq!(ran.code, 2, "{name}: {}", ran.err);
        assert!(ran.err.contains(words), "{name}: {}", ran.err);
    }
}
