//! Every benchmark of devices runs once at its smallest point on PoCL, on one device and on two, and is right.

use std::collections::BTreeMap;
use std::rc::Rc;

use paw_data::point::{AxisValue, Point};
use paw_machine::root::Root;
use paw_machine::topology::Topology;
use paw_measure::fault::Fault;
use paw_suites::benchmark::{Benchmark, Providers};
use paw_suites::device_set::DeviceGrouping;
use paw_suites::host::Host;
use paw_suites::{Engine, catalogue, ladder};
use pocl::{ONE, TWO};

use crate::child::{checked, engine_of, in_child_with, start};

/// What OpenCL lacks, however many devices there are, and what one device lacks: the benchmark, and words of the reason.
const LACKING: &[(&str, &str)] = &[
    ("gpu_tf32gemm", "OpenCL has no library"),
    ("gpu_bf16gemm", "OpenCL has no library"),
    ("gpu_fp16gemm", "OpenCL has no library"),
    ("gpu_int8gemm", "OpenCL has no library"),
    ("gpu_fp8gemm", "OpenCL has no library"),
    ("device_peak_f16", "does not compute with that type"),
    ("device_peak_matrix_f64", "no kernel for matrix cores"),
    ("device_peak_matrix_f16", "no kernel for matrix cores"),
    ("device_peak_matrix_bf16", "no kernel for matrix cores"),
    ("device_peak_matrix_int8", "no kernel for matrix cores"),
    ("device_peak_matrix_fp8", "no kernel for matrix cores"),
    ("managed_memory", "opencl0 has no memory that moves between host and device: not available through OpenCL"),
];
const LACKING_ALONE: &[(&str, &str)] = &[
    ("peer_transfer", "alone has no device to copy from"),
    ("peer_matrix", "alone has no device to copy from"),
    ("peer_latency", "alone has no device to copy from"),
];
/// Arrays that fit any machine a test runs on.
const SMALL_BYTES: i64 = 1 << 20;

#[test]
fn every_benchmark_runs_once_on_one_device_and_is_right() {
    in_child_with("catalogue::every_benchmark_runs_once_on_one_device_and_is_right", ONE, || {
        each(1, &[LACKING, LACKING_ALONE].concat(), |_| true);
    });
}

#[test]
fn every_benchmark_that_can_runs_once_on_two_devices_and_is_right() {
    in_child_with("catalogue::every_benchmark_that_can_runs_once_on_two_devices_and_is_right", TWO, || {
        each(2, LACKING, |benchmark| benchmark.common.providers != Providers::Device(DeviceGrouping::Alone));
    });
}

fn each(devices: u32, lacking: &[(&str, &str)], can: impl Fn(&Benchmark) -> bool) {
    let engine = engine_of(&(0..devices).collect::<Vec<_>>());
    let of_devices =
        |benchmark: &&&Benchmark| matches!(benchmark.common.providers, Providers::Device(_)) && can(benchmark);
    let mut ran = 0;
    for benchmark in catalogue().iter().filter(of_devices) {
        for point in smallest(benchmark) {
            let point = point.with("devices", i64::from(devices));
            match lacking.iter().find(|(name, _)| *name == benchmark.name) {
                Some((_, words)) => refused(benchmark, &point, &engine, words),
                None => {
                    checked(benchmark.name, &point, &engine);
                    ran += 1;
                }
            }
        }
    }
    assert!(ran > 20, "PAW's names alone are 20");
}

fn refused(benchmark: &Benchmark, point: &Point, engine: &Rc<Engine>, words: &str) {
    let Err(Fault::Missing(why)) = start(benchmark.name, point, engine) else {
        panic!("{} {point}: it should say `{words}`", benchmark.name)
    };
    assert!(why.contains(words), "{} {point}: {why}", benchmark.name);
}

/// The alternatives at the smallest size.
fn smallest(benchmark: &'static Benchmark) -> Vec<Point> {
    let host = Host::here(Topology::read(&Root::host()).expect("this machine has processors"), None, Vec::new());
    let small: [(&str, AxisValue); 4] =
        [("bytes", SMALL_BYTES.into()), ("n", 8.into()), ("pairs", "0-1".into()), ("by", "engine".into())];
    let set: BTreeMap<String, Vec<AxisValue>> =
        small.into_iter().map(|(axis, value)| (axis.to_owned(), vec![value])).collect();
    let set = set.into_iter().filter(|(axis, _)| benchmark.axis(axis).is_some()).collect();
    ladder::points(benchmark, &set, &host).swap_remove(0)
}
