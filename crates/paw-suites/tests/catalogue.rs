//! Every benchmark of the catalogue runs once at its smallest point, and is right.

use std::collections::{BTreeMap, BTreeSet};

use paw_data::axis;
use paw_data::headline::ReportPlace;
use paw_data::outcome::CheckVerdict;
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_machine::root::Root;
use paw_machine::topology::Topology;
use paw_measure::clock::Clock;
use paw_suites::benchmark::{Benchmark, Providers, Start};
use paw_suites::host::Host;
use paw_suites::{catalogue, ladder, local_engine};

fn host() -> Host {
    let mut host = Host::here(Topology::read(&Root::host()).expect("this machine has processors"), None, Vec::new());
    host.look_for_libraries();
    host
}

/// Arrays that fit any machine a test runs on; the smallest default of STREAM may be gigabytes.
const SMALL_BYTES: i64 = 1 << 20;

#[test]
fn every_benchmark_runs_once_at_its_smallest_point_and_is_right() {
    let host = host();
    // Those that need ranks run under the real libraries, in the tests of the command; those that need devices, in `devices`.
    let alone =
        |benchmark: &&&Benchmark| !matches!(benchmark.common.providers, Providers::Mpi(_) | Providers::Device(_));
    for benchmark in catalogue().iter().filter(alone) {
        check(benchmark, &host);
    }
}

fn check(benchmark: &'static Benchmark, host: &Host) {
    let mut set = BTreeMap::new();
    set.insert("bytes".to_owned(), vec![SMALL_BYTES.into()]);
    set.insert("n".to_owned(), vec![8.into()]);
    let groups = ladder::points(benchmark, &set, host);
    let cpus: Vec<u32> = host.topology.allowed().iter().collect();
    // A wake across processors takes two.
    let threads = if benchmark.name == "futex_wake" { 2 } else { 1 };
    let Some(cpus) = cpus.get(..threads) else { return };
    for point in groups[0].iter().filter(|point| is_possible(point)) {
        let engine = local_engine(cpus).expect("our own code runs everywhere");
        let point = point.clone().with("threads", threads as i64);
        let start = Start { point: &point, engine: &engine, last_cache_bytes: 1e6 };
        let mut timed = (benchmark.start)(&start).unwrap_or_else(|e| panic!("{} {point}: {e}", benchmark.name));
        let elapsed_s =
            timed.time(2, &Clock::monotonic()).unwrap_or_else(|e| panic!("{} {point}: {e}", benchmark.name));
        assert!(elapsed_s >= 0.0, "{} {point}: {elapsed_s}", benchmark.name);
        let check = timed.verify().unwrap_or_else(|e| panic!("{} {point}: {e}", benchmark.name));
        assert_eq!(check.verdict, CheckVerdict::Pass, "{} {point}: {check:?}", benchmark.name);
    }
}

/// Whether this processor has the instructions: `none` stands for those that it lacks.
fn is_possible(point: &Point) -> bool {
    point.text(axis::ISA) != Some("none")
}

#[test]
fn a_name_means_one_benchmark() {
    let mut names = BTreeSet::new();
    for benchmark in catalogue() {
        assert!(names.insert(benchmark.name), "{} is there twice", benchmark.name);
        for alias in benchmark.aliases.iter().filter(|alias| **alias != "stream" && **alias != benchmark.name) {
            assert!(names.insert(alias), "{alias} is there twice");
        }
    }
}

#[test]
fn every_benchmark_states_its_work() {
    let host = host();
    for benchmark in catalogue() {
        let points = ladder::points(benchmark, &Default::default(), &host);
        // Of pairs of devices there are none without devices.
        let Some(point) = points.first().and_then(|step| step.first()) else {
            assert!(benchmark.name.starts_with("peer_"), "{} has no point", benchmark.name);
            continue;
        };
        let point = point.clone().with("threads", 1);
        if !is_possible(&point) {
            continue;
        }
        let amount = (benchmark.work)(&point).amount(benchmark.common.headline);
        assert!(amount > 0.0, "{} does {amount} of its headline's work", benchmark.name);
        assert!(!benchmark.formula.is_empty() && benchmark.purpose.ends_with(['?', ')']), "{}", benchmark.name);
    }
}

#[test]
fn references_are_in_the_catalogue() {
    for benchmark in catalogue() {
        for reference in benchmark.common.references {
            assert!(paw_suites::named(reference.benchmark).is_some(), "{}: {}", benchmark.name, reference.benchmark);
        }
    }
}

#[test]
fn a_benchmark_that_counts_operations_states_their_precision() {
    for benchmark in catalogue().iter().filter(|benchmark| benchmark.common.headline == Quantity::Flops) {
        // One that has the product as an axis has several precisions.
        assert_eq!(benchmark.precision.is_none(), benchmark.axis(axis::KERNEL).is_some(), "{}", benchmark.name);
    }
}

#[test]
fn older_runs_place_a_benchmark_where_it_places_itself() {
    for benchmark in catalogue() {
        let place = ReportPlace::named(benchmark.common.suite, benchmark.name).expect("every suite is known");
        // What only newer runs hold states its place in every one of them.
        if benchmark.dat.is_some() || !place.figures.is_empty() {
            let mut own = benchmark.report_place();
            // Axes that older runs do not have.
            own.alternatives = own.alternatives.filter(|own| ![axis::FLAVOR, axis::ROOT].contains(&own.axis.as_str()));
            assert_eq!(place, own, "{}", benchmark.name);
        }
    }
}
