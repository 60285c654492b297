//! Every benchmark of devices runs once at its smallest point on PoCL, on one device and on two, and is right.

use std::collections::BTreeMap;
use std::rc::Rc;

use paw_data::point::{Point, Value};
use paw_machine::root::Root;
use paw_machine::topology::Topology;
use paw_measure::fault::Fault;
use paw_suites::benchmark::{Benchmark, Providers, Together};
use paw_suites::host::Host;
use paw_suites::{Engine, catalogue, ladder};
use pocl::{ONE, TWO};

use crate::child::{checked, engine_of, in_child_with, start};

/// Types of matrix products that OpenCL has no library for.
const LACKING: &[&str] = &["gpu_tf32gemm", "gpu_bf16gemm", "gpu_fp16gemm", "gpu_int8gemm", "gpu_fp8gemm"];
/// Arrays that fit any machine a test runs on.
const SMALL_BYTES: i64 = 1 << 20;

#[test]
fn every_benchmark_runs_once_on_one_device_and_is_right() {
    in_child_with("catalogue::every_benchmark_runs_once_on_one_device_and_is_right", ONE, || {
        each(1, |_| true);
    });
}

#[test]
fn every_benchmark_that_can_runs_once_on_two_devices_and_is_right() {
    in_child_with("catalogue::every_benchmark_that_can_runs_once_on_two_devices_and_is_right", TWO, || {
        each(2, |benchmark| benchmark.providers == Providers::Device(Together::Several));
    });
}

fn each(devices: u32, can: impl Fn(&Benchmark) -> bool) {
    let engine = engine_of(&(0..devices).collect::<Vec<_>>());
    let of_devices = |benchmark: &&&Benchmark| matches!(benchmark.providers, Providers::Device(_)) && can(benchmark);
    let mut ran = 0;
    for benchmark in catalogue().iter().filter(of_devices) {
        for point in smallest(benchmark) {
            run(benchmark, &point.with("devices", i64::from(devices)), &engine);
            ran += 1;
        }
    }
    assert!(ran > LACKING.len(), "nothing but what is lacking is in the catalogue");
}

fn run(benchmark: &Benchmark, point: &Point, engine: &Rc<Engine>) {
    if !LACKING.contains(&benchmark.name) {
        checked(benchmark.name, point, engine);
        return;
    }
    let Err(Fault::Missing(why)) = start(benchmark.name, point, engine) else {
        panic!("{}: OpenCL has no library for it", benchmark.name)
    };
    assert!(why.contains("OpenCL has no library"), "{}: {why}", benchmark.name);
}

/// The alternatives at the smallest size.
fn smallest(benchmark: &'static Benchmark) -> Vec<Point> {
    let host = Host::here(Topology::read(&Root::host()).expect("this machine has processors"), None, Vec::new());
    let small: [(&str, Value); 2] = [("bytes", SMALL_BYTES.into()), ("n", 8.into())];
    let set: BTreeMap<String, Vec<Value>> =
        small.into_iter().map(|(axis, value)| (axis.to_owned(), vec![value])).collect();
    ladder::points(benchmark, &set, &host).swap_remove(0)
}
