//! Every benchmark of devices finds out when a copy or a product is wrong.

use std::collections::BTreeMap;
use std::rc::Rc;

use paw_data::outcome::CheckVerdict;
use paw_data::point::{AxisValue, Point};
use paw_machine::root::Root;
use paw_machine::topology::Topology;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_suites::Engine;
use paw_suites::benchmark::Benchmark;
use paw_suites::host::Host;
use paw_suites::{catalogue, ladder};

use crate::child::start;
use crate::mock::{engine, in_child};

/// Each copy of this number is wrong, and every product: fewer copies are made by one check, so that some checks are right.
const NTH: u64 = 23;

/// Samples within which a wrong copy is a sample's last one but for one time in a billion, wherever the count of copies stands: how many
/// a sample of two devices makes depends on how long each of them waits.
const MANY: u64 = 20 * NTH;

/// A small point of every kind.
fn points(benchmark: &'static Benchmark) -> Vec<Point> {
    let host = Host::here(Topology::read(&Root::host()).expect("this machine has processors"), None, Vec::new());
    let words = |words: &[&str]| words.iter().map(|word| AxisValue::from(*word)).collect::<Vec<_>>();
    let set = BTreeMap::from([
        ("bytes".to_owned(), vec![AxisValue::Int(70_000)]),
        ("n".to_owned(), vec![AxisValue::Int(48)]),
        ("iterations".to_owned(), vec![AxisValue::Int(2)]),
        ("host".to_owned(), words(&["pageable", "pinned", "mapped"])),
        ("pairs".to_owned(), words(&["0-1"])),
        ("life".to_owned(), words(&["keep", "alloc", "pool"])),
        (
            "transfers".to_owned(),
            words(if benchmark.name == "offload_threshold" { &["once", "always"] } else { &["none", "each"] }),
        ),
    ]);
    let set = set.into_iter().filter(|(name, _)| benchmark.axis(name).is_some()).collect();
    ladder::points(benchmark, &set, &host).into_iter().flatten().map(|point| point.with("devices", 2)).collect()
}

/// Whether looking at what samples left finds a fault within so many of them.
fn is_seen(engine: &Rc<Engine>, name: &str, axes: &[(&str, &str)], samples: u64) -> bool {
    let point = Point::new().with("bytes", 70_000).with("n", 48).with("devices", 2);
    let point = axes.iter().fold(point, |point, (axis, word)| point.with(axis, *word));
    let mut timed = start(name, &point, engine).unwrap_or_else(|fault| panic!("{name} {point}: {fault}"));
    (0..samples).any(|_| {
        timed.time(1, &Clock::monotonic()).unwrap_or_else(|fault| panic!("{name} {point}: {fault}"));
        match timed.inspect() {
            Ok(()) => false,
            Err(Fault::Spoiled(check)) => !check.note.is_empty(),
            Err(fault) => panic!("{name} {point}: {fault}"),
        }
    })
}

#[test]
fn a_fault_that_comes_and_goes_is_seen_after_the_sample_it_spoils() {
    let variables = [("MOCK_CUDA_WRONG", &*NTH.to_string()), ("MOCK_CUDA_DEVICES", "2"), ("MOCK_CUDA_PEER", "1")];
    in_child("corrupted::a_fault_that_comes_and_goes_is_seen_after_the_sample_it_spoils", &variables, || {
        let two = engine(&[0, 1]);
        for direction in ["in", "out", "inout", "bidir"] {
            for host in ["pageable", "pinned", "mapped"] {
                assert!(
                    is_seen(&two, "transfer", &[("direction", direction), ("host", host)], MANY),
                    "{direction} {host}"
                );
            }
        }
        assert!(is_seen(&two, "peer_transfer", &[("direction", "one")], MANY));
        // Every product is wrong, and every eighth sample is looked at.
        assert!(is_seen(&two, "gpu_dgemm", &[], 8) && !is_seen(&two, "gpu_dgemm", &[], 7));
    });
}

#[test]
fn what_is_right_is_left_alone() {
    let variables = [("MOCK_CUDA_DEVICES", "2"), ("MOCK_CUDA_PEER", "1")];
    in_child("corrupted::what_is_right_is_left_alone", &variables, || {
        let two = engine(&[0, 1]);
        for direction in ["in", "out", "inout", "bidir"] {
            for life in ["keep", "alloc", "pool"].into_iter().filter(|life| direction != "bidir" || *life == "keep") {
                assert!(
                    !is_seen(&two, "transfer", &[("direction", direction), ("life", life)], 3),
                    "{direction} {life}"
                );
            }
        }
        assert!(!is_seen(&two, "peer_transfer", &[("direction", "ring")], 3) && !is_seen(&two, "gpu_dgemm", &[], 16));
    });
}

#[test]
fn a_wrong_copy_or_product_is_found_by_every_benchmark() {
    let variables = [("MOCK_CUDA_WRONG", &*NTH.to_string()), ("MOCK_CUDA_DEVICES", "2"), ("MOCK_CUDA_PEER", "1")];
    in_child("corrupted::a_wrong_copy_or_product_is_found_by_every_benchmark", &variables, || {
        let engine = engine(&[0, 1]);
        // Matrix cores have kernels through HIP alone.
        let is_here = |benchmark: &&&Benchmark| !benchmark.name.starts_with("device_peak_matrix");
        for benchmark in catalogue().iter().filter(|benchmark| benchmark.common.suite == "device").filter(is_here) {
            let mut checked = 0;
            for point in points(benchmark) {
                let mut timed = match start(benchmark.name, &point, &engine) {
                    Ok(timed) => timed,
                    Err(Fault::Missing(_)) => continue,
                    Err(fault) => panic!("{} {point}: {fault}", benchmark.name),
                };
                let mut verdicts = (0..NTH).map(|_| timed.verify().expect("it is checked").verdict);
                assert!(verdicts.any(|verdict| verdict == CheckVerdict::Fail), "{} {point}", benchmark.name);
                checked += 1;
            }
            assert!(checked > 0, "{} was checked nowhere", benchmark.name);
        }
    });
}
