//! A device under load: how many operations it makes, and what becomes of its speed when it grows hot.

use paw_data::outcome::Status;
use paw_data::secondary::SecondaryMetric;
use paw_data::throttle;

use crate::place::{clock_s, ended, mocked, near, place, record, run};

/// No library of products: chains of multiplications stand for them.
const NO_PRODUCTS: &str = "PAW_CUBLAS_LIBRARY=/nonexistent";
/// A product of this order takes 3.4 ms then.
const ORDER: &str = "MOCK_CUDA_GFLOPS=10";

#[test]
fn a_device_that_grows_hot_loses_its_speed_and_the_page_says_why() {
    let place = place();
    let settings = format!("{NO_PRODUCTS} {ORDER} MOCK_CUDA_HOT_AFTER_S=4 MOCK_CUDA_HOT_SPEED=0.5");
    let ran = mocked(&place, &settings, "run device_burn --for 4s --set n=256 --out r");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let run = run(&place);
    let load = record(&run, "device_burn", "cuda0");
    assert_eq!(ended(load).0, Status::Measured);
    let (times, reasons) =
        (load.samples.per_loop_s(), load.samples.secondary(SecondaryMetric::ThrottleReasons).unwrap());
    let lasted_s = load.samples.at_s.last().unwrap() - load.samples.at_s[0] + load.samples.elapsed_s[0];
    assert!((4.0..6.0).contains(&lasted_s), "{lasted_s} s");
    assert_eq!((reasons[0], throttle::words(*reasons.last().unwrap() as u64)), (0.0, vec!["sw_thermal_slowdown"]));
    near(times.last().unwrap() / times[0], 2.0, 0.2);
    let clocks = load.samples.secondary(SecondaryMetric::DeviceClock).unwrap();
    near(clocks.last().unwrap() / clocks[0], 0.5, 0.01);
    for words in ["did not keep its speed", "sw_thermal_slowdown in"] {
        assert!(ran.out.contains(words), "{words} is not in {}", ran.out);
    }
    let check = load.outcome.as_ref().and_then(|outcome| outcome.check.as_ref()).unwrap();
    assert!(check.method.contains("chains of multiplications, since"), "{}", check.method);
}

#[test]
fn operations_of_a_type_are_those_that_the_device_makes_a_second() {
    let place = place();
    // A device of so few operations a second that the host's own time is nothing beside theirs.
    let ran = mocked(
        &place,
        "MOCK_CUDA_GFLOPS=50",
        "run device_peak_f32 device_peak_f16 --set blocks=16 --reps 4 --quiet --out r",
    );
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let run = run(&place);
    for (benchmark, operations) in [("device_peak_f32", 16.0 * 4194304.0), ("device_peak_f16", 16.0 * 8388608.0)] {
        let record = record(&run, benchmark, "cuda0");
        assert_eq!(record.cell.work.flops, operations);
        near(clock_s(record, SecondaryMetric::Gated), 3e-6 + operations / 50e9, 0.01);
    }
}

#[test]
fn a_sweep_of_operations_per_byte_finds_both_roofs() {
    let place = place();
    let settings = "MOCK_CUDA_GFLOPS=20 MOCK_CUDA_DEVICE_GBS=4";
    let ran = mocked(
        &place,
        settings,
        "run device_intensity --set bytes=262144 --set intensity=0.5,1,16,32 --reps 4 --out r",
    );
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let run = run(&place);
    let records: Vec<_> = run.records.iter().filter(|record| record.cell.benchmark == "device_intensity").collect();
    let bytes_s: f64 = 2.0 * 262144.0 / 4e9;
    let expected = [0.5, 1.0, 16.0, 32.0].map(|intensity: f64| bytes_s.max(intensity * 2.0 * 262144.0 / 20e9));
    assert_eq!(records.len(), expected.len());
    for (record, expected_s) in records.into_iter().zip(expected) {
        near(clock_s(record, SecondaryMetric::Gated), 3e-6 + expected_s, 0.02);
    }
    assert!(ran.out.contains("which meet at"), "{}", ran.out);
}

#[test]
fn a_load_of_no_whole_number_of_chains_is_refused_with_the_way_out() {
    let place = place();
    let ran = mocked(&place, NO_PRODUCTS, "run device_burn --set seconds=1 --set n=100 --out r");
    let run = run(&place);
    let (status, why) = ended(record(&run, "device_burn", "cuda0"));
    assert_eq!(status, Status::Skipped, "{}{}", ran.out, ran.err);
    assert!(why.contains("a multiple of 256"), "{why}");
}
