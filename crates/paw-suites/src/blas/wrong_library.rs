//! Tests with a library that is wrong on purpose: the check of each benchmark finds it.

use std::fs;
use std::path::PathBuf;
use std::rc::Rc;

use paw_data::axis;
use paw_data::outcome::CheckVerdict;
use paw_data::point::Point;

use crate::benchmark::Start;
use crate::blas::BENCHMARKS;
use crate::engine::Engine;
use crate::spec::CellSpec;

/// The mock library copied to `path`; its file name chooses its behaviour.
fn mock(path: PathBuf) -> Rc<Engine> {
    let built = std::env::current_exe().expect("a test has a path").with_file_name("libmock_blas.so");
    fs::copy(built, &path).expect("a copy of the mock");
    let spec = CellSpec {
        benchmark: String::new(),
        point: Point::new(),
        library: Some(path),
        devices: None,
        threads: 1,
        cpus: Vec::new(),
        last_cache_bytes: 1e6,
        instrument: 0,
    };
    Rc::new(Engine::open(&spec).expect("it is a BLAS"))
}

#[test]
fn a_wrong_product_is_found_by_every_benchmark() {
    use CheckVerdict::{Fail, Pass};
    let directory = tempfile::tempdir().expect("a directory");
    for (behaviour, expected) in [
        ("correct", Pass),
        ("off-by-1e-9", Fail),
        ("bf16", Fail),
        ("beta-ignored", Fail),
        ("padding", Fail),
        ("saturate", Fail),
    ] {
        let engine = mock(directory.path().join(format!("libmock_blas-{behaviour}.so")));
        for benchmark in BENCHMARKS {
            let is_blind = match benchmark.name {
                // Short numbers have no fewer digits, and their products neither factors nor padding.
                "bf16gemm" => behaviour != "bf16",
                "int8gemm" => behaviour != "saturate",
                // A billionth is less than single precision sees, and a vector has no padding.
                name if behaviour == "off-by-1e-9" => name.starts_with('s'),
                name if behaviour == "padding" => name.ends_with("gemv"),
                _ => behaviour == "saturate",
            };
            let point = Point::new().with(axis::N, 33).with(axis::M, 40).with(axis::PAD, 3);
            let start = Start { point: &point, engine: &engine, last_cache_bytes: 1e6 };
            let mut timed = (benchmark.start)(&start).expect("it starts");
            let check = timed.verify().expect("it is called");
            let expected = if is_blind { Pass } else { expected };
            assert_eq!(check.verdict, expected, "{behaviour}, {}: {check:?}", benchmark.name);
        }
    }
}
