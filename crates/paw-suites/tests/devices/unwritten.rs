//! What is read against the clock was written before: a processor's memory that never was is one page of zeros, read too fast.

use std::{env, fs};

use paw_data::point::Point;
use paw_measure::clock::Clock;

use crate::child::start;
use crate::mock::{engine, in_child};

const FILE: &str = "MOCK_CUDA_UNWRITTEN";

/// How many reads of memory never written the driver counted until now.
fn counted() -> u64 {
    let file = env::var(FILE).expect("the test names it");
    fs::read_to_string(file).map_or(0, |count| count.parse().expect("a number"))
}

/// How many of them a sample of two transfers makes, with its check.
fn reads(name: &str, point: &Point) -> u64 {
    let before = counted();
    let mut timed = start(name, point, &engine(&[0])).unwrap_or_else(|fault| panic!("{name} {point}: {fault}"));
    timed.time(2, &Clock::monotonic()).unwrap_or_else(|fault| panic!("{name} {point}: {fault}"));
    timed.verify().unwrap_or_else(|fault| panic!("{name} {point}: {fault}"));
    counted() - before
}

/// PAW's names at a small size, and every transfer that reads the device's memory.
fn transfers() -> Vec<(&'static str, Point)> {
    let names = paw_suites::catalogue().iter().map(|benchmark| benchmark.name);
    let named =
        names.filter(|name| ["gpu_in_", "gpu_inout_", "gpu_out_", "phi_"].iter().any(|begin| name.starts_with(begin)));
    let mut all: Vec<_> = named.map(|name| (name, Point::new().with("n", 1000).with("devices", 1))).collect();
    assert_eq!(all.len(), 18, "PAW's own: {all:?}");
    for direction in ["out", "inout", "bidir"] {
        for host in ["pageable", "pinned", "registered", "mapped"] {
            for align in ["aligned", "+8"] {
                let point = Point::new().with("bytes", 70_000).with("devices", 1);
                all.push(("transfer", point.with("direction", direction).with("host", host).with("align", align)));
            }
        }
    }
    all
}

#[test]
fn memory_is_written_before_it_is_read_against_the_clock() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("count");
    let name = "unwritten::memory_is_written_before_it_is_read_against_the_clock";
    in_child(name, &[(FILE, file.to_str().expect("it is text"))], || {
        for (name, point) in transfers() {
            // Memory that is allocated in each transfer, and only read, holds nothing yet: METHOD.md says so.
            let holds_nothing = name.starts_with("phi_alloc") && name.ends_with("_out");
            assert_eq!(reads(name, &point) > 0, holds_nothing, "{name} {point}");
        }
    });
}
