//! Every benchmark of devices is right, on one and on two at once.

use std::collections::BTreeMap;
use std::rc::Rc;

use paw_data::outcome::CheckVerdict;
use paw_data::point::{AxisValue, Point};
use paw_data::quantity::Quantity;
use paw_machine::root::Root;
use paw_machine::topology::Topology;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_suites::benchmark::{Benchmark, Start};
use paw_suites::host::Host;
use paw_suites::{Engine, catalogue, ladder};
use pocl::{ONE, TWO, in_child};

use crate::child::engine_of;

/// Transfers, streams and launches.
fn benchmarks() -> impl Iterator<Item = &'static Benchmark> {
    let of_bytes =
        |benchmark: &&Benchmark| benchmark.common.headline == Quantity::Bytes || benchmark.name == "device_launch";
    catalogue().iter().copied().filter(|benchmark| benchmark.common.suite == "device").filter(of_bytes)
}

/// The points of a benchmark at a small odd size, with every word of every axis.
fn points(benchmark: &'static Benchmark, devices: i64) -> Vec<Point> {
    let host = Host::here(Topology::read(&Root::host()).expect("this machine has processors"), None, Vec::new());
    let words = |words: &[&str]| words.iter().map(|word| AxisValue::from(*word)).collect::<Vec<_>>();
    let set = BTreeMap::from([
        ("bytes".to_owned(), vec![AxisValue::Int(70_000)]),
        ("n".to_owned(), vec![AxisValue::Int(10_001)]),
        ("host".to_owned(), words(&["pageable", "pinned", "registered", "mapped"])),
        ("life".to_owned(), words(&["keep", "alloc", "pool"])),
        ("align".to_owned(), words(&["aligned", "+4", "+8", "+64"])),
    ]);
    let set = set.into_iter().filter(|(name, _)| benchmark.axis(name).is_some()).collect();
    let points = ladder::points(benchmark, &set, &host).into_iter().flatten();
    points.map(|point| point.with("devices", devices)).collect()
}

fn start(benchmark: &Benchmark, point: &Point, engine: &Rc<Engine>) -> Result<Box<dyn Timed>, Fault> {
    (benchmark.start)(&Start { point, engine, last_cache_bytes: 1e6 })
}

/// Times and checks every benchmark at every point; those that cannot be say why. How many were measured, and how many not.
fn all(devices: &[u32], extra: &[&str]) -> (usize, usize) {
    let engine = engine_of(devices);
    let (mut measured, mut skipped) = (0, 0);
    for benchmark in benchmarks() {
        for point in points(benchmark, devices.len() as i64) {
            let mut timed = match start(benchmark, &point, &engine) {
                Ok(timed) => timed,
                Err(Fault::Missing(_)) => {
                    skipped += 1;
                    continue;
                }
                Err(fault) => panic!("{} {point}: {fault}", benchmark.name),
            };
            let elapsed_s = timed.time(3, &Clock::monotonic());
            let elapsed_s = elapsed_s.unwrap_or_else(|fault| panic!("{} {point}: {fault}", benchmark.name));
            assert!(elapsed_s > 0.0, "{} {point}", benchmark.name);
            let check = timed.verify().unwrap_or_else(|fault| panic!("{} {point}: {fault}", benchmark.name));
            assert_eq!(check.verdict, CheckVerdict::Pass, "{} {point}: {check:?}", benchmark.name);
            let names: Vec<_> = timed.extra().into_iter().map(|(name, _)| name).collect();
            let told = extra.iter().all(|name| names.iter().any(|known| known.as_str() == *name));
            // Allocations are no matter of the device's clock; a copy over a ring begins on all devices.
            let is_marked = !benchmark.name.contains("alloc")
                && point.text("life").is_none_or(|life| life == "keep")
                && point.text("direction") != Some("one");
            assert!(told || !is_marked, "{} {point}: {names:?}", benchmark.name);
            measured += 1;
        }
    }
    (measured, skipped)
}

#[test]
fn every_benchmark_is_right_on_one_device() {
    in_child("right::every_benchmark_is_right_on_one_device", ONE, || {
        let (measured, skipped) = all(&[0], &["event_s"]);
        // Of `transfer`: 4 ways × 4 memories × 4 alignments kept, and 3 × 3 × 4 allocated; PAW's 18, 4 streams, 2 launches.
        assert_eq!(measured, 64 + 36 + 18 + 4 + 2);
        // What is left of 192 transfers, copies from a second device, and managed memory in 2 directions by 2 ways.
        assert_eq!(skipped, 192 - 100 + 2 + 4);
    });
}

#[test]
fn every_benchmark_is_right_on_two_devices_at_once() {
    in_child("right::every_benchmark_is_right_on_two_devices_at_once", TWO, || {
        let (measured, _) = all(&[0, 1], &["overlap", "opencl0_s", "opencl1_s"]);
        assert_eq!(measured, 64 + 36 + 18 + 4 + 2 + 2);
    });
}

#[test]
fn a_transfer_larger_than_is_checked_whole_is_checked_at_its_ends() {
    in_child("right::a_transfer_larger_than_is_checked_whole_is_checked_at_its_ends", ONE, || {
        let benchmark = paw_suites::named("transfer").expect("it is in the catalogue");
        let point = Point::new().with("bytes", (80 << 20) + 13).with("direction", "inout");
        let mut timed = start(benchmark, &point, &engine_of(&[0])).expect("there is room");
        let check = timed.verify().expect("it copies");
        assert_eq!((check.verdict, check.method.contains("64 blocks")), (CheckVerdict::Pass, true));
    });
}
